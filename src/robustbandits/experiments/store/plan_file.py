"""What a store remembers of a plan: the spec, and which matches answer it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits.experiments.store.match_file import DamagedError, NewerError

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan

MAX_BYTES = 1 << 28
#: Formats of plans: with the same games in every environment, and with games of their own.
EVEN, UNEVEN = 1, 2

#: Labels of attack and policy, in the order of a match's ledgers.
Games = tuple[tuple[str, str], ...]


class PlannedFile(NamedTuple):
    """A match that a plan asked for."""

    id: str
    environment: str
    seed: int


class Promise(NamedTuple):
    """A plan as it is remembered."""

    spec: dict[str, Any]
    games: dict[str, Games]  # by environment
    matches: tuple[PlannedFile, ...]


def promise_of(plan: Plan) -> Promise:
    """Return what will be remembered of a plan."""
    matches = (PlannedFile(match.id, match.environment, match.seed) for match in plan.matches)
    first = {match.environment: match.games for match in reversed(plan.matches)}
    games = {
        place: tuple((game.attack, game.policy) for game in listed)
        for place, listed in reversed(first.items())
    }
    return Promise(plan.spec.to_dict(), games, tuple(matches))


def encode_plan(plan: Plan) -> tuple[str, bytes]:
    """Return the name of a plan and the bytes of its file."""
    promise = promise_of(plan)
    values: dict[str, Any] = {"format": UNEVEN, **promise._asdict()}
    different = set(promise.games.values())
    if len(different) == 1:  # the same everywhere, as a rule: said once, in the first format
        values |= {"format": EVEN, "games": different.pop()}
    data = json.dumps(values).encode()
    return hashlib.sha256(data).hexdigest()[:32], data


def decode_plan(data: bytes) -> Promise:
    """Return what a plan's file promises, or raise :class:`DamagedError`."""
    try:
        values = json.loads(data)
        if values["format"] > UNEVEN:
            raise NewerError("it was made by a newer robustbandits: install that version")
        matches = tuple(PlannedFile(str(a), str(b), int(c)) for a, b, c in values["matches"])
        places = dict.fromkeys(match.environment for match in matches)
        uneven = values["format"] == UNEVEN
        games = {
            place: _games(values["games"][place] if uneven else values["games"]) for place in places
        }
        return Promise(dict(values["spec"]), games, matches)
    except NewerError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedError(f"it is not the file of a plan: {error}") from None


def _games(pairs: Any) -> Games:
    return tuple((str(attack), str(policy)) for attack, policy in pairs)
