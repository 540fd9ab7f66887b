"""The best and the worst upper confidence bound of an arm whose context is known up to a ball.

The bound is ``f(x) = θ·x + β √(xᵀ P x)``, and x is within ``error`` of a centre c: ``x = c + δ``.
What its smallest and largest values, U⁻ and U⁺, are *at most* and *at least* is known from any δ.
Let g be the gradient there, κ = β / √(xᵀ P x), and λ no less than the largest eigenvalue of P.

- f is convex, so it lies above its tangent plane: ``U⁻ >= f(x) - g·δ - error ‖g‖``.
- The root is concave in its square, so f lies below a parabola that touches it at x:
  ``U⁺ <= f(x) - g·δ + error ‖g - κλδ‖ + κλ (error² + ‖δ‖²) / 2``. At a peak with ‖g‖ >= κλ error
  that is f(x) itself: then no other peak is higher.

Both are as close as the square of what δ is off by, so an offset that was best a little while ago
is a good one. To make it better, U⁻ takes a Frank–Wolfe step with an exact line search, and U⁺ the
step ``δ ← error · g/‖g‖``, which never goes down. If that has come to a peak which is not known to
be the highest, two more climbs are made, and the highest of the three counts. (The kink of f at the
origin may keep U⁻ from being found closely if the ball holds that: an error should be less than the
contexts are long.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.linalg import Floats, dot, multiply
from robustbandits.kernels.ridge import Ridge
from robustbandits.kernels.spectrum import find_axis
from robustbandits.kernels.tangents import (
    DD,
    DY,
    PRODUCTS,
    VD,
    VX,
    VY,
    XY,
    YY,
    tangent_products,
)

#: A search ends when what is left to find is this small, relative to what the ball can add to the
#: bound, and to the bound itself; or after `STEPS` steps, each of which costs O(dim²).
TOLERANCE = 1e-10
ROUNDING = 1e-14
STEPS = 100
#: A peak is taken for the highest when none can be higher by more than this many slacks.
NEAR = 1e4


class Ball(NamedTuple):
    """A bound, and how far from a context to look at it."""

    ridge: Ridge  # P is its inverse
    factor: float  # β
    error: float  # radius of the ball
    stretch: float  # λ, at least the largest eigenvalue of P
    rise: float  # at least what the bound changes over the distance ``error``
    fall: float  # at least what it falls over that distance against theta
    slack: float  # what a search may be off by
    positive: bool  # whether no x has a bound below 0


# Rows of the scratch that the steps share: the ball's centre, the offset from it, the point they
# add up to and P times that, and two more. As one matrix, because that takes less time to compile
# than six vectors.
CENTRE, OFFSET, POINT, IMAGE, WAY, CHANGE = range(6)


class Tangent(NamedTuple):
    """The bound at a point, and its gradient g there."""

    value: float
    pull: float  # κ, or 0 where the width is 0
    across: float  # g·δ
    size: float  # ‖g‖²
    length: float  # ‖δ‖²


@kernel
def new_ball(ridge: Ridge, factor: float, error: float, stretch: float) -> Ball:
    """Return a ball, with what follows from the rest.

    The gradient's square is ``‖θ‖² + 2β θᵀPx/√(xᵀPx) + β² ‖Px‖²/xᵀPx``; by Cauchy and Schwarz the
    second quotient is at most √(θᵀPθ), and the third is at most λ.
    """
    dim = ridge.theta.shape[0]
    image = np.empty(dim)
    multiply(ridge.inverse, ridge.theta, image)
    square, cross, fit = 0.0, 0.0, 0.0
    for i in range(dim):
        square += ridge.theta[i] * ridge.theta[i]
        cross += ridge.theta[i] * image[i]
        fit += ridge.theta[i] * ridge.moment[i]
    bend = factor * math.sqrt(max(0.0, cross))
    length = math.sqrt(square)
    rise = error * math.sqrt(square + 2.0 * bend + factor * factor * stretch)
    fall = error * (length - bend / length) if length > 0.0 else -rise
    # θᵀVθ <= β²: theta 0 is in the ellipsoid, so the largest x·t in it is at least 0.
    positive = fit <= factor * factor
    return Ball(ridge, factor, error, stretch, rise, fall, TOLERANCE * rise, positive)


@kernel
def new_scratch(dim: int) -> Floats:
    """Return room for vectors of this dimension."""
    return np.empty((6, dim))


# ---------------------------------------------------------------------------- all columns at once


@program
def bound_most(
    ball: Ball, points: Floats, offsets: Floats, values: Floats, ceilings: Floats
) -> None:
    """Write the bound at each column of points, and what U⁺ around its centre is at most."""
    products = np.empty((PRODUCTS, points.shape[1]))
    tangent_products(ball.ridge.inverse, ball.ridge.theta, points, offsets, products)
    length = dot(ball.ridge.theta, ball.ridge.theta)
    for a in range(points.shape[1]):
        tangent = _tangent(ball, length, products, a)
        values[a] = tangent.value
        ceilings[a] = _ceiling(ball, tangent)


@kernel
def _tangent(ball: Ball, length: float, products: Floats, a: int) -> Tangent:
    """Put the products of a column together; ``length`` is ‖θ‖²."""
    width = math.sqrt(max(0.0, products[XY, a]))
    pull = ball.factor / width if width > 0.0 else 0.0
    return Tangent(
        products[VX, a] + ball.factor * width,
        pull,
        products[VD, a] + pull * products[DY, a],
        max(0.0, length + pull * (2.0 * products[VY, a] + pull * products[YY, a])),
        products[DD, a],
    )


@kernel
def _floor(ball: Ball, tangent: Tangent) -> float:
    """Return what U⁻ is at least: see the head of this file."""
    return tangent.value - tangent.across - ball.error * math.sqrt(tangent.size)


@kernel
def _ceiling(ball: Ball, tangent: Tangent) -> float:
    """Return what U⁺ is at most: see the head of this file.

    Without a width there is no parabola; √(yᵀPy) is at most √λ ‖y‖ then.
    """
    bend = tangent.pull * ball.stretch
    rest = 0.5 * bend * (ball.error * ball.error + tangent.length)
    if tangent.pull == 0.0:
        rest = ball.factor * math.sqrt(ball.stretch) * (ball.error + math.sqrt(tangent.length))
    turned = tangent.size - bend * (2.0 * tangent.across - bend * tangent.length)
    return tangent.value - tangent.across + rest + ball.error * math.sqrt(max(0.0, turned))


# ----------------------------------------------------------------------------- one centre at a time


@kernel
def _look(ball: Ball, work: Floats) -> Tangent:
    """Write point and image of the scratch's offset; return the tangent there."""
    for i in range(work.shape[1]):
        work[POINT, i] = work[CENTRE, i] + work[OFFSET, i]
    _multiply_row(ball.ridge.inverse, work, POINT, IMAGE)
    return _tangent_here(ball, work)


