"""Optimal designs of experiments: how often to measure each of a few columns.

A design is a weight for each column; the weights sum to 1. With ``M = Σ w_a x_a x_aᵀ``, a design
leaves the variance ``g(x) = xᵀ M⁻¹ x`` at column x. The G-optimal design makes the largest g as
small as possible: it is then the dimension of the columns' span (Kiefer, Wolfowitz 1960).

All computations use *coordinates*: each column is written as a combination of a few columns, the
pivots, that span all of them. In these coordinates the Gram matrix of the pivots is the identity,
however long, short or nearly parallel the columns are, and columns that do not span the whole space
need no special treatment.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats, add_outer, invert

#: A direction is ignored if no column extends along it by more than this share of the length of the
#: longest column.
TOLERANCE = 1e-7
#: Largest number of Frank–Wolfe steps. A few steps per dimension are enough for a factor of 2.
MAX_STEPS = 20_000

Indices = npt.NDArray[np.int64]


@program
def span(columns: Floats, active: Floats, coordinates: Floats, pivots: Indices) -> int:
    """Write active columns as combinations of a few of them, the pivots; return their number.

    Columns with a positive entry in ``active`` are active.
    Column a is ``Σ_k coordinates[k, a] · columns[:, pivots[k]]``. Each pivot is the column that is
    furthest from the span of the pivots before it.
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
            rest[i, best] = 0.0  # exactly, where rounding errors may have left a small number
        pivots[rank] = best
        rank += 1
    _solve_for_pivots(coordinates, pivots, rank)
    return rank


@kernel
def _solve_for_pivots(coordinates: Floats, pivots: Indices, rank: int) -> None:
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
    """Write a design for the active columns; return the dimension r of their span.

    Frank–Wolfe steps are taken until no active column has a g above ``(1 + slack) r``. The
    coordinates of :func:`span` are left in ``coordinates``. If all active columns are zero, the
    first of them gets all the weight, and the dimension is 0.
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
    variances = np.zeros(count)
    for k in range(rank):
        inverse[k, k] = rank
        for a in range(count):
            variances[a] += rank * (coordinates[k, a] * coordinates[k, a])
    for _ in range(MAX_STEPS):
        if not _frank_wolfe_step(coordinates, active, slack, weights, inverse, variances):
            break
    return rank


@kernel
def _frank_wolfe_step(
    coordinates: Floats,
    active: Floats,
    slack: float,
    weights: Floats,
    inverse: Floats,
    variances: Floats,
) -> bool:
    """Move weight to the column with the largest g; return False if the design is good enough."""
    rank = inverse.shape[0]
    best = -1
    top = (1.0 + slack) * rank
    for a in range(weights.shape[0]):
        if active[a] > 0.0 and variances[a] > top:
            best = a
            top = variances[a]
    if best < 0 or rank == 1:  # on a line, all weight is on the longest column already
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
        variances[a] = grow * (variances[a] - scale * (along * along))
        weights[a] *= 1.0 - step
    weights[best] += step
    return True


@program
def fit_means(columns: Floats, active: Floats, counts: Floats, sums: Floats, means: Floats) -> int:
    """Fit means to the active columns by least squares; return the dimension of their span.

    Column a was measured ``counts[a]`` times, with results that add up to ``sums[a]``. If the
    measured columns do not span the active ones, return -1 and write nothing.
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
