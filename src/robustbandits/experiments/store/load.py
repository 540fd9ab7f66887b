"""Experiments: what a store holds, put together again for reports."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits.experiments.recipe_json import canonical
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.plan_file import PlannedFile, Promise
from robustbandits.game.ledger import Ledger

if TYPE_CHECKING:
    from robustbandits.experiments.store.match_file import MatchRecord
    from robustbandits.experiments.store.store import Store


class Experiment(NamedTuple):
    """A spec and the ledgers of its finished games, in the order of its plan."""

    spec: Spec
    ledgers: list[Ledger]
    #: Versions, machine, commit and times of the matches, and how many there are of how many.
    provenance: dict[str, Any]


def gather(store: Store, promises: Sequence[Promise], matches: Sequence[str]) -> list[Experiment]:
    """Return the experiments of a store: one for each plan, and one for each spec without plan."""
    kept = [one for one in promises if not any(_is_part_of(one, other) for other in promises)]
    promised = {match.id for one in promises for match in one.matches}
    strays = [match for match in matches if match not in promised]
    experiments = [_experiment(store, one) for one in (*kept, *_orphans(store, strays))]
    return [one for one in experiments if one.ledgers]


def _is_part_of(one: Promise, other: Promise) -> bool:
    """Whether the same experiment was later run with more seeds or more environments."""
    if one.spec["name"] != other.spec["name"] or len(one.matches) >= len(other.matches):
        return False
    return set(one.matches) <= set(other.matches)


def _orphans(store: Store, strays: Sequence[str]) -> Iterator[Promise]:
    """Plans of matches that came without one, for instance copied from elsewhere."""
    groups: dict[str, tuple[Promise, list[PlannedFile]]] = {}
    for match in strays:
        record = store.find(match).record
        if record is not None:
            place, seed = record.ledgers[0].environment, record.ledgers[0].seed
            games = tuple((ledger.attack, ledger.policy) for ledger in record.ledgers)
            parts = [record.spec, record.provenance["versions"]["kernel"]]
            key = canonical(parts)
            if key in groups and groups[key][0].games.get(place, games) != games:
                key = canonical([*parts, place, games])  # not the same experiment after all
            promise, group = groups.setdefault(key, (Promise(record.spec, {}, ()), []))
            promise.games[place] = games
            group.append(PlannedFile(match, place, seed))
    for promise, group in groups.values():
        places, seeds = list(promise.spec["environments"]), list(promise.spec["seeds"])
        group.sort(key=lambda one: (places.index(one.environment), seeds.index(one.seed)))
        yield promise._replace(matches=tuple(group))


def _experiment(store: Store, promise: Promise) -> Experiment:
    spec = Spec.from_dict(promise.spec)
    ledgers: list[Ledger] = []
    notes: list[dict[str, Any]] = []
    for match in promise.matches:
        record, damage = store.find(match.id)
        if record is not None and not _fits(record, match, promise):
            record, damage = None, "it holds other games than its plan asks for"
        if damage is not None:
            warnings.warn(
                f"{store.path_of(match.id)} is damaged and left out: {damage}; the same run "
                f"command sets it aside and plays the match again",
                RuntimeWarning,
                stacklevel=4,
            )
        if record is not None:
            notes.append(record.provenance)
            ledgers.extend(
                replace(ledger, environment=match.environment, attack=attack, policy=policy)
                for (attack, policy), ledger in zip(
                    promise.games[match.environment], record.ledgers, strict=True
                )
            )
    return Experiment(spec, ledgers, _merge(notes, len(promise.matches)))


def _fits(record: MatchRecord, match: PlannedFile, promise: Promise) -> bool:
    games = promise.games[match.environment]
    if len(record.ledgers) != len(games) or record.length != promise.spec["rounds"]:
        return False
    return record.ledgers[0].seed == match.seed


def _merge(notes: Sequence[dict[str, Any]], planned: int) -> dict[str, Any]:
    """Return one provenance for matches that several machines may have played."""
    if not notes:
        return {"planned": planned, "finished": 0}
    times = sorted(str(note.get("when", "")) for note in notes)
    merged: dict[str, Any] = {
        "planned": planned,
        "finished": len(notes),
        "when": times[-1],
        "first": times[0],
    }
    for key in ("versions", "machine", "commit"):
        different = list({canonical(note.get(key)): note.get(key) for note in notes}.values())
        merged[key] = different[0]
        if len(different) > 1:
            merged[f"other_{key}s"] = different[1:]
    return merged
