"""Columns that tables share: labels, and the metrics that the registry has for a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan

import numpy as np

from robustbandits.metrics import Estimate
from robustbandits.metrics.groups import Group, Labels
from robustbandits.metrics.registry import Metric, Samples, metrics_of
from robustbandits.reports.table import UNKNOWN, Cell, Column, shown

ENVIRONMENT, ATTACK, POLICY = (Column(head, "text") for head in ("environment", "attack", "policy"))

INTERVALS = "Brackets: 95 % bootstrap intervals over seeds, paired."
#: With fewer seeds than this, an interval says little.
ENOUGH_SEEDS = 5
FEW_SEEDS = f"With fewer than {ENOUGH_SEEDS} seeds they are not reliable."


def intervals_note(groups: Iterable[Group]) -> str:
    """Return what the brackets are, with a warning if some group has few seeds."""
    few = any(1 < len(group) < ENOUGH_SEEDS for group in groups)
    return f"{INTERVALS} {FEW_SEEDS}" if few else INTERVALS


def metric_columns(
    table: str, cases: Sequence[tuple[Group, ...]], gaps: Sequence[float | None]
) -> dict[Column, list[Cell]]:
    """Return the columns of a table's metrics, and the cells of each.

    Parameters
    ----------
    table
        A table of the registry, such as ``"final-regret"``.
    cases
        For each row, the groups that the metrics of this table are computed from.
    gaps
        For each row, the regret per round of uniform play, if it is known.
    """
    columns: dict[Column, list[Cell]] = {}
    for metric in metrics_of(table):
        samples = [metric.by_seed(*groups) for groups in cases]
        if metric.interval:
            columns[Column(metric.head, "estimate")] = list(_estimates(metric, samples))
        else:
            columns[Column(metric.head)] = list(_values(metric, samples))
        if metric.share_head:
            values = zip(_values(metric, samples), gaps, strict=True)
            columns[Column(metric.share_head)] = [v / gap if gap else None for v, gap in values]
    return columns


def _values(metric: Metric, samples: Sequence[Samples]) -> list[float]:
    """Return the statistic of each row, without its interval."""
    rows = [row if isinstance(row, tuple) else (row,) for row in samples]
    return [float(metric.statistic(*row, axis=-1)) for row in rows]


def _estimates(metric: Metric, samples: Sequence[Samples]) -> list[Estimate]:
    """Return the statistic of each row, with its interval if there are enough seeds."""
    estimates = metric.estimates(samples)
    counts = [np.shape(row)[-1] for row in samples]
    return [
        found if count >= metric.fewest_seeds else Estimate(found.value, nan, nan)
        for found, count in zip(estimates, counts, strict=True)
    ]


def label_columns(rows: Sequence[Labels]) -> dict[Column, list[Cell]]:
    """Return the columns environment, attack and policy."""
    return {
        ENVIRONMENT: [labels.environment for labels in rows],
        ATTACK: [labels.attack for labels in rows],
        POLICY: [labels.policy for labels in rows],
    }


def explain(table: str, columns: Mapping[Column, Sequence[Cell]]) -> str:
    """Return a sentence on each metric of a table, except for columns without known values."""
    known = {
        column.head
        for column, cells in columns.items()
        if any(shown(cell) != UNKNOWN for cell in cells)
    }
    meanings = [
        pair
        for metric in metrics_of(table)
        for pair in ((metric.head, metric.meaning), (metric.share_head, metric.share_meaning))
    ]
    return " ".join(f"{head.capitalize()}: {text}." for head, text in meanings if head in known)