@kernel
def _multiply_row(matrix: Floats, work: Floats, source: int, target: int) -> None:
    """``M x`` from one row of the scratch to another: rows taken out are counted, which is slow."""
    dim = work.shape[1]
    for i in range(dim):
        work[target, i] = 0.0
    for j in range(dim):
        weight = work[source, j]
        for i in range(dim):
            work[target, i] += weight * matrix[j, i]


@kernel
def _tangent_here(ball: Ball, work: Floats) -> Tangent:
    """Return the tangent at the scratch's point."""
    vv, vx, xy, vy, yy, vd, dy, dd = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(work.shape[1]):  # in one loop: the sums do not wait for each other
        v, d, x, y = ball.ridge.theta[i], work[OFFSET, i], work[POINT, i], work[IMAGE, i]
        vv += v * v
        vx += v * x
        xy += x * y
        vy += v * y
        yy += y * y
        vd += v * d
        dy += d * y
        dd += d * d
    width = math.sqrt(max(0.0, xy))
    pull = ball.factor / width if width > 0.0 else 0.0
    return Tangent(
        vx + ball.factor * width,
        pull,
        vd + pull * dy,
        max(0.0, vv + pull * (2.0 * vy + pull * yy)),
        dd,
    )


@kernel
def _is_close(ball: Ball, value: float, limit: float) -> bool:
    """Whether the two are as good as equal."""
    return abs(value - limit) <= ball.slack + ROUNDING * abs(value)


