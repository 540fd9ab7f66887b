"""The audit: what each attack spent, when it began and ended, and whether the policy recovered."""

from __future__ import annotations

import math

import numpy as np

from robustbandits.game.verbs import Attack
from robustbandits.metrics import Recovery, recovery
from robustbandits.metrics.groups import Group, Labels
from robustbandits.metrics.intervals import estimate_means
from robustbandits.metrics.registry import AUDIT
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.metric_columns import explain, label_columns, metric_columns
from robustbandits.reports.table import Cell, Column, Table

#: Difference in regret per round that counts as recovered if uniform play's regret is unknown.
TOLERANCE = 0.001
#: Columns from left to right; further metrics of the registry follow.
ORDER = (
    "budget",
    "spent",
    "on contexts",
    "seeds that spent all",
    "rounds attacked",
    "began by round",
    "ended in round",
    "recovered",
    "median recovery",
    "mean recovery",
    "clipped proposals",
    "bad proposals",
)

BEGAN = "Began by round: the first recorded round by which any seed had been attacked."
RECOVERY = (
    "Recovered: the share of the attacked seeds whose regret per round came back to its level "
    "without attack before the game ended. Median (Kaplan-Meier) and mean recovery: rounds from "
    "the last attacked round to recovery; the mean counts up to the longest time observed, and the "
    "median is ∞ if fewer than half recovered."
)


def audit_table(games: GroupedGames) -> Table:
    """Return a row for each policy under each attack."""
    groups = games.attacked()
    attacks = [games.spec.attacks[labels.attack] for labels in groups]
    recoveries = [_recovery(games, labels, group) for labels, group in groups.items()]
    recovered = estimate_means([found.recovered.astype(np.float64) for found in recoveries])
    gaps = [games.gaps.get(labels.environment) for labels in groups]
    cells: dict[Column, list[Cell]] = {
        Column("budget"): [attack.budget for attack in attacks],
        Column("seeds that spent all"): [
            sum(spent_all(attack, ledger.spent) for ledger in group)
            for attack, group in zip(attacks, groups.values(), strict=True)
        ],
        Column("began by round"): [_first_attack(group) for group in groups.values()],
        Column("recovered", "estimate"): list(recovered),
        Column("median recovery"): [found.median for found in recoveries],
        Column("mean recovery"): [found.restricted_mean for found in recoveries],
    }
    metrics = metric_columns(AUDIT, [(group,) for group in groups.values()], gaps)
    cells |= metrics
    columns = label_columns(list(groups))
    columns |= {column: cells[column] for column in sorted(cells, key=_position)}
    notes = [f"Means over seeds, with 95 % bootstrap intervals. {explain(AUDIT, metrics)} {BEGAN}"]
    if games.clean_attack is None:
        notes.append("Recovery is unknown, because no game was played without attack.")
    else:
        notes.append(RECOVERY)
    return Table.from_columns(AUDIT, "What the attacks did", columns, tuple(notes))


def spent_all(attack: Attack, spent: float) -> bool:
    """Whether the budget is used up, apart from rounding errors in the sum of prices."""
    return math.isfinite(attack.budget) and 0.0 < attack.budget <= spent * (1 + 1e-9)


def _recovery(games: GroupedGames, labels: Labels, group: Group) -> Recovery:
    gap = games.gaps.get(labels.environment)
    tolerance = TOLERANCE if gap is None else 0.01 * gap
    return recovery(group, games.without_attack(labels), tolerance=tolerance)


def _first_attack(group: Group) -> int | None:
    """Return the first recorded round by which any seed had been attacked; None if none was."""
    began = [
        int(ledger.rounds[attacked.argmax()])
        for ledger in group
        if (attacked := ledger.attacked_so_far > 0).any()
    ]
    return min(began, default=None)


def _position(column: Column) -> int:
    return ORDER.index(column.head) if column.head in ORDER else len(ORDER)
