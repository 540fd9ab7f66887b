"""Bootstrap intervals over seeds.

Seeds are resampled, not games: a resample takes the same seeds for every policy and attack, so
what the games of a match share is shared in the resample too (a paired bootstrap). The random
stream is fixed: the same results always give the same intervals.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.estimate import UNKNOWN, Estimate

#: How often seeds are resampled, and the level of the intervals.
RESAMPLES = 2000
LEVEL = 0.95

#: Resamples drawn at a time: some megabytes, which is also the fastest.
BATCH = 200

_SEED = 20_220_328  # any number would do, as long as it stays

Statistic = Callable[..., Floats]  # (*samples, axis) -> the statistic along the axis


def estimate_mean(values: Sequence[float] | Floats) -> Estimate:
    """Return the mean of one value a seed, with its interval."""
    return estimate_means([np.asarray(values, dtype=np.float64)])[0]


def estimate_means(rows: Sequence[Floats]) -> list[Estimate]:
    """Return the mean of each row (one value a seed), with its interval, BCa by `scipy`.

    Many rows at once cost little more than one. A row of one seed has no interval; a row of equal
    values has one without width; a row with a NaN is unknown.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals".
    """
    answers = [UNKNOWN] * len(rows)
    by_size: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        by_size.setdefault(len(row), []).append(i)
    for size, members in by_size.items():
        if size > 0:
            table = np.array([rows[i] for i in members], dtype=np.float64)
            for i, answer in zip(members, _means_of_a_table(table), strict=True):
                answers[i] = answer
    return answers


def _means_of_a_table(table: Floats) -> list[Estimate]:
    center = table.mean(axis=1)
    low, high = center.copy(), center.copy()
    if table.shape[1] < 2:
        low[:] = high[:] = np.nan
    # Standard scores have the same interval but for place and scale, and cannot under- or overflow.
    scale = table.std(axis=1)
    spread = np.isfinite(scale) & (scale > 1e-14 * np.abs(center)) & (table.shape[1] > 1)
    if spread.any():
        scores = (table[spread] - center[spread, None]) / scale[spread, None]
        ends = _ends((scores,), np.mean, "BCa")
        rough = np.isnan(ends).any(axis=0)
        if rough.any():  # BCa has no answer where its correction is infinite
            ends[:, rough] = _ends((scores[rough],), np.mean, "percentile")
        low[spread] = center[spread] + scale[spread] * ends[0]
        high[spread] = center[spread] + scale[spread] * ends[1]
    return [Estimate(*map(float, line)) for line in zip(center, low, high, strict=True)]


def estimate_statistic(samples: Sequence[Floats], statistic: Statistic) -> list[Estimate]:
    """Return any statistic of paired samples, with its percentile interval.

    Parameters
    ----------
    samples
        Arrays ``(rows, seeds)`` of equal shape; a resample takes the same seeds from all of them.
    statistic
        ``statistic(*samples, axis=...)`` must reduce that axis of arrays of any shape.
    """
    values = np.atleast_1d(statistic(*samples, axis=-1)).astype(np.float64)
    ends = np.full((2, len(values)), np.nan)
    if samples[0].shape[-1] > 1:
        ends = _ends(tuple(samples), statistic, "percentile")
    return [Estimate(*map(float, line)) for line in zip(values, *ends, strict=True)]


def estimate_statistics(rows: Sequence[Sequence[Floats]], statistic: Statistic) -> list[Estimate]:
    """Return a statistic of each row of paired samples; rows of one size are resampled at once.

    A row without samples or without seeds is unknown.
    """
    answers = [UNKNOWN] * len(rows)
    by_shape: dict[tuple[int, int], list[int]] = {}
    for i, row in enumerate(rows):
        if len(row) and len(row[0]):
            by_shape.setdefault((len(row), len(row[0])), []).append(i)
    for (count, _), members in by_shape.items():
        samples = [np.array([rows[i][k] for i in members]) for k in range(count)]
        for i, answer in zip(members, estimate_statistic(samples, statistic), strict=True):
            answers[i] = answer
    return answers


def _ends(samples: tuple[Floats, ...], statistic: Statistic, method: str) -> Floats:
    from scipy import stats

    with warnings.catch_warnings():  # a statistic may be undefined in a resample: NaN says it
        warnings.simplefilter("ignore")
        outcome = stats.bootstrap(
            samples,
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
