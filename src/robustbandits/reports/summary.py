"""Summary: a table of mean final regrets, for printing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from robustbandits.game.ledger import Ledger, frame
from robustbandits.metrics.groups import final_regrets, group_by_labels
from robustbandits.metrics.intervals import estimate_means

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Row:
    """One policy in one panel, over all seeds."""

    environment: str
    attack: str
    policy: str
    seeds: int
    regret: float  # mean of the final regret
    low: float  # of its 95 % interval
    high: float
    spent: float
    attacked_rounds: float


class Summary:
    """Final regrets with 95 % bootstrap intervals over seeds. Print it, or use its rows."""

    def __init__(self, rows: Sequence[Row]):
        self.rows = list(rows)

    def to_pandas(self) -> pandas.DataFrame:
        """Rows as a data frame."""
        names = [field.name for field in fields(Row)]
        return frame({name: [getattr(row, name) for row in self.rows] for name in names})

    def __str__(self) -> str:
        heads = ("environment", "attack", "policy", "regret", "95 % interval", "spent")
        body = [
            (
                row.environment,
                row.attack,
                row.policy,
                f"{row.regret:,.0f}",
                interval(row),
                f"{row.spent:,.1f}",
            )
            for row in self.rows
        ]
        return aligned(heads, body, right=(3, 4, 5))

    def __repr__(self) -> str:
        return str(self)


def summarize(ledgers: Sequence[Ledger]) -> Summary:
    """Average final regrets over seeds, in the order in which groups first appear."""
    groups = group_by_labels(ledgers)
    regrets = estimate_means([final_regrets(group) for group in groups.values()])
    rows = [
        Row(
            **labels._asdict(),
            seeds=len(group),
            regret=regret.value,
            low=regret.low,
            high=regret.high,
            spent=float(np.mean([ledger.spent for ledger in group])),
            attacked_rounds=float(np.mean([ledger.attacked_rounds for ledger in group])),
        )
        for (labels, group), regret in zip(groups.items(), regrets, strict=True)
    ]
    return Summary(rows)


def interval(row: Row) -> str:
    """Return the interval as text, or a dash for a single seed."""
    return "-" if np.isnan(row.low) else f"{row.low:,.0f} to {row.high:,.0f}"


def aligned(heads: Sequence[str], body: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Return plain text in aligned columns; those in ``right`` are aligned to the right."""
    table = [tuple(heads), *[tuple(line) for line in body]]
    widths = [max(len(line[i]) for line in table) for i in range(len(heads))]
    lines = [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
