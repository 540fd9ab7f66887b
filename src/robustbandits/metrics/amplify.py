"""Amplification: regret bought with one unit of budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_statistic
from robustbandits.metrics.estimate import UNKNOWN, Estimate
from robustbandits.metrics.excess import excess_by_seed
from robustbandits.metrics.groups import pair


def ratio_of_means(above: Floats, below: Floats, axis: Any = -1) -> Floats:
    """Return ``mean(above) / mean(below)``; NaN where the denominator is 0."""
    top, bottom = np.mean(above, axis=axis), np.mean(below, axis=axis)
    return np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom != 0.0)


def spent_by_seed(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Floats:
    """Return what the attack spent with each seed that both groups played."""
    return np.array([one.spent for one in pair(attacked, clean)[0]], dtype=np.float64)


def amplification(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Estimate:
    """Return the excess regret for each unit that the attack really spent.

    ``kappa = ER / mean_i spent_i``: the finite-horizon form of "regret linear in C". A robust
    policy keeps it near its bound's constant; a hijacked one has thousands. NaN if nothing was
    spent.
    """
    excess, spent = excess_by_seed(attacked, clean), spent_by_seed(attacked, clean)
    if not len(excess):
        return UNKNOWN
    return estimate_statistic((excess[None], spent[None]), ratio_of_means)[0]
