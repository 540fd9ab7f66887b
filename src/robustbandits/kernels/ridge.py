"""Ridge regression, updated with each observation: what every linear policy is built on.

The inverse is updated by the Sherman–Morrison formula and theta by recursive least squares, which
gives the same vector as ``inverse @ moment`` in O(dim). Measured against its largest entry, the
inverse keeps nine digits over ten million observations. But along an arm that was played n times
the inverse is smaller than its largest entry by the factor ``n ‖x‖² / penalty``, and rounding
errors add up there. The sums have the opposite errors: they are precise along such an arm, and
imprecise where there are few observations. So where the inverse is in doubt, it is corrected from
the sums, only along the context that was just observed (docs/decisions/0010).

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


#: Largest ratio of ``n ‖x‖²`` to the penalty that is precise to 1e-6: float64 has 16 digits.
MAX_CONDITION = 4e8
#: The squared width of x is compared with the sums if it is below ``doubt ‖x‖² / penalty``, where
#: doubt is `DOUBTFUL` or, after n observations, ``DRIFT · max(20, dim) · n``, whichever is larger.
#: Until then its relative error is below 1e-6. With a penalty of 0.1 and up to 20 dimensions, that
#: is from 1.05 million observations of one context of length 1 on.
DOUBTFUL = 3e-8
DRIFT = 4.5e-15
#: Largest relative rounding error of an addition.
ROUNDING = 2.0**-53
#: Relative difference from the sums at which the inverse is corrected.
TOLERANCE = 2e-7


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

    Squared widths and theta have a relative error below 1e-6 for a million observations if the sum
    of their weights times the largest ``‖x‖²`` is at most `MAX_CONDITION` times the penalty.
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
    if not leverage * ridge.penalty >= doubt * dot(x, x):
        correct(ridge, x, leverage)


@program
def correct(ridge: Ridge, x: Floats, leverage: float) -> None:
    """Make the inverse agree with the sums along x, unless it does already.

    In exact arithmetic, d = ``inverse @ x`` has dᵀ gram d = xᵀ d. If that does not hold, a multiple
    of d dᵀ is added to the inverse, after which it does. No other direction changes.

    If rounding errors of the sums may matter along d, as for two arms that are nearly the same,
    then ``gram @ x`` replaces x: it is closer to what both arms have in common.
    """
    dim = x.shape[0]
    target = x.copy()
    direction = np.empty(dim)
    image = np.empty(dim)
    noise_scale = ROUNDING * ridge.tally[COUNT]
    for _ in range(3):
        multiply(ridge.inverse, target, direction)
        multiply(ridge.gram, direction, image)
        width = dot(target, direction)
        curvature = dot(direction, image)
        if not (leverage >= 0.0 and width > 0.0 and curvature > 0.0):
            rebuild(ridge)  # impossible in exact arithmetic
            break
        if noise_scale * _size_of_terms(ridge.gram, direction) < TOLERANCE * curvature:
            if abs(width - curvature) > TOLERANCE * curvature:
                add_outer(ridge.inverse, direction, 1.0 / curvature - 1.0 / width)
            break
        multiply(ridge.gram, target, image)
        scale = 1.0 / math.sqrt(dot(image, image))
        for i in range(dim):
            target[i] = scale * image[i]


@kernel
def _size_of_terms(matrix: Floats, x: Floats) -> float:
    """Return the sum of the sizes of all terms of xᵀ M x."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            total += abs(x[i] * matrix[i, j] * x[j])
    return total


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
