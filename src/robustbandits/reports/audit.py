"""The audit block: what was spent, when the attack ended, whether the policy recovered."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robustbandits.game.verbs import Attack
from robustbandits.metrics import Recovery, recovery
from robustbandits.metrics.bootstrap import estimate_means
from robustbandits.metrics.groups import Group, Who
from robustbandits.metrics.timing import attack_began, ends_by_seed
from robustbandits.reports.study import Study
from robustbandits.reports.table import Cell, Column, Table

#: Regret per round that counts as none, where random play's is unknown.
TOLERANCE = 0.001

COLUMNS = (
    Column("environment", "text"),
    Column("attack", "text"),
    Column("policy", "text"),
    Column("budget"),
    Column("spent", "estimate"),
    Column("on contexts"),
    Column("seeds that spent all"),
    Column("rounds attacked", "estimate"),
    Column("began by round"),
    Column("ended in round", "estimate"),
    Column("recovered", "estimate"),
    Column("median recovery"),
    Column("mean recovery"),
    Column("clipped proposals"),
    Column("bad proposals"),
)


def audit_table(study: Study) -> Table:
    """Return one line for each policy under each attack."""
    groups = study.attacked()
    spent = estimate_means([_column(group, "spent") for group in groups.values()])
    touched = estimate_means([_column(group, "attacked_rounds") for group in groups.values()])
    ended = estimate_means([ends_by_seed(group) for group in groups.values()])
    healing = [recovery_of(study, who, group) for who, group in groups.items()]
    healed = estimate_means([one.recovered.astype(np.float64) for one in healing])
    rows: list[tuple[Cell, ...]] = []
    for i, (who, group) in enumerate(groups.items()):
        attack = study.spec.attacks[who.attack]
        rows.append(
            (
                *who,
                attack.budget,
                spent[i],
                float(_column(group, "spent_on_contexts").mean()),
                sum(spent_all(attack, one.spent) for one in group),
                touched[i],
                _first(group),
                ended[i],
                healed[i],
                healing[i].median,
                healing[i].restricted_mean,
                float(_column(group, "clipped_proposals").mean()),
                float(_column(group, "bad_proposals").mean()),
            )
        )
    return Table("audit", "What the attacks did", COLUMNS, tuple(rows), _notes(study))


def recovery_of(study: Study, who: Who, group: Group) -> Recovery:
    """Return times to recovery against the same policy without attack; none if not played."""
    gap = study.gaps.get(who.environment)
    tolerance = TOLERANCE if gap is None else 0.01 * gap
    return recovery(group, study.without_attack(who), tolerance=tolerance)


def spent_all(attack: Attack, spent: float) -> bool:
    """Whether nothing worth a blow was left; sums of prices are exact to some ten digits."""
    return math.isfinite(attack.budget) and 0.0 < attack.budget <= spent * (1 + 1e-9)


def _column(group: Sequence[object], name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([getattr(one, name) for one in group], dtype=np.float64)


def _first(group: Group) -> int | None:
    """Return the earliest record by which something was attacked."""
    return min((began for one in group if (began := attack_began(one))), default=None)


def _notes(study: Study) -> tuple[str, ...]:
    notes = [
        "Means over seeds, with 95 % bootstrap intervals. Began: the first recorded round by which "
        "a seed had been attacked. Ended: the last attacked round, over the seeds attacked."
    ]
    if study.clean is None:
        return (*notes, "Recovery is unknown: no game was played without attack.")
    return (
        *notes,
        "Recovered: share of the attacked seeds whose regret per round came back to the level "
        "without attack before the game ended; median (Kaplan-Meier) and mean recovery are in "
        "rounds after the last blow, the mean up to the longest time watched; ∞ if fewer than "
        "half recovered.",
    )
