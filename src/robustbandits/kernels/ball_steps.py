"""Steps towards the best and the worst bound of an arm that is known up to a ball.

See ball.py for what is searched. Towards U⁻ goes a Frank–Wolfe step with an exact line search,
towards U⁺ the step ``δ ← error · g/‖g‖``, which never goes down. If that has come to a peak which
is not known to be the highest, two more are climbed, and the highest of the three counts. (The kink
of f at the origin may keep U⁻ from being found closely if the ball holds that, and in rare shapes
of P a fourth peak is the highest: an error should be less than the contexts are long.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.ball import (
    ROUNDING,
    Ball,
    Tangent,
    ceiling_at,
    floor_at,
    is_close,
    tangent_of,
)
from robustbandits.kernels.linalg import Floats, dot
from robustbandits.kernels.spectrum import find_axis

#: A search ends after so many steps, each of which costs O(dim²).
STEPS = 100.0
#: A peak is taken for the highest when none can be higher by more than this many slacks.
NEAR = 1e4

# Rows of the scratch that the steps share: the ball's centre, the offset from it, the point they
# add up to and P times that, and four more. As one matrix, because that takes less time to compile
# than eight vectors.
CENTRE, OFFSET, POINT, IMAGE, WAY, CHANGE, PEAK, AXIS = range(8)


@kernel
def new_scratch(dim: int) -> Floats:
    """Return room for vectors of this dimension."""
    return np.empty((8, dim))


@kernel
def _place(ball: Ball, work: Floats) -> None:
    """Write point and image of the scratch's offset."""
    for i in range(work.shape[1]):
        work[POINT, i] = work[CENTRE, i] + work[OFFSET, i]
    _multiply_row(ball.ridge.inverse, work, POINT, IMAGE)


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
    vv, vx, xy, vy, yy, vd, dy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(work.shape[1]):  # in one loop: the sums do not wait for each other
        v, d, x, y = ball.ridge.theta[i], work[OFFSET, i], work[POINT, i], work[IMAGE, i]
        vv += v * v
        vx += v * x
        xy += x * y
        vy += v * y
        yy += y * y
        vd += v * d
        dy += d * y
    return tangent_of(ball, vv, vx, xy, vy, yy, vd, dy)


# -------------------------------------------------------------------------------------------- down


class Descent(NamedTuple):
    """How far a search for U⁻ has come."""

    value: float  # the bound at the offset
    floor: float  # what U⁻ is at least; the value itself when there is no more to find
    high: float  # what U⁺ is at least
    steps: float


@program
def descend(ball: Ball, work: Floats, enough: float, least: float, steps: float) -> Descent:
    """Move the scratch's offset towards U⁻: by so many steps at most.

    Or until U⁻ is known to exceed ``enough``, which may be before the first step, or to be no more
    than ``least``, or until there is no more to find.
    """
    if ball.positive:
        length = 0.0
        for i in range(work.shape[1]):
            length += work[CENTRE, i] * work[CENTRE, i]
        if length <= ball.error * ball.error:
            # The ball holds the origin, and no bound is below that of it.
            return Descent(0.0, 0.0, 0.0, 0.0)
    _place(ball, work)
    taken = 0.0
    while True:
        tangent = _tangent_here(ball, work)
        floor = floor_at(ball, tangent)
        high = floor + 2.0 * ball.error * math.sqrt(tangent.size)
        stuck = tangent.size == 0.0 or (tangent.pull == 0.0 and ball.positive)
        if stuck or is_close(ball, tangent.value, floor):
            return Descent(tangent.value, tangent.value, max(tangent.value, high), taken)
        if floor > enough or taken == steps or (taken > 0.0 and tangent.value <= least):
            return Descent(tangent.value, floor, high, taken)
        _go_down(ball, work, tangent)
        taken += 1.0


@kernel
def _go_down(ball: Ball, work: Floats, tangent: Tangent) -> None:
    """Move to the lowest point on the way to where the gradient says that the ball is lowest.

    The origin is a kink without one. If there is a way down from it, ``-Vθ`` is one: go all of it.
    """
    theta, moment = ball.ridge.theta, ball.ridge.moment
    at_origin = tangent.pull == 0.0
    size = dot(moment, moment) if at_origin else tangent.size
    step = ball.error / math.sqrt(size) if size > 0.0 else 0.0
    for i in range(work.shape[1]):
        slope = moment[i] if at_origin else theta[i] + tangent.pull * work[IMAGE, i]
        work[WAY, i] = -step * slope - work[OFFSET, i]
    _multiply_row(ball.ridge.inverse, work, WAY, CHANGE)
    slope, square, cross, bend = 0.0, 0.0, 0.0, 0.0
    for i in range(work.shape[1]):
        slope += theta[i] * work[WAY, i]
        square += work[POINT, i] * work[IMAGE, i]
        cross += work[IMAGE, i] * work[WAY, i]
        bend += work[CHANGE, i] * work[WAY, i]
    share = 1.0 if at_origin else lowest_share(slope, ball.factor, square, cross, bend)
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
    return descend(ball, work, np.inf, -np.inf, STEPS).value


