"""Designs of experiments: how often to measure each of a few columns.

A design is a weight for each column, the weights summing to 1. With ``M = Σ w_a x_a x_aᵀ`` it
knows column x to within ``g(x) = xᵀ M⁻¹ x``; the G-optimal design makes the largest g as small as
can be, which is the dimension of the columns' span (Kiefer, Wolfowitz 1960).

Everything happens in *coordinates*: each column is written in terms of a few of them that span the
rest. Those have the identity for a Gram matrix, however long, short or nearly parallel the columns
are, and columns that span less than the whole space need no special care.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats, add_outer, invert

#: A direction along which no column reaches this share of the longest one does not count.
TOLERANCE = 1e-7
#: Most steps of Frank and Wolfe. Within a factor 2 of the optimum needs a few times the dimension.
STEPS = 20_000

Indices = npt.NDArray[np.int64]


@program
def span(columns: Floats, active: Floats, coordinates: Floats, pivots: Indices) -> int:
    """Write active columns in terms of a few of them; return how many that takes.

    Column a is ``Σ_k coordinates[k, a] · columns[:, pivots[k]]``. The few are found greedily: the
    column furthest from the span of those before it comes next.
    """
    dim, count = columns.shape
    rest = columns.copy()
    axis = np.empty(dim)
    rank = 0
    limit = 0.0
    while rank < dim:
        best = -1
        top = limit
        for a in range(count):
            square = 0.0
            for i in range(dim):
                square += rest[i, a] * rest[i, a]
            if active[a] > 0.0 and square > top:
                best = a
                top = square
        if best < 0:
            break
        if rank == 0:
            limit = top * (TOLERANCE * TOLERANCE)
        length = math.sqrt(top)
        for i in range(dim):
            axis[i] = rest[i, best] / length
        for a in range(count):
            along = 0.0
            for i in range(dim):
                along += axis[i] * rest[i, a]
            coordinates[rank, a] = along
            for i in range(dim):
                rest[i, a] -= along * axis[i]
        for i in range(dim):
            rest[i, best] = 0.0  # to the last bit
        pivots[rank] = best
        rank += 1
    _untangle(coordinates, pivots, rank)
    return rank


@kernel
def _untangle(coordinates: Floats, pivots: Indices, rank: int) -> None:
    """Turn coordinates along orthogonal axes into coordinates along the pivots."""
    factor = np.empty((rank, rank))
    for j in range(rank):
        for k in range(rank):
            factor[k, j] = coordinates[k, pivots[j]] if k <= j else 0.0
    for a in range(coordinates.shape[1]):
        for k in range(rank - 1, -1, -1):
            total = coordinates[k, a]
            for j in range(k + 1, rank):
                total -= factor[k, j] * coordinates[j, a]
            coordinates[k, a] = total / factor[k, k]


@program
def g_optimal(
    columns: Floats, active: Floats, slack: float, coordinates: Floats, weights: Floats
) -> int:
    """Write a design on the active columns; return the dimension r of their span.

    By Frank and Wolfe, until no active column has a g above ``(1 + slack) r``. The coordinates of
    :func:`span` are left in ``coordinates``. When all active columns are zero the first of them
    has all the weight, and the dimension is 0.
    """
    dim, count = columns.shape
    pivots = np.empty(dim, dtype=np.int64)
    rank = span(columns, active, coordinates, pivots)
    for a in range(count):
        weights[a] = 0.0
    for k in range(rank):
        weights[pivots[k]] = 1.0 / rank
    if rank == 0:
        for a in range(count):
            if active[a] > 0.0:
                weights[a] = 1.0
                return 0
    inverse = np.zeros((rank, rank))
    reach = np.zeros(count)
    for k in range(rank):
        inverse[k, k] = rank
        for a in range(count):
            reach[a] += rank * (coordinates[k, a] * coordinates[k, a])
    for _ in range(STEPS):
        if not _step(coordinates, active, slack, weights, inverse, reach):
            break
    return rank


@kernel
def _step(
    coordinates: Floats,
    active: Floats,
    slack: float,
    weights: Floats,
    inverse: Floats,
    reach: Floats,
) -> bool:
    """Move weight to the column known least; False when the design is good enough."""
    rank = inverse.shape[0]
    best = -1
    top = (1.0 + slack) * rank
    for a in range(weights.shape[0]):
        if active[a] > 0.0 and reach[a] > top:
            best = a
            top = reach[a]
    if best < 0 or rank == 1:  # on a line the longest column is all there is
        return False
    step = (top / rank - 1.0) / (top - 1.0)
    direction = np.zeros(rank)
    for k in range(rank):
        for j in range(rank):
            direction[k] += inverse[k, j] * coordinates[j, best]
    scale = step / (1.0 - step + step * top)
    grow = 1.0 / (1.0 - step)
    add_outer(inverse, direction, -scale)
    for k in range(rank):
        for j in range(rank):
            inverse[k, j] *= grow
    for a in range(weights.shape[0]):
        along = 0.0
        for k in range(rank):
            along += direction[k] * coordinates[k, a]
        reach[a] = grow * (reach[a] - scale * (along * along))
        weights[a] *= 1.0 - step
    weights[best] += step
    return True


@program
def fit_means(columns: Floats, active: Floats, counts: Floats, sums: Floats, means: Floats) -> int:
    """Least squares on the active columns: write the fitted mean of each, return their dimension.

    Column a was measured ``counts[a]`` times, with results that add up to ``sums[a]``. Returns -1,
    and writes nothing, when the measured columns do not span the active ones.
    """
    dim, count = columns.shape
    coordinates = np.empty((dim, count))
    pivots = np.empty(dim, dtype=np.int64)
    rank = span(columns, active, coordinates, pivots)
    gram = np.zeros((rank, rank))
    moment = np.zeros(rank)
    for a in range(count):
        if active[a] > 0.0 and counts[a] > 0.0:
            for k in range(rank):
                moment[k] += sums[a] * coordinates[k, a]
                weight = counts[a] * coordinates[k, a]
                for j in range(rank):
                    gram[k, j] += weight * coordinates[j, a]
    inverse = np.empty((rank, rank))
    if not invert(gram, inverse):
        return -1
    theta = np.zeros(rank)
    for k in range(rank):
        for j in range(rank):
            theta[k] += inverse[k, j] * moment[j]
    for a in range(count):
        if active[a] > 0.0:
            total = 0.0
            for k in range(rank):
                total += theta[k] * coordinates[k, a]
            means[a] = total
    return rank
