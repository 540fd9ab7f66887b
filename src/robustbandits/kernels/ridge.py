"""Ridge regression, updated with each observation: what every linear policy is built on.

The inverse is updated by the Sherman–Morrison formula and theta by recursive least squares, which
gives the same vector as ``inverse @ moment`` in O(dim). Measured against its largest entry, the
inverse keeps nine digits over ten million observations. But along an arm that was played n times
the inverse is smaller than its largest entry by the factor ``n ‖x‖² / penalty``, and rounding
errors add up there. The sums have the opposite errors: they are precise along such an arm, and
imprecise where there are few observations. So where the inverse is in doubt, it is corrected from
the sums, only in the span of contexts with many observations (docs/decisions/0010).

An observation can be taken out again: Sherman–Morrison with a negative weight. That divides by
``1 - xᵀ V⁻¹ x``, which is small if the observation was the only one in its direction, and every
removal multiplies rounding errors by up to the inverse of it. So `forget` returns False if it is
below `SAFE`, and a policy that removes many observations calls `replay` from time to time, which
starts again and learns the remaining ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats, add_outer, copy, dot, invert, multiply
from robustbandits.kernels.size_limit import check_array_size

#: Positions in a tally.
COUNT, LOG_DET, ENERGY = 0, 1, 2

#: Smallest ``1 - xᵀ V⁻¹ x`` at which x is removed. With contexts no longer than 1 it is never
#: smaller if the penalty is above 0.0102. With a smaller penalty, about dim observations of a
#: window can be the only ones in their direction, so `forget` rarely returns False, however long
#: the window is.
SAFE = 0.01


#: Largest ratio of ``n ‖x‖²`` to the penalty that is accepted: float64 has 16 digits.
MAX_CONDITION = 4e8
#: The inverse is compared with the sums if the penalty is below ``doubt · trace(gram)``. The doubt
#: is `DOUBTFUL` or, after n observations, ``DRIFT · max(20, dim) · n``, whichever is larger. With a
#: penalty of 0.1 and up to 20 dimensions, that is from 1.05 million observations of contexts of
#: length 1 on.
DOUBTFUL = 3e-8
DRIFT = 4.5e-15
#: Largest relative rounding error of an addition.
ROUNDING = 2.0**-53
#: Relative difference from the sums at which the inverse is corrected.
TOLERANCE = 2e-7
#: Relative difference from the sums at which the inverse is computed again.
HOPELESS = 0.1


class Ridge(NamedTuple):
    """A ridge regression in progress, for the state of a policy.

    :func:`start_ridge` makes one, :func:`observe` adds an observation. The estimated mean at x is
    ``theta·x``, and its variance, in units of the noise, is ``xᵀ inverse x``.
    """

    inverse: Floats  # (dim, dim) inverse of `gram`
    gram: Floats  # (dim, dim) penalty * I + sum of w x xᵀ
    moment: Floats  # (dim,) sum of w y x
    theta: Floats  # (dim,) estimate, inverse @ moment
    tally: Floats  # (3,) observations; log det(gram) - log det(penalty * I); sum of w xᵀ inverse x
    penalty: float


def start_ridge(dim: int, penalty: float) -> Ridge:
    """Return a regression without observations; the penalty must be above 0.

    Let c be the sum of the weights of a million observations times the largest ``‖x‖²``, divided by
    the penalty. Up to c = `MAX_CONDITION` the relative error of the squared widths of observed
    contexts is below 1e-6, and so is that of theta if rewards do not change their mean. For rewards
    that do, theta is that precise up to c = 1e6. For larger errors see docs/decisions/0010: of
    theta, and of widths between c = 1e6 and 1.1e7, which were up to 2.4e-6.
    """
    check_array_size(dim, dim)
    return Ridge(
        inverse=np.eye(dim) * (1.0 / penalty),
        gram=np.eye(dim) * penalty,
        moment=np.zeros(dim),
        theta=np.zeros(dim),
        tally=np.zeros(3),
        penalty=float(penalty),
    )


@program
def reset_ridge(ridge: Ridge) -> None:
    """Forget all observations."""
    dim = ridge.theta.shape[0]
    for i in range(dim):
        ridge.moment[i] = 0.0
        ridge.theta[i] = 0.0
        for j in range(dim):
            ridge.inverse[i, j] = 0.0
            ridge.gram[i, j] = 0.0
        ridge.inverse[i, i] = 1.0 / ridge.penalty
        ridge.gram[i, i] = ridge.penalty
    for i in range(3):
        ridge.tally[i] = 0.0


# ------------------------------------------------------------------------- adding an observation


@kernel
def observe(ridge: Ridge, x: Floats, y: float, weight: float) -> None:
    """Add the observation ``y`` at ``x`` with a weight, usually 1.0."""
    direction = np.empty(x.shape[0])
    multiply(ridge.inverse, x, direction)
    absorb(ridge, x, y, weight, direction, dot(x, direction))


@kernel
def observe_cautiously(ridge: Ridge, x: Floats, y: float, caution: float) -> None:
    """Add the observation ``y`` at ``x`` with the weight ``min(1, caution / width)``.

    The width of x is √(xᵀ V⁻¹ x) before the observation. No observation then moves the estimate, in
    the norm of V, by more than ``caution`` times its own error.
    """
    direction = np.empty(x.shape[0])
    multiply(ridge.inverse, x, direction)
    leverage = dot(x, direction)
    width = math.sqrt(max(0.0, leverage))
    weight = caution / width if width > caution else 1.0
    absorb(ridge, x, y, weight, direction, leverage)


@kernel
def absorb(
    ridge: Ridge, x: Floats, y: float, weight: float, direction: Floats, leverage: float
) -> None:
    """Add ``y`` at ``x``, given the direction ``inverse @ x`` and its product with x."""
    residual = y - dot(x, ridge.theta)
    shrink = weight / (1.0 + weight * leverage)
    add_outer(ridge.inverse, direction, -shrink)
    add_outer(ridge.gram, x, weight)
    step = shrink * residual
    gain = weight * y
    for i in range(x.shape[0]):
        ridge.theta[i] += step * direction[i]
        ridge.moment[i] += gain * x[i]
    ridge.tally[COUNT] += 1.0
    ridge.tally[LOG_DET] += math.log1p(weight * leverage)
    ridge.tally[ENERGY] += weight * leverage
    doubt = max(DOUBTFUL, DRIFT * max(20, x.shape[0]) * ridge.tally[COUNT])
    trace = 0.0
    for i in range(x.shape[0]):
        trace += ridge.gram[i, i]
    if not (leverage >= 0.0 and ridge.penalty >= doubt * trace):
        correct(ridge, x, leverage)


@program
def correct(ridge: Ridge, x: Floats, leverage: float) -> None:
    """Make the inverse agree with the sums wherever there are many observations, if it does not.

    Two columns of the sums are compared: that of the largest diagonal entry and that of the largest
    entry of x. If an arm has more observations than x, the first finds what is wrong with it.
    """
    largest, longest = 0, 0
    for i in range(1, x.shape[0]):
        if ridge.gram[i, i] > ridge.gram[largest, largest]:
            largest = i
        if abs(x[i]) > abs(x[longest]):
            longest = i
    noise = ROUNDING * ridge.tally[COUNT] / TOLERANCE
    floor = noise * (ridge.gram[largest, largest] - ridge.penalty)
    error = max(_error_at(ridge, largest, floor), _error_at(ridge, longest, floor))
    if not (leverage >= 0.0 and error < HOPELESS):
        rebuild(ridge)  # impossible in exact arithmetic
    elif error > TOLERANCE:
        _correct_span(ridge, floor)


@kernel
def _error_at(ridge: Ridge, column: int, floor: float) -> float:
    """Return by how much inverse and sums differ along a column of ``gram - penalty * I``.

    In exact arithmetic, d = ``inverse @ target`` has dᵀ gram d = targetᵀ d. Where the column's
    diagonal entry is not above the floor, the inverse is more precise than the sums.
    """
    dim = ridge.theta.shape[0]
    size = ridge.gram[column, column] - ridge.penalty
    if size <= floor:
        return 0.0
    target = ridge.gram[column].copy()
    target[column] = size
    direction = np.empty(dim)
    image = np.empty(dim)
    multiply(ridge.inverse, target, direction)
    multiply(ridge.gram, direction, image)
    return abs(dot(target, direction) - dot(direction, image)) / size


@program
def _correct_span(ridge: Ridge, floor: float) -> None:
    """Make the inverse agree with the sums in the span of the contexts with many observations.

    The span has a basis with ``basisᵀ inverse basis = I``. With D = ``inverse @ basis``, the matrix
    ``basisᵀ D - Dᵀ gram D`` is zero in exact arithmetic. Adding D times it times Dᵀ to the inverse
    squares the error there, and changes no other direction.
    """
    dim = ridge.theta.shape[0]
    basis = np.empty((dim, dim))
    rank = _well_observed(ridge, floor, basis)
    directions = np.empty((rank, dim))
    images = np.empty((rank, dim))
    for k in range(rank):
        multiply(ridge.inverse, basis[k], directions[k])
        multiply(ridge.gram, directions[k], images[k])
    shares = np.zeros((rank, dim))
    for k in range(rank):
        for m in range(rank):
            change = dot(basis[k], directions[m]) + dot(basis[m], directions[k])
            change -= dot(directions[k], images[m]) + dot(directions[m], images[k])
            for i in range(dim):
                shares[k, i] += 0.5 * change * directions[m, i]
    for i in range(dim):
        for j in range(i + 1):
            for k in range(rank):
                ridge.inverse[i, j] += directions[k, i] * shares[k, j]
            ridge.inverse[j, i] = ridge.inverse[i, j]


@kernel
def _well_observed(ridge: Ridge, floor: float, basis: Floats) -> int:
    """Write a basis of the directions with many observations as rows; return how many there are.

    They are the first rows of the Cholesky factor, with pivoting, of ``gram - penalty * I``.
    """
    dim = ridge.theta.shape[0]
    rest = np.empty(dim)
    for i in range(dim):
        rest[i] = ridge.gram[i, i] - ridge.penalty
    for rank in range(dim):
        pivot = 0
        for i in range(1, dim):
            if rest[i] > rest[pivot]:
                pivot = i
        if not rest[pivot] > floor:
            return rank
        root = math.sqrt(rest[pivot])
        for i in range(dim):
            value = ridge.gram[pivot, i] - (ridge.penalty if i == pivot else 0.0)
            for k in range(rank):
                value -= basis[k, pivot] * basis[k, i]
            basis[rank, i] = value / root
            rest[i] -= basis[rank, i] * basis[rank, i]
        rest[pivot] = 0.0
    return dim


@program
def rebuild(ridge: Ridge) -> None:
    """Compute the inverse and theta from the sums, unless rounding has made the sums singular."""
    dim = ridge.theta.shape[0]
    inverse = np.empty((dim, dim))
    if invert(ridge.gram, inverse):
        copy(inverse, ridge.inverse)
        multiply(ridge.inverse, ridge.moment, ridge.theta)


@program
def refine(ridge: Ridge) -> None:
    """Correct the inverse and then theta by one step each of iterative refinement.

    `rebuild` loses digits if a few directions have many observations: theta is a small difference
    of large products, and so is the squared width of an arm that was played often.
    """
    dim = ridge.theta.shape[0]
    residual, corrections = np.empty(dim), np.empty((dim, dim))
    for k in range(dim):
        multiply(ridge.gram, ridge.inverse[k], residual)
        for i in range(dim):
            residual[i] = (1.0 if i == k else 0.0) - residual[i]
        multiply(ridge.inverse, residual, corrections[k])
    for i in range(dim):
        for j in range(i + 1):
            ridge.inverse[i, j] += 0.5 * (corrections[i, j] + corrections[j, i])
            ridge.inverse[j, i] = ridge.inverse[i, j]
    multiply(ridge.gram, ridge.theta, residual)
    for i in range(dim):
        residual[i] = ridge.moment[i] - residual[i]
    multiply(ridge.inverse, residual, corrections[0])
    for i in range(dim):
        ridge.theta[i] += corrections[0, i]


# ----------------------------------------------------------------------- removing an observation


@program
def forget(ridge: Ridge, x: Floats, y: float) -> bool:
    """Remove an observation of weight 1; return False and change nothing if that is not safe.

    The energy in the tally, a sum over all observations ever made, stays as it is.
    """
    dim = x.shape[0]
    direction = np.empty(dim)
    multiply(ridge.inverse, x, direction)
    leverage = dot(x, direction)
    rest = 1.0 - leverage
    if not (leverage >= 0.0 and rest >= SAFE):
        return False
    step = (y - dot(x, ridge.theta)) / rest
    add_outer(ridge.inverse, direction, 1.0 / rest)
    add_outer(ridge.gram, x, -1.0)
    for i in range(dim):
        ridge.theta[i] -= step * direction[i]
        ridge.moment[i] -= y * x[i]
    ridge.tally[COUNT] -= 1.0
    ridge.tally[LOG_DET] += math.log(rest)
    return True


@program
def replay(ridge: Ridge, rows: Floats, oldest: int, count: int) -> None:
    """Learn the ``count`` rows of a ring buffer again, oldest first; a row is x and then y.

    This leaves the same bits as a fresh regression that observes these rows.
    """
    dim = ridge.theta.shape[0]
    x = np.empty(dim)
    reset_ridge(ridge)
    row = oldest
    for _ in range(count):
        for i in range(dim):
            x[i] = rows[row, i]
        observe(ridge, x, rows[row, dim], 1.0)
        row += 1
        if row == count:
            row = 0


# ---------------------------------------------------------------------------- several regressions


class Ridges(NamedTuple):
    """Several ridge regressions of one size; the first axis of each array numbers them."""

    inverse: Floats  # (count, dim, dim)
    gram: Floats  # (count, dim, dim)
    moment: Floats  # (count, dim)
    theta: Floats  # (count, dim)
    tally: Floats  # (count, 3)
    penalty: float


def start_ridges(count: int, dim: int, penalty: float) -> Ridges:
    """Return regressions without observations."""
    check_array_size(count, dim, dim)
    eye = np.eye(dim)
    return Ridges(
        inverse=np.tile(eye * (1.0 / penalty), (count, 1, 1)),
        gram=np.tile(eye * penalty, (count, 1, 1)),
        moment=np.zeros((count, dim)),
        theta=np.zeros((count, dim)),
        tally=np.zeros((count, 3)),
        penalty=float(penalty),
    )


@kernel
def ridge_at(ridges: Ridges, index: int) -> Ridge:
    """Return one of the regressions; it shares its memory with them."""
    return Ridge(
        ridges.inverse[index],
        ridges.gram[index],
        ridges.moment[index],
        ridges.theta[index],
        ridges.tally[index],
        ridges.penalty,
    )


@program
def reset_ridges(ridges: Ridges) -> None:
    """Forget all observations of all regressions."""
    for index in range(ridges.inverse.shape[0]):
        reset_ridge(ridge_at(ridges, index))
