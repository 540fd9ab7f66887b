"""Games that a missing match shares with other matches of a store.

Two matches can differ in a few games only: a policy was added to the spec, or the version of one
class was raised. Then only those games are played, and the others are copied.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from robustbandits.experiments.plan import Plan, PlannedMatch
from robustbandits.experiments.recipe_json import canonical
from robustbandits.experiments.store.match_file import StoredMatch, read_game_ids
from robustbandits.game.ledger import Ledger

#: Entry of a provenance: those of the games that were copied from other matches.
EARLIER = "earlier"
#: Returns the match of an id, or None if its file is missing or damaged.
Find = Callable[[str], StoredMatch | None]


def find_games(
    folder: Path, plan: Plan, missing: Sequence[PlannedMatch], find: Find
) -> dict[str, str]:
    """Return the games of missing matches that other files hold: id of the game, of the match."""
    wanted = {game.id for match in missing for game in match.games}
    planned = {match.id for match in plan.matches}
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.parquet")) if wanted else ():
        if path.stem not in planned and not wanted.isdisjoint(read_game_ids(path)):
            stored = find(path.stem)  # the numbers must be undamaged, too
            if stored is not None:
                found |= {game: stored.id for game in stored.games if game in wanted}
    return found


def without(match: PlannedMatch, games: Mapping[str, str]) -> PlannedMatch:
    """Return a match with only those games that are still to be played."""
    rest = tuple(game for game in match.games if game.id not in games)
    return match if len(rest) == len(match.games) else match._replace(games=rest)


def add_stored(
    match: PlannedMatch, played: Sequence[Ledger], sources: Mapping[str, str], find: Find
) -> tuple[list[Ledger], list[dict[str, Any]]]:
    """Return all ledgers of a match, in its order, and the provenances of those not played now.

    Raises LookupError if a file that was there when the run began cannot be read any more.
    """
    ledgers: dict[str, Ledger] = {}
    earlier: dict[str, dict[str, Any]] = {}
    for source in sorted({sources[game.id] for game in match.games if game.id in sources}):
        stored = find(source)
        if stored is None:
            raise LookupError(source)
        ledgers.update(zip(stored.games, stored.ledgers, strict=True))
        for values in flatten([stored.provenance]):
            earlier[canonical(values)] = values
    fresh = iter(played)
    joined = [
        dataclasses.replace(
            ledgers[game.id],
            environment=match.environment,
            attack=game.attack,
            policy=game.policy,
        )
        if game.id in sources
        else next(fresh)
        for game in match.games
    ]
    return joined, list(earlier.values())


def flatten(provenances: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return provenances, each followed by those of the games that were copied from earlier."""
    found = []
    for values in provenances:
        found.append({key: value for key, value in values.items() if key != EARLIER})
        found.extend(values.get(EARLIER, ()))
    return found
