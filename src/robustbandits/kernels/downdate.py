"""Taking an observation back out of a ridge regression.

Sherman–Morrison with a negative weight divides by ``1 - xᵀ V⁻¹ x``: by little, when the observation
was the only one in its direction. Each removal multiplies rounding errors by up to the inverse of
that, so nothing is removed when it is below `SAFE`, and whoever removes many observations replays
those that are left now and then, from nothing: that costs as much as it took to learn them, and
leaves the very bits that they give a fresh regression.
"""

from __future__ import annotations

import math

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.kernels.linalg import Floats, add_outer, dot, multiply
from robustbandits.kernels.ridge import COUNT, LOG_DET, Ridge, observe, reset_ridge

#: Smallest ``1 - xᵀ V⁻¹ x`` at which x is taken out. With contexts no longer than 1 it is never
#: less while the penalty is above 0.0102. Below, about dim observations of a window can be the only
#: ones of their direction, so refusals stay rare however long the window is.
SAFE = 0.01


@program
def forget(ridge: Ridge, x: Floats, y: float) -> bool:
    """Take out an observation of weight 1; False, and nothing changed, when that is not safe.

    The tally's energy, a sum over everything ever observed, stays as it is.
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
    """Learn ``count`` rows of a ring anew, from nothing, oldest first; a row is x and then y."""
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
