"""Recursive ridge regression: what every linear policy stands on.

The inverse is kept by Sherman–Morrison and theta by recursive least squares (the same number as
``inverse @ moment``, in O(dim)). Measured against its largest entry the inverse keeps nine digits
over ten million observations, so it is rebuilt from the sums only when something is plainly wrong:
the sums lose the penalty to rounding long before the inverse does (docs/decisions/0010).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats, add_outer, copy, dot, invert, multiply

COUNT, LOG_DET, ENERGY = 0, 1, 2


class Ridge(NamedTuple):
    """A ridge regression in progress."""

    inverse: Floats  # (dim, dim) inverse of `gram`
    gram: Floats  # (dim, dim) penalty * I + sum of w x xᵀ
    moment: Floats  # (dim,) sum of w y x
    theta: Floats  # (dim,) estimate, inverse @ moment
    tally: Floats  # (3,) observations; log det(gram) - log det(penalty * I); sum of w xᵀ inverse x
    penalty: float


def start_ridge(dim: int, penalty: float) -> Ridge:
    """Return a regression that has seen nothing."""
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
    """Forget everything."""
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


@kernel
def observe(ridge: Ridge, x: Floats, y: float, weight: float) -> None:
    """Take in one observation ``y`` at ``x``."""
    direction = np.empty(x.shape[0])
    multiply(ridge.inverse, x, direction)
    absorb(ridge, x, y, weight, direction, dot(x, direction))


@kernel
def observe_cautiously(ridge: Ridge, x: Floats, y: float, caution: float) -> None:
    """Take in ``y`` at ``x`` with the weight ``min(1, caution / width)``.

    The width of x, √(xᵀ V⁻¹ x), is that before the observation. No observation then moves the
    estimate, in the norm of V, by more than ``caution`` times its own error.
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
    """Take in ``y`` at ``x``, given ``inverse @ x`` and its product with x."""
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
    if not leverage >= 0.0:  # impossible in exact arithmetic
        rebuild(ridge)


@program
def rebuild(ridge: Ridge) -> None:
    """Rebuild the inverse and theta from the sums; leave them when the sums are no better."""
    dim = ridge.theta.shape[0]
    inverse = np.empty((dim, dim))
    if invert(ridge.gram, inverse):
        copy(inverse, ridge.inverse)
        multiply(ridge.inverse, ridge.moment, ridge.theta)