@program
def step_down(ball: Ball, work: Floats, enough: float) -> tuple[float, float]:
    """Move the scratch's offset towards U⁻.

    Return the bound there, and what U⁻ is at least; the two are equal when there is no more to
    find. No step is taken when U⁻ is known to exceed ``enough``: the offset is left as it is.
    """
    if ball.positive:
        length = 0.0
        for i in range(work.shape[1]):
            length += work[CENTRE, i] * work[CENTRE, i]
        if length <= ball.error * ball.error:
            return 0.0, 0.0  # the ball holds the origin, and no bound is below that of it
    tangent = _look(ball, work)
    floor = _floor(ball, tangent)
    if not floor > enough and tangent.pull > 0.0 and tangent.size > 0.0:
        _go_down(ball, work, tangent)
        tangent = _tangent_here(ball, work)
        floor = _floor(ball, tangent)
    if tangent.pull == 0.0 or _is_close(ball, tangent.value, floor):
        floor = tangent.value
    return tangent.value, floor


@kernel
def _go_down(ball: Ball, work: Floats, tangent: Tangent) -> None:
    """Move to the lowest point on the way to where the gradient says that the ball is lowest."""
    step = ball.error / math.sqrt(tangent.size)
    for i in range(work.shape[1]):
        work[WAY, i] = (
            -step * (ball.ridge.theta[i] + tangent.pull * work[IMAGE, i]) - work[OFFSET, i]
        )
    _multiply_row(ball.ridge.inverse, work, WAY, CHANGE)
    slope, square, cross, bend = 0.0, 0.0, 0.0, 0.0
    for i in range(work.shape[1]):
        slope += ball.ridge.theta[i] * work[WAY, i]
        square += work[POINT, i] * work[IMAGE, i]
        cross += work[IMAGE, i] * work[WAY, i]
        bend += work[CHANGE, i] * work[WAY, i]
    share = lowest_share(slope, ball.factor, square, cross, bend)
    for i in range(work.shape[1]):
        work[OFFSET, i] += share * work[WAY, i]
        work[POINT, i] += share * work[WAY, i]
        work[IMAGE, i] += share * work[CHANGE, i]


@kernel
def lowest_share(slope: float, factor: float, square: float, cross: float, bend: float) -> float:
    """Where in [0, 1] ``slope·s + factor·√(square + 2 cross·s + bend·s²)`` is smallest.

    It must start downwards: without a minimum of its own it then falls all the way.
    """
    share = 1.0
    rise = factor * factor * bend - slope * slope
    scale = bend * rise  # 0 when the ball is so small that it underflows
    if rise > 0.0 and scale > 0.0:
        rest = max(0.0, square - cross * cross / bend)
        share = -slope * math.sqrt(rest / scale) - cross / bend
    return min(1.0, max(0.0, share))


@program
def least_in_ball(ball: Ball, work: Floats) -> float:
    """U⁻ around the scratch's centre, searched from its offset on."""
    value, floor = step_down(ball, work, np.inf)
    for _ in range(STEPS):
        if value == floor:
            break
        reached, floor = step_down(ball, work, np.inf)
        value = min(value, reached)
    return value


@program
def step_up(ball: Ball, work: Floats) -> tuple[float, float]:
    """Move the scratch's offset towards a peak.

    Return the bound where it was before, and what U⁺ is at most.
    """
    tangent = _look(ball, work)
    if tangent.size > 0.0:
        step = ball.error / math.sqrt(tangent.size)
        for i in range(work.shape[1]):
            work[OFFSET, i] = step * (ball.ridge.theta[i] + tangent.pull * work[IMAGE, i])
    return tangent.value, _ceiling(ball, tangent)


@program
def most_in_ball(ball: Ball, work: Floats) -> float:
    """U⁺ around the scratch's centre, climbed to from its offset: see the head of this file."""
    best, ceiling = _climb(ball, work)
    if ceiling - best <= NEAR * (ball.slack + ROUNDING * abs(best)):
        return best
    axis = np.empty(work.shape[1])
    find_axis(ball.ridge.inverse, axis)
    for side in (-1.0, 1.0):
        for i in range(work.shape[1]):
            work[OFFSET, i] = side * ball.error * axis[i]
        best = max(best, _climb(ball, work)[0])
    return best


@program
def _climb(ball: Ball, work: Floats) -> tuple[float, float]:
    """Climb from the scratch's offset to a peak; return its height, and what U⁺ is at most."""
    value, ceiling = step_up(ball, work)
    for _ in range(STEPS):
        reached, limit = step_up(ball, work)
        ceiling = min(ceiling, limit)
        gain = reached - value
        value = max(value, reached)
        if not gain > ball.slack + ROUNDING * abs(value):
            break
    return value, ceiling
