"""Gaussian-process regression on a finite set of points, in memory that does not grow.

Measuring one point n times with noise of variance λ is equivalent to measuring its average once
with variance λ/n. So it is enough to store one count and one sum for each point, and the matrix
``W = (K + Λ)⁻¹`` over the points measured so far, where K is the kernel's matrix and Λ = diag(λ/n).
W grows by a row when a point is measured for the first time, and gets an update of rank one when it
is measured again. With p = W ȳ the posterior at a measured point a is::

    mean = ȳ_a - (λ/n_a) p_a,    variance = (λ/n_a) (1 - (λ/n_a) W_aa)

This is the posterior of the whole history, exact up to rounding errors. They grow with n/λ if two
points are nearly the same; up to `MAX_RATIO` the relative error of variances stays below 1e-6.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.scoring import score_columns

#: Smallest variance of the noise; below it, rounding errors are too large for nearly equal points.
MIN_NOISE = 1e-6
#: Largest ratio of the number of measurements to the variance of the noise.
MAX_RATIO = 1e8

#: Covariance functions (kernels of the process) with k(x, x) = 1. The Matérn ones are named by
#: their smoothness.
KERNELS = ("rbf", "matern-1/2", "matern-3/2", "matern-5/2")
RBF, MATERN_1, MATERN_3, MATERN_5 = range(4)

LOG_DET, COUNT = range(2)


class Posterior(NamedTuple):
    """The measurements of a few points. Rows of points that were not measured are zero."""

    precision: Floats  # (points, points) W
    pull: Floats  # (points,) W ȳ, the coefficients of the posterior mean
    counts: Floats  # (points,)
    sums: Floats  # (points,)
    tally: Floats  # (2,) log det(I + K_history / λ); measurements
    penalty: float  # λ


@kernel
def similarity(kind: int, length: float, xs: Floats, a: int, ys: Floats, b: int) -> float:
    """Return the kernel of column a of one matrix and column b of another."""
    square = 0.0
    for i in range(xs.shape[0]):
        difference = (xs[i, a] - ys[i, b]) / length
        square += difference * difference
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
    """Write the mean at a measured point, and its standard deviation divided by √λ."""
    noise = post.penalty / post.counts[a]
    means[a] = post.sums[a] / post.counts[a] - noise * post.pull[a]
    rest = 1.0 - noise * post.precision[a, a]
    widths[a] = math.sqrt(max(0.0, rest) / post.counts[a])


@program
def predict_new(post: Posterior, rows: Floats, means: Floats, widths: Floats) -> None:
    """Write the means at points never measured, and their standard deviations divided by √λ.

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
    """Add the measurement y at point a; ``prior`` is the kernel's matrix."""
    points = post.counts.shape[0]
    row = np.zeros(points)
    count = post.counts[a]
    if count > 0.0:
        noise = post.penalty / count
        variance = noise * max(0.0, 1.0 - noise * post.precision[a, a])
        change = -noise / (count + 1.0)
        scale = -change / (1.0 + change * post.precision[a, a])
        for b in range(points):
            row[b] = post.precision[b, a]
    else:
        variance = 1.0
        for b in range(points):
            if post.counts[b] > 0.0:
                for c in range(points):
                    row[b] -= post.precision[b, c] * prior[a, c]
                variance += row[b] * prior[a, b]
        variance = max(0.0, variance)
        row[a] = 1.0
        scale = 1.0 / (variance + post.penalty)
    for b in range(points):
        if row[b] != 0.0:
            for c in range(points):
                post.precision[b, c] += scale * (row[b] * row[c])
    post.counts[a] += 1.0
    post.sums[a] += y
    post.tally[LOG_DET] += math.log1p(variance / post.penalty)
    post.tally[COUNT] += 1.0
    _update_pull(post)


@kernel
def _update_pull(post: Posterior) -> None:
    """Compute W times the averages."""
    points = post.counts.shape[0]
    for b in range(points):
        post.pull[b] = 0.0
    for c in range(points):
        if post.counts[c] > 0.0:
            average = post.sums[c] / post.counts[c]
            for b in range(points):
                post.pull[b] += average * post.precision[c, b]
