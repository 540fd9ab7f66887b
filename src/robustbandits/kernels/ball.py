"""The best and the worst upper confidence bound of an arm whose context is known up to a ball.

The bound ``f(x) = θ·x + β √(xᵀ P x)`` is convex, and is the largest ``x·t`` over the t of an
ellipsoid around θ. Its *smallest* value in a ball around c is found by Frank–Wolfe steps with an
exact line search: the gradient g at any x is such a t, so ``c·g - error ‖g‖`` is a lower bound, and
the search ends when it has come within `TOLERANCE`. (The kink of f at the origin may keep it from
getting there if the ball holds that: an error should be less than the contexts are long.) Its
*largest* value lies on the sphere; the steps ``x ← c + error · g/‖g‖`` never go down. They end in
the largest value of all when the ball is small enough for f to bend less than the sphere does,
which is checked; otherwise there may be several peaks, and the highest of three climbs counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.linalg import Floats, dot, multiply

#: A search ends when its error is this small, relative to the value and to what the ball adds to
#: it; or after `STEPS` steps, each of which costs O(dim²).
TOLERANCE = 1e-10
STEPS = 100


class Ball(NamedTuple):
    """A bound, and how far from a context to look at it."""

    inverse: Floats  # P
    theta: Floats
    factor: float  # β
    error: float  # radius of the ball
    reach: float  # at least the root of the largest eigenvalue of P
    positive: bool  # whether no x has a bound below 0


# Rows of the scratch that the searches share: the ball's centre, a unit vector along theta (or 0),
# a direction, where a search is and P times that, and three more. As one matrix, because that takes
# less time to compile than eight vectors.
CENTRE, UNIT, AXIS, POINT, IMAGE, WAY, CHANGE, GRADIENT = range(8)


@kernel
def new_scratch(dim: int) -> Floats:
    """Return room for vectors of this dimension."""
    return np.zeros((8, dim))


@kernel
def first_step(ball: Ball, work: Floats) -> None:
    """Start the search for the smallest bound at ``centre - error · unit``."""
    for i in range(work[CENTRE].shape[0]):
        work[POINT, i] = work[CENTRE, i] - ball.error * work[UNIT, i]
    multiply(ball.inverse, work[POINT], work[IMAGE])


@program
def step_down(ball: Ball, work: Floats, value: float, enough: float) -> tuple[float, float]:
    """Go on with the search for the smallest bound: return the bound reached, and one below it all.

    ``value`` is the smallest bound so far. When the two returned are equal, the search is over. No
    step is taken when the lower one exceeds ``enough``.
    """
    centre, point = work[CENTRE], work[POINT]
    if ball.positive and dot(centre, centre) <= ball.error * ball.error:
        value = min(value, 0.0)  # the ball holds the origin, and no bound is below that of it
        return value, value
    square = dot(point, work[IMAGE])
    if not square > 0.0:
        return value, value
    size = _aim(ball, work, math.sqrt(square))
    below = dot(centre, work[GRADIENT]) - ball.error * size
    if not (size > 0.0 and value - below > TOLERANCE * (abs(value) + ball.error * size)):
        return value, value
    if below > enough:
        return value, below
    _go_down(ball, work, size, square)
    width = math.sqrt(max(0.0, dot(point, work[IMAGE])))
    return min(value, dot(ball.theta, point) + ball.factor * width), below


@program
def least_in_ball(ball: Ball, work: Floats, known: float) -> float:
    """Smallest bound in the ball around the scratch's centre; ``known`` is that of the start."""
    first_step(ball, work)
    value, below = known, -np.inf
    for _ in range(STEPS):
        value, below = step_down(ball, work, value, np.inf)
        if value == below:
            break
    return value


@kernel
def _aim(ball: Ball, work: Floats, width: float) -> float:
    """Write the gradient at the point, which is ``width`` wide; return its length."""
    image, gradient = work[IMAGE], work[GRADIENT]
    pull = ball.factor / width if width > 0.0 else 0.0
    square = 0.0
    for i in range(image.shape[0]):
        gradient[i] = ball.theta[i] + pull * image[i]
        square += gradient[i] * gradient[i]
    return math.sqrt(square)


@kernel
def _go_down(ball: Ball, work: Floats, size: float, square: float) -> None:
    """Move to the lowest point on the way to where the gradient says that the ball is lowest."""
    point, image, way, change = work[POINT], work[IMAGE], work[WAY], work[CHANGE]
    dim = point.shape[0]
    step = ball.error / size
    for i in range(dim):
        way[i] = work[CENTRE, i] - step * work[GRADIENT, i] - point[i]
    multiply(ball.inverse, way, change)
    slope = dot(ball.theta, way)
    cross = dot(image, way)
    bend = dot(change, way)
    share = lowest_share(slope, ball.factor, square, cross, bend)
    for i in range(dim):
        point[i] += share * way[i]
        image[i] += share * change[i]