# ---------------------------------------------------------------------------------------------- up


@kernel
def climb(ball: Ball, work: Floats, steps: float) -> tuple[float, float]:
    """Climb from the scratch's offset to a peak; return its height, and what U⁺ is at most.

    By so many steps at most. If each is shorter than the last by the same share, there would be
    many: where they lead to is leapt to, and if that is no higher, the leap is taken back.
    """
    value, ceiling, last = -np.inf, np.inf, 0.0
    leapt, bold = False, True
    taken = 0.0
    while True:
        _place(ball, work)
        tangent = _tangent_here(ball, work)
        ceiling = min(ceiling, ceiling_at(ball, tangent))
        gain = tangent.value - value
        if leapt and not gain > 0.0:
            _copy(work, WAY, OFFSET)
            leapt, bold = False, False
            continue
        value = max(value, tangent.value)
        # A gain that a step brought tells whether there is more to gain; that of a leap does not.
        done = not leapt and not gain > ball.slack + ROUNDING * abs(value)
        if done or taken >= steps or tangent.size == 0.0:
            return value, ceiling
        taken += 1.0
        size = _go_up(ball, work, tangent)
        leapt = bold and 0.5 * last < size < last
        if leapt:
            _leap(ball, work, size / (last - size))
        last = 0.0 if leapt else size


@kernel
def _go_up(ball: Ball, work: Floats, tangent: Tangent) -> float:
    """Move to where the gradient says that the ball is highest; return how far that is."""
    step = ball.error / math.sqrt(tangent.size)
    total = 0.0
    for i in range(work.shape[1]):
        place = step * (ball.ridge.theta[i] + tangent.pull * work[IMAGE, i])
        work[CHANGE, i] = place - work[OFFSET, i]
        work[OFFSET, i] = place
        total += work[CHANGE, i] * work[CHANGE, i]
    return math.sqrt(total)


@kernel
def _leap(ball: Ball, work: Floats, share: float) -> None:
    """Go on by a share of the last step, on the rim of the ball."""
    length = 0.0
    for i in range(work.shape[1]):
        work[WAY, i] = work[OFFSET, i]
        work[OFFSET, i] += share * work[CHANGE, i]
        length += work[OFFSET, i] * work[OFFSET, i]
    if length > 0.0:
        for i in range(work.shape[1]):
            work[OFFSET, i] *= ball.error / math.sqrt(length)


@program
def ascend(
    ball: Ball, work: Floats, best: float, ceiling: float, steps: float
) -> tuple[float, float]:
    """Climb from the scratch's offset by so many steps; return what is known of U⁺ then.

    That is a height reached, and what no height exceeds: ``best`` and ``ceiling`` of before, or
    closer. With all `STEPS` a peak is taken for the highest, and the two are equal: if the first
    one that is come to may not be the highest, two more are climbed, from where P is longest.
    """
    for k in range(3):  # one loop, as code that is spliced in three times is compiled three times
        if k > 0:
            for i in range(work.shape[1]):
                work[OFFSET, i] = (2 * k - 3) * ball.error * work[AXIS, i]
        height, limit = climb(ball, work, steps)
        if k == 0:
            best, ceiling = max(best, height), min(ceiling, limit)
            if steps < STEPS:
                return best, ceiling
            if ceiling - best <= NEAR * (ball.slack + ROUNDING * abs(best)):
                return best, best
            find_axis(ball.ridge.inverse, work[AXIS])
            _copy(work, OFFSET, PEAK)
        elif height > best:
            best = height
            _copy(work, OFFSET, PEAK)
    _copy(work, PEAK, OFFSET)
    return best, best


@program
def most_in_ball(ball: Ball, work: Floats) -> float:
    """U⁺ around the scratch's centre, climbed to from its offset, which is moved there."""
    return ascend(ball, work, -np.inf, np.inf, STEPS)[0]


@kernel
def _copy(work: Floats, source: int, target: int) -> None:
    for i in range(work.shape[1]):
        work[target, i] = work[source, i]
