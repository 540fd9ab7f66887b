"""Estimates over seeds: a number with its 95 % interval.

Tables use bootstrap intervals, the bands of regret curves Student's t. The bootstrap resamples
seeds, not games: a resample takes the same seeds for every policy and attack, so games of one match
stay paired. The random stream is fixed, so equal results always give equal intervals.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from robustbandits.kernels.linalg import Floats

#: Number of bootstrap resamples, and the level of all intervals.
RESAMPLES = 2000
LEVEL = 0.95
#: Resamples drawn at a time: a few megabytes, and the fastest size measured.
BATCH = 200

_SEED = 20_220_328  # arbitrary, but changing it would change every interval

Statistic = Callable[..., Floats]  # statistic(*samples, axis=...) reduces that axis


class Estimate(NamedTuple):
    """A number and the ends of its 95 % interval; the ends are NaN if the spread is unknown."""

    value: float
    low: float
    high: float

    @property
    def has_interval(self) -> bool:
        """Whether both ends are known. They are not for a single seed."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def covers(self, number: float, margin: float = 0.0) -> bool:
        """Whether a number lies in the interval, widened by a margin on both sides."""
        return self.low - margin <= number <= self.high + margin


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def half_width(values: Floats) -> Floats:
    """Return half the width of Student's t interval for the mean over the first axis.

    NaN for a single value, which says nothing about the spread.
    """
    from scipy import stats

    count = len(values)
    if count < 2:
        return np.full(values.shape[1:], np.nan)
    quantile = stats.t.ppf(0.5 + LEVEL / 2, count - 1)
    width: Floats = quantile * values.std(axis=0, ddof=1) / np.sqrt(count)
    return width


def estimate_mean(values: Sequence[float] | Floats) -> Estimate:
    """Return the mean of one value per seed, with its interval."""
    return estimate_means([np.asarray(values, dtype=np.float64)])[0]


def estimate_means(rows: Sequence[Floats]) -> list[Estimate]:
    """Return the mean of each row (one value per seed) with its BCa bootstrap interval.

    Many rows at once cost little more than one. A row of a single seed has no interval, a row of
    equal values has an interval of width 0, and a row with a NaN is unknown.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals".
    """
    return _in_batches([(row,) for row in rows], _means)


def estimate_statistics(rows: Sequence[Sequence[Floats]], statistic: Statistic) -> list[Estimate]:
    """Return a statistic of each row of paired samples with its percentile bootstrap interval.

    Parameters
    ----------
    rows
        Each row has one or more samples of the same seeds. A row without seeds is unknown.
    statistic
        ``statistic(*samples, axis=...)`` must reduce that axis of arrays of any shape.
    """

    def estimate(samples: Sequence[Floats]) -> list[Estimate]:
        values = np.atleast_1d(statistic(*samples, axis=-1)).astype(np.float64)
        ends = np.full((2, len(values)), np.nan)
        if samples[0].shape[-1] > 1:
            ends = _ends(samples, statistic, "percentile")
        return _estimates(values, *ends)

    return _in_batches(rows, estimate)


def _in_batches(
    rows: Sequence[Sequence[Floats]], estimate: Callable[[Sequence[Floats]], list[Estimate]]
) -> list[Estimate]:
    """Estimate the rows of each shape together, as samples of shape ``(rows, seeds)``."""
    estimates = [UNKNOWN] * len(rows)
    by_shape: dict[tuple[int, int], list[int]] = {}
    for i, row in enumerate(rows):
        if len(row) and len(row[0]):
            by_shape.setdefault((len(row), len(row[0])), []).append(i)
    for (count, _), members in by_shape.items():
        samples = [np.array([rows[i][k] for i in members], dtype=np.float64) for k in range(count)]
        for i, found in zip(members, estimate(samples), strict=True):
            estimates[i] = found
    return estimates


def _means(samples: Sequence[Floats]) -> list[Estimate]:
    (table,) = samples
    center = table.mean(axis=1)
    low, high = center.copy(), center.copy()
    if table.shape[1] < 2:
        low[:] = high[:] = np.nan
    # Standard scores have the same interval up to shift and scale, and cannot under- or overflow.
    scale = table.std(axis=1)
    spread = np.isfinite(scale) & (scale > 1e-14 * np.abs(center)) & (table.shape[1] > 1)
    if spread.any():
        scores = (table[spread] - center[spread, None]) / scale[spread, None]
        ends = _ends((scores,), np.mean, "BCa")
        undefined = np.isnan(ends).any(axis=0)
        if undefined.any():  # where the correction of BCa is infinite
            ends[:, undefined] = _ends((scores[undefined],), np.mean, "percentile")
        low[spread] = center[spread] + scale[spread] * ends[0]
        high[spread] = center[spread] + scale[spread] * ends[1]
    return _estimates(center, low, high)


def _estimates(values: Floats, low: Floats, high: Floats) -> list[Estimate]:
    return [Estimate(*map(float, parts)) for parts in zip(values, low, high, strict=True)]


def _ends(samples: Sequence[Floats], statistic: Statistic, method: str) -> Floats:
    from scipy import stats

    with warnings.catch_warnings():  # NaN already marks a statistic undefined in a resample
        warnings.simplefilter("ignore")
        outcome = stats.bootstrap(
            tuple(samples),
            statistic,
            paired=True,
            vectorized=True,
            axis=-1,
            n_resamples=RESAMPLES,
            batch=BATCH,
            confidence_level=LEVEL,
            method=method,
            random_state=np.random.default_rng(_SEED),
        )
    interval = outcome.confidence_interval
    return np.array([np.atleast_1d(interval.low), np.atleast_1d(interval.high)])
