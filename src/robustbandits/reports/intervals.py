"""Means with 95 % intervals over seeds."""

from __future__ import annotations

import numpy as np
from scipy import stats

from robustbandits.kernels.linalg import Floats


def half_width(values: Floats, level: float = 0.95) -> Floats:
    """Half the width of Student's t interval for the mean over the first axis.

    NaN for a single value: one seed says nothing about the spread.
    """
    count = len(values)
    if count < 2:
        return np.full(values.shape[1:], np.nan)
    quantile = stats.t.ppf(0.5 + level / 2, count - 1)
    width: Floats = quantile * values.std(axis=0, ddof=1) / np.sqrt(count)
    return width
