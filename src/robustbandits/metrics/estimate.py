"""An estimate: a number with its interval."""

from __future__ import annotations

import math
from typing import NamedTuple


class Estimate(NamedTuple):
    """A number and the ends of its 95 % interval; the ends are NaN if the spread is unknown."""

    value: float
    low: float
    high: float

    @property
    def has_interval(self) -> bool:
        """Whether the spread is known: one seed says nothing about it."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def covers(self, number: float, margin: float = 0.0) -> bool:
        """Whether a number lies in the interval, widened by a margin on both sides."""
        return self.low - margin <= number <= self.high + margin


#: Nothing is known.
UNKNOWN = Estimate(math.nan, math.nan, math.nan)
