"""The policies of a panel, from the lowest regret to the highest."""

from __future__ import annotations

from typing import NamedTuple

from robustbandits.metrics.intervals import half_width
from robustbandits.reports.panels import Panel


class Entry(NamedTuple):
    """A policy, its mean final regret, and half the width of the mean's 95 % interval."""

    policy: str
    mean: float
    half: float  # NaN for a single seed


class Ranking(NamedTuple):
    """The policies of a panel, lowest mean final regret first."""

    entries: list[Entry]

    @property
    def best(self) -> Entry:
        """The policy with the lowest regret."""
        return self.entries[0]

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the lowest regret lies below the intervals of all others."""
        high = self.best.mean + self.best.half
        rest = self.entries[1:]
        return bool(rest) and all(high < entry.mean - entry.half for entry in rest)


def rank(panel: Panel) -> Ranking:
    """Return the policies of a panel in the order of their regret."""
    entries = [
        Entry(policy, float(finals.mean()), float(half_width(finals)))
        for policy, finals in panel.finals.items()
    ]
    return Ranking(sorted(entries, key=lambda entry: entry.mean))
