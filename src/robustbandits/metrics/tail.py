"""The tail over seeds: means hide that some runs are hijacked and others are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_statistic
from robustbandits.metrics.estimate import UNKNOWN, Estimate
from robustbandits.metrics.groups import final_regrets

#: Which tail: the worst tenth of the seeds.
TAIL = 0.9


def mean_of_worst(values: Floats, axis: Any = -1, level: float = TAIL) -> Floats:
    """Return the mean of the worst ``1 - level`` of the values along the last axis."""
    if axis not in (-1, np.ndim(values) - 1):
        raise ValueError(f"axis must be the last one, got {axis!r}")
    count = np.shape(values)[-1]
    share = (1.0 - level) * count
    # A value on the edge of the tail counts in part.
    weights = np.clip(share - np.arange(count), 0.0, 1.0)
    worst: Floats = -np.sort(-np.asarray(values), axis=-1)
    return (worst * (weights / weights.sum())).sum(axis=-1)


def tail_regret(ledgers: Sequence[Ledger]) -> Estimate:
    """Return the conditional value at risk of the final regret over seeds.

    ``CVaR_0.9 = min_z { z + mean_i max(R_T^i - z, 0) / (1 - 0.9) }``: the mean of the worst tenth
    of the seeds, the worst seed if there are ten or fewer. Report it from 20 seeds on.
    """
    if not ledgers:
        return UNKNOWN
    return estimate_statistic((final_regrets(ledgers)[None],), mean_of_worst)[0]
