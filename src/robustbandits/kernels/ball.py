"""What one point tells of the best and the worst bound of an arm that is known up to a ball.

The upper confidence bound is ``f(x) = θ·x + β √(xᵀ P x)``, and x is within ``error`` of a centre:
``x = c + δ``. What its smallest and largest values, U⁻ and U⁺, are *at most* and *at least* is
known from any δ. Let g be the gradient there, κ = β / √(xᵀ P x), and λ no less than the largest
eigenvalue of P.

- f is convex, so it lies above its tangent plane: ``U⁻ >= f(x) - g·δ - error ‖g‖``, and
  ``U⁺ >= f(x) - g·δ + error ‖g‖``.
- The root is concave in its square, so f lies below a parabola that touches it at x:
  ``U⁺ <= f(x) - g·δ + error √(‖g‖² - 2κλ g·δ + (κλ error)²) + κλ error²``. At a peak with
  ‖g‖ >= κλ error that is f(x) itself: then no other peak is higher.

All are as close as the square of what δ is off by, so an offset that was best a little while ago
is a good one. How to make it better is in ball_steps.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats, dot
from robustbandits.kernels.ridge import Ridge
from robustbandits.kernels.scoring import score_columns
from robustbandits.kernels.tangents import DY, VD, VX, VY, XY, YY, tangent_products

#: A search ends when what is left to find is this small, relative to what the ball can add to the
#: bound, and to the bound itself.
TOLERANCE = 1e-10
ROUNDING = 1e-14


class Ball(NamedTuple):
    """A bound, and how far from a context to look at it."""

    ridge: Ridge  # P is its inverse
    factor: float  # β
    error: float  # radius of the ball
    stretch: float  # λ, at least the largest eigenvalue of P
    rise: float  # at least what the bound changes over the distance ``error``
    slack: float  # what a search may be off by
    positive: bool  # whether no x has a bound below 0


class Tangent(NamedTuple):
    """The bound at a point, and its gradient g there."""

    value: float
    pull: float  # κ, or 0 where the width is 0
    across: float  # g·δ
    size: float  # ‖g‖²


@kernel
def new_ball(ridge: Ridge, factor: float, error: float, stretch: float) -> Ball:
    """Return a ball, with what follows from the rest."""
    square, fit = 0.0, 0.0
    for i in range(ridge.theta.shape[0]):
        square += ridge.theta[i] * ridge.theta[i]
        fit += ridge.theta[i] * ridge.moment[i]
    rise = error * (math.sqrt(square) + factor * math.sqrt(stretch))
    # θᵀVθ <= β²: theta 0 is in the ellipsoid, so the largest x·t in it is at least 0.
    positive = fit <= factor * factor
    return Ball(ridge, factor, error, stretch, rise, TOLERANCE * rise, positive)


@kernel
def tangent_of(
    ball: Ball, vv: float, vx: float, xy: float, vy: float, yy: float, vd: float, dy: float
) -> Tangent:
    """Return the tangent at x, by inner products of ``v = θ``, x, ``y = Px`` and ``d = δ``."""
    width = math.sqrt(max(0.0, xy))
    pull = ball.factor / width if width > 0.0 else 0.0
    size = max(0.0, vv + pull * (2.0 * vy + pull * yy))
    return Tangent(vx + ball.factor * width, pull, vd + pull * dy, size)


@kernel
def floor_at(ball: Ball, tangent: Tangent) -> float:
    """Return what U⁻ is at least."""
    return tangent.value - tangent.across - ball.error * math.sqrt(tangent.size)


@kernel
def ceiling_at(ball: Ball, tangent: Tangent) -> float:
    """Return what U⁺ is at most.

    Without a width there is no parabola, but √(yᵀPy) is at most √λ ‖y‖.
    """
    bend = tangent.pull * ball.stretch
    rest = bend * (ball.error * ball.error)
    turned = tangent.size - bend * (2.0 * tangent.across - rest)
    if tangent.pull == 0.0:
        rest = 2.0 * ball.error * ball.factor * math.sqrt(ball.stretch)
    return tangent.value - tangent.across + rest + ball.error * math.sqrt(max(0.0, turned))


@kernel
def is_close(ball: Ball, value: float, limit: float) -> bool:
    """Whether the two are as good as equal."""
    return abs(value - limit) <= ball.slack + ROUNDING * abs(value)


# ---------------------------------------------------------------------------- all columns at once


@kernel
def bounds_at(ball: Ball, points: Floats, values: Floats, room: Floats) -> None:
    """Write the bound at each column of points."""
    score_columns(ball.ridge.inverse, ball.ridge.theta, points, room, values)
    for a in range(points.shape[1]):
        values[a] = room[a] + ball.factor * math.sqrt(max(0.0, values[a]))


@kernel
def tangent_at(ball: Ball, points: Floats, offsets: Floats, arm: int) -> Tangent:
    """Return the tangent at one column of points; all may have one offset."""
    column = arm if offsets.shape[1] == points.shape[1] else 0
    theta, inverse = ball.ridge.theta, ball.ridge.inverse
    vv, vx, xy, vy, yy, vd, dy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(points.shape[0]):
        y = 0.0
        for j in range(points.shape[0]):
            y += inverse[i, j] * points[j, arm]
        v, d, x = theta[i], offsets[i, column], points[i, arm]
        vv += v * v
        vx += v * x
        xy += x * y
        vy += v * y
        yy += y * y
        vd += v * d
        dy += d * y
    return tangent_of(ball, vv, vx, xy, vy, yy, vd, dy)


@kernel
def bound_most(
    ball: Ball,
    points: Floats,
    offsets: Floats,
    products: Floats,
    values: Floats,
    ceilings: Floats,
) -> None:
    """Write the bound at each column of points, and what U⁺ around its centre is at most."""
    tangent_products(ball.ridge.inverse, ball.ridge.theta, points, offsets, products)
    square = dot(ball.ridge.theta, ball.ridge.theta)
    area = ball.stretch * (ball.error * ball.error)
    flat = 2.0 * ball.error * ball.factor * math.sqrt(ball.stretch)
    for a in range(points.shape[1]):  # `ceiling_at`, written so that it vectorises
        width = math.sqrt(max(0.0, products[XY, a]))
        pull = ball.factor / width if width > 0.0 else 0.0
        value = products[VX, a] + ball.factor * width
        across = products[VD, a] + pull * products[DY, a]
        size = max(0.0, square + pull * (2.0 * products[VY, a] + pull * products[YY, a]))
        turned = size - pull * ball.stretch * (2.0 * across - pull * area)
        rest = pull * area if width > 0.0 else flat
        values[a] = value
        ceilings[a] = value - across + rest + ball.error * math.sqrt(max(0.0, turned))
