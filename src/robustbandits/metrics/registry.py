"""The registry of metrics: which numbers reports and documents show, and how each is computed.

A metric is a function that returns one value per seed, and the line above it. Ours are in
``regret.py``, ``damage.py`` and ``audit.py``; anybody may register more::

    @metric(REGRET, "late rate", unit="regret per round")
    def late_rate(ledgers): ...

It then has a column in its table of every report, a row in the documents, and a name in
:mod:`robustbandits.metrics`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics import intervals
from robustbandits.metrics.intervals import Estimate

#: The tables of a report that show metrics, and what the metrics of each are computed from.
REGRET = "final-regret"  # the games of a group
DAMAGE = "excess-regret"  # the attacked games of a policy, and its games without attack
PRICE = "price-of-robustness"  # the games of a policy and of the reference policy, without attack
AUDIT = "audit"  # the attacked games of a policy

TABLES = (REGRET, DAMAGE, PRICE, AUDIT)

Samples = Floats | tuple[Floats, ...]


@dataclass(frozen=True)
class Metric:
    """A statistic over seeds. Call it with groups of ledgers to get an :class:`Estimate`."""

    name: str
    meaning: str  # a phrase that says what it is
    by_seed: Callable[..., Samples]  # returns one value per seed, or several paired samples
    table: str  # the table of the report that shows it
    head: str  # the head of its column there
    unit: str = "regret"
    better: str = "lower"  # or "higher", or "neither"
    statistic: intervals.Statistic = np.mean
    interval: bool = True  # whether the table shows the interval
    fewest_seeds: int = 2  # with fewer seeds the table does not show the interval
    share_head: str = ""  # head of a second column: the value divided by random play's regret
    share_meaning: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.by_seed.__doc__)

    def __call__(self, *groups: Sequence[Ledger], **options: Any) -> Estimate:
        """Return the statistic with its interval; options are those of ``by_seed``."""
        return self.estimates([self.by_seed(*groups, **options)])[0]

    def estimates(self, rows: Sequence[Samples]) -> list[Estimate]:
        """Return the statistic of each row, where a row is what ``by_seed`` returned."""
        samples = [row if isinstance(row, tuple) else (row,) for row in rows]
        if self.statistic is np.mean:
            return intervals.estimate_means([values for (values,) in samples])
        return intervals.estimate_statistics(samples, self.statistic)


METRICS: dict[str, Metric] = {}


def metric(table: str, head: str, **options: Any) -> Callable[[Callable[..., Samples]], Metric]:
    """Register a per-seed function as a metric: a column of a report's table.

    The function gets groups of ledgers, one ledger per seed, and returns an array with one value
    per seed. The table decides which groups: ``REGRET`` (the games of a policy), ``AUDIT`` (its
    attacked games), ``DAMAGE`` (its attacked games, and those without attack), ``PRICE`` (games
    without attack, and those of the reference policy). The first line of its docstring, without
    "Return", says what the metric is.

    Parameters
    ----------
    table
        ``REGRET``, ``DAMAGE``, ``PRICE`` or ``AUDIT``.
    head
        Head of the column.
    options
        Other fields of :class:`Metric`, such as ``unit`` and ``better``.
    """
    if table not in TABLES:
        raise ValueError(f"table must be one of {', '.join(map(repr, TABLES))}; got {table!r}")

    def register(by_seed: Callable[..., Samples]) -> Metric:
        name = by_seed.__name__
        _refuse_duplicate(name, table, head, by_seed.__module__)
        summary = (by_seed.__doc__ or "").partition("\n")[0]
        meaning = summary.removeprefix("Return ").removesuffix(".")
        METRICS[name] = Metric(name, meaning, by_seed, table, head, **options)
        return METRICS[name]

    return register


def _refuse_duplicate(name: str, table: str, head: str, module: str) -> None:
    """Raise ValueError if a metric would replace one of another module, or one with its head."""
    for found in METRICS.values():
        if found.name == name and found.by_seed.__module__ != module:
            raise ValueError(f"there is already a metric {name!r}; choose another name")
        if found.name != name and (found.table, found.head) == (table, head):
            raise ValueError(
                f"the table {table!r} already has a column {head!r}; choose another head"
            )


def metrics_of(table: str) -> list[Metric]:
    """Return the metrics that a table of the report shows, in order."""
    return [found for found in METRICS.values() if found.table == table]
