"""What a store remembers of a plan: the spec, and which matches answer it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits.experiments.match_file import FORMAT, DamagedError, NewerError

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan

MAX_BYTES = 1 << 28


class PlannedFile(NamedTuple):
    """A match that a plan asked for."""

    id: str
    environment: str
    seed: int


class Promise(NamedTuple):
    """A plan as it is remembered."""

    spec: dict[str, Any]
    games: tuple[tuple[str, str], ...]  # labels of attack and policy, in the order of the ledgers
    matches: tuple[PlannedFile, ...]


def promise_of(plan: Plan) -> Promise:
    """Return what will be remembered of a plan."""
    matches = (PlannedFile(match.id, match.environment, match.seed) for match in plan.matches)
    games = ((game.attack, game.policy) for game in plan.matches[0].games)
    return Promise(plan.spec.to_dict(), tuple(games), tuple(matches))


def encode_plan(plan: Plan) -> tuple[str, bytes]:
    """Return the name of a plan and the bytes of its file."""
    promise = promise_of(plan)
    data = json.dumps({"format": FORMAT, **promise._asdict()}).encode()
    return hashlib.sha256(data).hexdigest()[:32], data


def decode_plan(data: bytes) -> Promise:
    """Return what a plan's file promises, or raise :class:`DamagedError`."""
    try:
        values = json.loads(data)
        if values["format"] > FORMAT:
            raise NewerError("it was made by a newer robustbandits: install that version")
        matches = (PlannedFile(str(a), str(b), int(c)) for a, b, c in values["matches"])
        games = ((str(attack), str(policy)) for attack, policy in values["games"])
        return Promise(dict(values["spec"]), tuple(games), tuple(matches))
    except NewerError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedError(f"it is not the file of a plan: {error}") from None