@kernel
def lowest_share(slope: float, factor: float, square: float, cross: float, bend: float) -> float:
    """Where in [0, 1] ``slope·s + factor·√(square + 2 cross·s + bend·s²)`` is smallest.

    It must start downwards: without a minimum of its own it then falls all the way.
    """
    share = 1.0
    rise = factor * factor * bend - slope * slope
    if bend > 0.0 and rise > 0.0:
        rest = max(0.0, square - cross * cross / bend)
        share = -slope * math.sqrt(rest / (bend * rise)) - cross / bend
    return min(1.0, max(0.0, share))


@program
def most_in_ball(ball: Ball, work: Floats) -> float:
    """Largest bound found in the ball around the scratch's centre: see the head of this file."""
    centre, point, image = work[CENTRE], work[POINT], work[IMAGE]
    best = -np.inf
    for start in range(3):
        side = ball.error * (0.0 if start == 0 else 3.0 - 2.0 * start)
        for i in range(centre.shape[0]):
            point[i] = centre[i] + side * work[AXIS, i]
        best = max(best, _climb(ball, work))
        if start == 0:
            size = _aim(ball, work, math.sqrt(max(0.0, dot(point, image))))
            multiply(ball.inverse, centre, work[CHANGE])
            width = math.sqrt(max(0.0, dot(centre, work[CHANGE])))
            narrow = width - ball.error * ball.reach  # least width in the ball, or less
            # No second derivative in the ball exceeds factor · reach² / narrow; the sphere's, at
            # the point reached, is size / error.
            if size * narrow >= ball.factor * (ball.reach * ball.reach) * ball.error:
                break
            find_axis(ball, work)
    return best


@kernel
def _climb(ball: Ball, work: Floats) -> float:
    """Climb from the point to a peak on the sphere; return its height."""
    centre, point, image = work[CENTRE], work[POINT], work[IMAGE]
    multiply(ball.inverse, point, image)
    width = math.sqrt(max(0.0, dot(point, image)))
    value = dot(ball.theta, point) + ball.factor * width
    for _ in range(STEPS):
        size = _aim(ball, work, width)
        if not size > 0.0:
            break
        step = ball.error / size
        for i in range(centre.shape[0]):
            point[i] = centre[i] + step * work[GRADIENT, i]
        multiply(ball.inverse, point, image)
        width = math.sqrt(max(0.0, dot(point, image)))
        reached = dot(ball.theta, point) + ball.factor * width
        gain = reached - value
        value = max(value, reached)
        if not gain > TOLERANCE * (abs(value) + ball.error * size):
            break
    return value


@program
def most_of_sum(ball: Ball, work: Floats, known: float) -> float:
    """Bound of how far the largest and the smallest bound together exceed twice that of the centre.

    A step δ adds at most ``g·δ + κ δᵀPδ``, κ = β / 2 width, g being the gradient at the centre. Let
    δ have a part α along g and a part ρ across. Then α <= error - ρ²/2error, and the root of δᵀPδ
    is at most ``error √q + ρ reach``, where q is that of the unit vector along g. What is left is a
    parabola in ρ. The smallest bound is at most that of ``-error`` along g. ``known`` is another
    bound, for when the parabola opens upwards.
    """
    multiply(ball.inverse, work[CENTRE], work[IMAGE])
    width = math.sqrt(max(0.0, dot(work[CENTRE], work[IMAGE])))
    size = _aim(ball, work, width)
    if not (width > 0.0 and size > 0.0):
        return known
    multiply(ball.inverse, work[GRADIENT], work[CHANGE])
    along = max(0.0, dot(work[GRADIENT], work[CHANGE])) / (size * size)
    pull = ball.factor / width
    cross = pull * ball.error * math.sqrt(along) * ball.reach
    opening = size - pull * (ball.reach * ball.reach) * ball.error  # times error
    if not opening > 0.0:
        return known
    return min(
        known, pull * ball.error * ball.error * along + 0.5 * cross * cross * ball.error / opening
    )


@kernel
def find_axis(ball: Ball, work: Floats) -> None:
    """Write a unit vector along which P is large, as a direction to start climbing from."""
    dim = ball.theta.shape[0]
    axis, image = work[AXIS], work[IMAGE]
    longest = 0
    for i in range(1, dim):
        if ball.inverse[i, i] > ball.inverse[longest, longest]:
            longest = i
    for i in range(dim):
        axis[i] = 1.0 if i == longest else 0.0
    for _ in range(6):
        multiply(ball.inverse, axis, image)
        size = math.sqrt(dot(image, image))
        for i in range(dim):
            axis[i] = image[i] / size
