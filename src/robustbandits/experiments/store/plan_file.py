"""The file of a plan: the spec, and the matches that belong to it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from robustbandits.experiments.plan import ID_LENGTH, Plan, PlannedGame, PlannedMatch
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.match_file import DamagedError, NewerError

MAX_BYTES = 1 << 28
#: Formats: the same games in every environment, listed once; or games listed by environment.
SAME_GAMES, GAMES_BY_ENVIRONMENT = 1, 2

ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")


def encode_plan(plan: Plan) -> tuple[str, bytes]:
    """Return the name of a plan and the bytes of its file."""
    by_environment: dict[str, list[tuple[str, str]]] = {}
    for match in plan.matches:
        if match.environment not in by_environment:
            pairs = [(game.attack, game.policy) for game in match.games]
            by_environment[match.environment] = pairs
    first, *rest = by_environment.values()
    same = all(pairs == first for pairs in rest)
    values = {
        "format": SAME_GAMES if same else GAMES_BY_ENVIRONMENT,
        "spec": plan.spec_values,
        "games": first if same else by_environment,
        "matches": [(match.id, match.environment, match.seed) for match in plan.matches],
    }
    data = json.dumps(values).encode()
    return hashlib.sha256(data).hexdigest()[:32], data


def decode_plan(data: bytes) -> Plan:
    """Return the plan in a file's bytes, or raise :class:`DamagedError`."""
    try:
        values = json.loads(data)
        if values["format"] > GAMES_BY_ENVIRONMENT:
            raise NewerError("it was made by a newer robustbandits: install that version")
        spec, listed = Spec.from_dict(dict(values["spec"])), values["games"]
        matches = _matches(spec, values["matches"])
        same = values["format"] == SAME_GAMES
        games = {
            label: _games(spec, listed if same else listed[label])
            for label in dict.fromkeys(label for _, label, _ in matches)
        }
    except NewerError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(f"it is not the file of a plan: {error}") from None
    planned = (
        PlannedMatch(match, label, seed, spec.rounds, spec.points, games[label])
        for match, label, seed in matches
    )
    return Plan(spec, tuple(planned))


def _matches(spec: Spec, listed: Any) -> list[tuple[str, str, int]]:
    """Return the matches that a file lists: id, environment and seed."""
    seeds = set(spec.seeds)
    for match, label, seed in listed:
        # The id becomes part of a path.
        if not isinstance(match, str) or not ID.fullmatch(match):
            raise ValueError(f"an id must have {ID_LENGTH} hexadecimal digits, got {match!r:.60}")
        if label not in spec.environments or type(seed) is not int or seed not in seeds:
            raise ValueError(f"match {match} is not part of its spec")
    return [(match, label, seed) for match, label, seed in listed]


def _games(spec: Spec, pairs: Any) -> tuple[PlannedGame, ...]:
    for attack, policy in pairs:
        if attack not in spec.attacks or policy not in spec.policies:
            raise ValueError(f"{policy!r:.60} against {attack!r:.60} is not part of its spec")
    return tuple(PlannedGame("", attack, policy) for attack, policy in pairs)
