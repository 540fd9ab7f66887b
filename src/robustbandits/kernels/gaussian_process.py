"""Gaussian-process regression on a finite set of points, in memory that does not grow.

Measuring one point n times, with noise of variance λ, says what a single measurement of the mean
with variance λ/n says. So all that is ever needed is one count and one sum for each of K points,
and ``W = (K + Λ)⁻¹`` over those measured so far: K the kernel's matrix, Λ = diag(λ/n). W grows by a
row when a point is measured for the first time, and changes by a rank of one when it is measured
again. With p = W ȳ the posterior at a measured point is then a matter of a few multiplications::

    mean = ȳ_a - (λ/n_a) p_a,    variance = (λ/n_a) (1 - (λ/n_a) W_aa)

All of it is exact but for rounding: the posterior is that of the whole history, not of a summary.
Rounding costs about 1e-16/λ, so `MIN_NOISE` is the least λ that is any use.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.scoring import score_columns

#: Least variance of noise: with two points that are alike, rounding decides below.
MIN_NOISE = 1e-6

#: Kernels with k(x, x) = 1. The Matérn ones are named by their smoothness.
KERNELS = ("rbf", "matern-1/2", "matern-3/2", "matern-5/2")
RBF, MATERN_1, MATERN_3, MATERN_5 = range(4)

LOG_DET, COUNT = range(2)


class Posterior(NamedTuple):
    """What measurements say about K points. Rows of points not measured are zero."""

    precision: Floats  # (points, points) W
    pull: Floats  # (points,) W ȳ
    counts: Floats  # (points,)
    sums: Floats  # (points,)
    tally: Floats  # (2,) log det(I + K_history / λ); measurements
    penalty: float  # λ


@kernel
def similarity(kind: int, length: float, xs: Floats, a: int, ys: Floats, b: int) -> float:
    """Kernel of column a of one matrix and column b of another."""
    square = 0.0
    for i in range(xs.shape[0]):
        apart = (xs[i, a] - ys[i, b]) / length
        square += apart * apart
    if kind == RBF:
        return math.exp(-0.5 * square)
    if kind == MATERN_1:
        return math.exp(-math.sqrt(square))
    if kind == MATERN_3:
        root = math.sqrt(3.0 * square)
        return (1.0 + root) * math.exp(-root)
    root = math.sqrt(5.0 * square)
    return (1.0 + root + root * root / 3.0) * math.exp(-root)


@kernel
def predict_measured(post: Posterior, a: int, means: Floats, widths: Floats) -> None:
    """Write the mean at a point that was measured, and its deviation divided by √λ."""
    share = post.penalty / post.counts[a]
    means[a] = post.sums[a] / post.counts[a] - share * post.pull[a]
    rest = 1.0 - share * post.precision[a, a]
    widths[a] = math.sqrt(max(0.0, rest) / post.counts[a])


@program
def predict_new(post: Posterior, rows: Floats, means: Floats, widths: Floats) -> None:
    """Write the means at points never measured, and their deviations divided by √λ.

    ``rows[b, j]`` is the kernel of point b and new point j; only rows of measured points are read.
    """
    points, new = rows.shape
    size = 0
    measured = np.empty(points, dtype=np.int64)
    for b in range(points):
        if post.counts[b] > 0.0:
            measured[size] = b
            size += 1
    precision = np.empty((size, size))
    pull = np.empty(size)
    columns = np.empty((size, new))
    for i in range(size):
        pull[i] = post.pull[measured[i]]
        for j in range(size):
            precision[i, j] = post.precision[measured[i], measured[j]]
        for j in range(new):
            columns[i, j] = rows[measured[i], j]
    score_columns(precision, pull, columns, means, widths)
    for j in range(new):
        widths[j] = math.sqrt(max(0.0, 1.0 - widths[j]) / post.penalty)


@program
def measure(post: Posterior, prior: Floats, a: int, y: float) -> None:
    """Take in one measurement y at point a; ``prior`` is the kernel's matrix."""
    points = post.counts.shape[0]
    line = np.zeros(points)
    count = post.counts[a]
    if count > 0.0:
        share = post.penalty / count
        variance = share * max(0.0, 1.0 - share * post.precision[a, a])
        change = -share / (count + 1.0)
        scale = -change / (1.0 + change * post.precision[a, a])
        for b in range(points):
            line[b] = post.precision[b, a]
    else:
        variance = 1.0
        for b in range(points):
            if post.counts[b] > 0.0:
                for c in range(points):
                    line[b] -= post.precision[b, c] * prior[a, c]
                variance += line[b] * prior[a, b]
        variance = max(0.0, variance)
        line[a] = 1.0
        scale = 1.0 / (variance + post.penalty)
    for b in range(points):
        if line[b] != 0.0:
            for c in range(points):
                post.precision[b, c] += scale * (line[b] * line[c])
    post.counts[a] += 1.0
    post.sums[a] += y
    post.tally[LOG_DET] += math.log1p(variance / post.penalty)
    post.tally[COUNT] += 1.0
    _pull(post)


@kernel
def _pull(post: Posterior) -> None:
    """W times the averages."""
    points = post.counts.shape[0]
    for b in range(points):
        post.pull[b] = 0.0
    for c in range(points):
        if post.counts[c] > 0.0:
            average = post.sums[c] / post.counts[c]
            for b in range(points):
                post.pull[b] += average * post.precision[c, b]
