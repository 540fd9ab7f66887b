"""What a mean of a few runs could be, given our runs; and Holm's correction for many comparisons.

A published number is a mean of 10 runs, with noise of its own. So we do not ask whether it lies in
the interval of *our* mean, but whether a mean of 10 runs of our game could be that number. With n
runs of our own, their mean m and standard deviation s, the quantity that does not depend on the
unknown mean and spread is ``(mean of 10 new runs - m) / s``. Its distribution is

- with fewer than 30 runs, Student's t with n - 1 degrees of freedom times ``sqrt(1/10 + 1/n)``,
  which is exact for normal runs;
- with 30 or more, the bootstrap's: n runs and 10 runs are drawn from ours with replacement, again
  and again. It follows the shape of our runs, for example if they are skewed.

A number that was read off a figure also has a reading error, which is added as a uniform one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.intervals import LEVEL

#: With so many runs of our own, their shape is known well enough for the bootstrap.
ENOUGH_FOR_BOOTSTRAP = 30
#: Size of the sample that stands for a predictive distribution.
DRAWS = 40_000
_BATCH = 2000  # resamples at a time: a few megabytes

_SEED = 20_220_328  # arbitrary, but changing it would change every verdict


def predict_means(values: Floats, runs: int, reading_error: float = 0.0) -> Floats:
    """Return a sorted sample of what a mean of new runs could be read as.

    Parameters
    ----------
    values
        One result for each run of our own; at least two.
    runs
        The number of new runs.
    reading_error
        The largest error with which the mean is read; all errors up to it are equally likely.
    """
    count = len(values)
    if count < 2:
        raise ValueError(f"values must have at least 2 runs to show their spread, got {count}")
    center, spread = values.mean(), values.std(ddof=1)
    ratios = np.zeros(DRAWS)
    if spread > 1e-14 * abs(center):
        if count < ENOUGH_FOR_BOOTSTRAP:
            ratios = _student_ratios(count, runs)
        else:
            ratios = _bootstrap_ratios((values - center) / spread, runs)
    errors = np.random.default_rng(_SEED).uniform(-reading_error, reading_error, DRAWS)
    return np.sort(center + spread * ratios + errors)


def central_range(sample: Floats) -> tuple[float, float]:
    """Return the ends of the central 95 % of a sample."""
    low, high = np.quantile(sample, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return float(low), float(high)


def quantile_of(number: float, sample: Floats) -> float:
    """Return the share of a sorted sample below a number, never quite 0 or 1; ties count half."""
    below = np.searchsorted(sample, number, "left") + np.searchsorted(sample, number, "right")
    return float((below + 1) / (2 * len(sample) + 2))


def two_sided(quantile: float) -> float:
    """Return the p-value of a quantile: how likely a number at least as extreme is."""
    return 2 * min(quantile, 1 - quantile)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values that account for the number of comparisons, by Holm's method.

    If no number differs, the chance that any adjusted p-value is below 0.05 is at most 5 %, however
    the numbers depend on each other.

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure".

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


@cache  # these quantiles take longer than everything else
def _student_ratios(count: int, runs: int) -> Floats:
    from scipy import stats

    probabilities = (np.arange(DRAWS) + 0.5) / DRAWS
    ratios: Floats = stats.t.ppf(probabilities, count - 1) * math.sqrt(1 / runs + 1 / count)
    return ratios


def _bootstrap_ratios(scores: Floats, runs: int) -> Floats:
    """Return ``(mean of new runs - mean) / standard deviation`` in resamples of standard scores."""
    rng = np.random.default_rng(_SEED + 1)
    count = len(scores)
    ratios = np.empty(DRAWS)
    for start in range(0, DRAWS, _BATCH):
        ours = scores[rng.integers(count, size=(_BATCH, count))]
        new = scores[rng.integers(count, size=(_BATCH, runs))]
        # A resample of equal runs has no spread; a tiny one in its place makes differences extreme.
        spread = np.maximum(ours.std(axis=1, ddof=1), 1e-9)
        ratios[start : start + _BATCH] = (new.mean(axis=1) - ours.mean(axis=1)) / spread
    return ratios
