"""Experiments: the plans of a store with the ledgers of their finished matches."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from robustbandits.experiments.plan import Plan, PlannedGame, PlannedMatch
from robustbandits.experiments.recipe_json import canonical
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.match_file import StoredMatch
from robustbandits.experiments.store.reuse import flatten
from robustbandits.game.ledger import Ledger


class Experiment(NamedTuple):
    """A spec and the ledgers of its finished games, in the order of its plan."""

    spec: Spec
    ledgers: list[Ledger]
    #: Versions, machine, commit and times; how many matches were planned and are finished.
    provenance: dict[str, Any]


def largest_plans(plans: Sequence[Plan]) -> list[Plan]:
    """Leave out plans that were later extended with more seeds or more environments."""
    return [plan for plan in plans if not any(_is_part_of(plan, other) for other in plans)]


def _is_part_of(plan: Plan, other: Plan) -> bool:
    if plan.spec.name != other.spec.name or len(plan.matches) >= len(other.matches):
        return False
    matches = {(match.id, match.environment) for match in other.matches}
    return all((match.id, match.environment) in matches for match in plan.matches)


def recover_plans(stored: Iterable[StoredMatch]) -> Iterator[Plan]:
    """Return plans for matches that no plan of the store names, for example copied files.

    A match whose header does not describe it is left out, with a warning.
    """
    specs: dict[str, Spec] = {}
    groups: dict[str, tuple[Spec, dict[str, list[PlannedMatch]]]] = {}
    for match in stored:
        try:
            text = canonical(match.spec)
            if text not in specs:
                specs[text] = Spec.from_dict(match.spec)
            spec = specs[text]
            planned = _planned(match, spec)
            versions = match.provenance["versions"]
            parts = [match.spec, versions["kernel"], versions.get("recipes", "")]
            key = canonical(parts)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            message = f"match {match.id} is left out, because its header is damaged: {error}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
            continue
        if key in groups:
            first = groups[key][1].get(planned.environment, [planned])[0]
            if _pairs(first) != _pairs(planned):  # a different experiment
                key = canonical([*parts, planned.environment, _pairs(planned)])
        _, matches = groups.setdefault(key, (spec, {}))
        matches.setdefault(planned.environment, []).append(planned)
    for spec, matches in groups.values():
        seeds = {seed: position for position, seed in enumerate(spec.seeds)}
        ordered = [
            match
            for label in spec.environments
            for match in sorted(matches.get(label, []), key=lambda match: seeds[match.seed])
        ]
        yield Plan(spec, tuple(ordered))


def _planned(match: StoredMatch, spec: Spec) -> PlannedMatch:
    first = match.ledgers[0]
    if first.environment not in spec.environments or first.seed not in spec.seeds:
        raise ValueError("its environment and seed are not part of its spec")
    games = tuple(
        PlannedGame(game, ledger.attack, ledger.policy)
        for game, ledger in zip(match.games, match.ledgers, strict=True)
    )
    return PlannedMatch(match.id, first.environment, first.seed, match.length, spec.points, games)


def _pairs(match: PlannedMatch) -> list[tuple[str, str]]:
    return [(game.attack, game.policy) for game in match.games]


def merge_provenance(provenances: Sequence[dict[str, Any]], planned: int) -> dict[str, Any]:
    """Return one provenance for matches that several machines may have played."""
    if not provenances:
        return {"planned": planned, "finished": 0}
    parts = flatten(provenances)
    times = sorted(str(values.get("when", "")) for values in parts)
    merged: dict[str, Any] = {
        "planned": planned,
        "finished": len(provenances),
        "first": times[0],
        "when": times[-1],
    }
    for key in ("versions", "machine", "commit"):
        different = list({canonical(values.get(key)): values.get(key) for values in parts}.values())
        merged[key] = different[0]
        if len(different) > 1:
            merged[f"other_{key.removesuffix('s')}s"] = different[1:]
    return merged
