"""The smallest and the largest value in a ball of a linear function plus a norm.

The function is ``f(x) = v·x + b √(Σ λ_i x_i²)``, where b and every λ_i are positive. Where it is
smallest or largest in a ball, its gradient g points along the radius: ``x = c - s g(x)`` for the
center c and a number s, the step, which is positive at the smallest value and negative at the
largest. The point x follows from s and from its own width ``w = √(Σ λ_i x_i²)``::

    x_i = w z_i / (w + s b λ_i)      z = c - s v      Σ λ_i z_i² / (w + s b λ_i)² = 1

The last equation has one solution w (none if x is the origin), and the distance of x from c grows
with |s|. So two nested searches, both by Newton's method, find the x whose distance is the radius.
This always succeeds for the smallest value, a convex problem. For the largest value it succeeds
unless two maxima are equally large for some s: there the distance jumps from one to the other, and
if the radius is within the jump, a search starts near each of the two maxima instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats

#: Relative error of a distance that is close enough; the error of the value is about its square.
TOLERANCE = 1e-7
#: Smallest |z| along the longest axis, that of the largest eigenvalue, as a share of the radius. If
#: z were zero there, the equation for w might have no solution.
SMALLEST = 1e-13
#: Largest number of steps of each search. Three are usual.
MAX_STEPS = 200


class Cone(NamedTuple):
    """The function f, whose graph is a cone, and the radius of the balls to search."""

    vector: Floats  # v
    eigenvalues: Floats  # λ
    longest: int  # position of the largest eigenvalue
    factor: float  # b
    radius: float


@kernel
def step_down(cone: Cone, center: Floats) -> tuple[float, float]:
    """Return the value at a center, and the value on the sphere in the direction of descent.

    The second value is at least the smallest value in the ball, and usually close to it.
    """
    value, width, square = 0.0, 0.0, 0.0
    for i in range(center.shape[0]):
        value += cone.vector[i] * center[i]
        width += cone.eigenvalues[i] * (center[i] * center[i])
    width = math.sqrt(width)
    value += cone.factor * width
    pull = cone.factor / width if width > 0.0 else 0.0
    for i in range(center.shape[0]):
        gradient = cone.vector[i] + pull * cone.eigenvalues[i] * center[i]
        square += gradient * gradient
    step = cone.radius / math.sqrt(square) if square > 0.0 else 0.0
    below, width = 0.0, 0.0
    for i in range(center.shape[0]):
        gradient = cone.vector[i] + pull * cone.eigenvalues[i] * center[i]
        x = center[i] - step * gradient
        below += cone.vector[i] * x
        width += cone.eigenvalues[i] * (x * x)
    return value, below + cone.factor * math.sqrt(width)


@program
def extreme_in_ball(cone: Cone, center: Floats, sign: float) -> float:
    """Return the smallest (sign 1) or the largest (sign -1) value in the ball around a center."""
    square, slope, needed = 0.0, 0.0, 0.0
    for i in range(center.shape[0]):
        square += center[i] * center[i]
        slope += cone.vector[i] * cone.vector[i]
        needed += cone.vector[i] * cone.vector[i] / cone.eigenvalues[i]
    to_origin = math.sqrt(square) / cone.radius  # distance of the center from it, in radii
    if sign > 0.0 and to_origin <= 1.0 and needed <= cone.factor * cone.factor:
        return 0.0  # the value at the origin, which is in the ball; no value is negative
    # No gradient is longer than this, so the first step is not too long.
    slope = math.sqrt(slope) + cone.factor * math.sqrt(cone.eigenvalues[cone.longest])
    size, low, high = cone.radius / slope, 0.0, np.inf
    ratios, divisors = np.empty(center.shape[0]), np.empty(center.shape[0])
    value, distance = 0.0, 0.0
    for _ in range(MAX_STEPS):
        step = sign * size
        width = _solve_width(cone, center, step, ratios, divisors)
        value, distance, response = 0.0, to_origin, np.nan
        if width > 0.0:
            value, distance, response = _measure(cone, step, width, ratios, divisors)
        if distance > 1.0:
            high = size
        else:
            low = size
        if abs(distance - 1.0) <= TOLERANCE or size == 0.0 or low >= high * (1.0 - 1e-12):
            break
        divisor = 1.0 + (distance - 1.0) / response
        size = size / divisor if divisor > 0.0 else np.inf
        if not low < size < high:
            size = 10.0 * low if high == np.inf else 0.5 * (low + high)
    if sign < 0.0 and abs(distance - 1.0) > TOLERANCE:
        value = _climb_from_both_ends(cone, center)
    return value


@kernel
def _solve_width(
    cone: Cone, center: Floats, step: float, ratios: Floats, divisors: Floats
) -> float:
    """Return the width w of the point x that belongs to a step s.

    Write x / w into ``ratios`` and ``w + s b λ`` into ``divisors``. The width solves S(w) = 1,
    where S is the sum in the loop below. S to the power -1/2 is concave in w, so Newton's method
    approaches 1 from below. If S is less than 1 even for w = 0, x is the origin.
    """
    floor = max(0.0, -step * cone.factor * cone.eigenvalues[cone.longest])
    smallest = SMALLEST * cone.radius + 1e-150
    rest = 0.0  # the width is the floor plus the rest
    for i in range(center.shape[0]):
        ratios[i] = center[i] - step * cone.vector[i]
        if i == cone.longest and abs(ratios[i]) < smallest:
            ratios[i] = math.copysign(smallest, center[i])
        divisors[i] = floor + step * cone.factor * cone.eigenvalues[i]
        rest = max(rest, math.sqrt(cone.eigenvalues[i]) * abs(ratios[i]) - divisors[i])
    for _ in range(MAX_STEPS):
        total, slope = 0.0, 0.0
        for i in range(center.shape[0]):
            inverse = 1.0 / (rest + divisors[i])
            term = cone.eigenvalues[i] * (ratios[i] * inverse) * (ratios[i] * inverse)
            total += term
            slope += term * inverse
        change = (math.sqrt(total) - 1.0) * total / slope
        rest += change
        if not change > TOLERANCE * rest:
            break
    if rest <= 0.0:
        return 0.0
    for i in range(center.shape[0]):
        divisors[i] += rest
        ratios[i] /= divisors[i]
    return floor + rest


@kernel
def _measure(
    cone: Cone, step: float, width: float, ratios: Floats, divisors: Floats
) -> tuple[float, float, float]:
    """Return the value on the sphere near x, the distance of x in radii, and its response.

    The value is f(x), corrected for the distance. The response is the derivative of the logarithm
    of the distance with respect to the logarithm of the step.
    """
    mean, square, damped, cross, rest = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(ratios.shape[0]):
        image = cone.eigenvalues[i] * ratios[i]
        gradient = cone.vector[i] + cone.factor * image
        damping = width / divisors[i]
        mean += cone.vector[i] * ratios[i]
        square += gradient * gradient
        damped += gradient * gradient * damping
        cross += gradient * image * damping
        rest += ratios[i] * image * damping
    response = (damped + step * cone.factor / width * (cross * cross / rest)) / square
    distance = abs(step) * math.sqrt(square) / cone.radius
    excess = distance - 1.0 / distance if distance > 0.0 else 0.0
    correction = math.copysign(0.5 * cone.radius * math.sqrt(square), step) * excess
    return width * (mean + cone.factor) + correction, distance, response


@program
def _climb_from_both_ends(cone: Cone, center: Floats) -> float:
    """Climb from both ends of the diameter along the longest axis; return the larger value.

    A step goes to the point of the ball where the linear approximation of f is largest. As f is
    convex, it is never lower there.
    """
    x, best = np.empty(center.shape[0]), -np.inf
    for end in (-cone.radius, cone.radius):
        for i in range(center.shape[0]):
            x[i] = center[i] + (end if i == cone.longest else 0.0)
        height = -np.inf
        for _ in range(MAX_STEPS):
            mean, width = 0.0, 0.0
            for i in range(center.shape[0]):
                mean += cone.vector[i] * x[i]
                width += cone.eigenvalues[i] * (x[i] * x[i])
            width = math.sqrt(width)
            if not mean + cone.factor * width > height:
                break
            height = mean + cone.factor * width
            pull, square = cone.factor / width if width > 0.0 else 0.0, 0.0
            for i in range(center.shape[0]):
                x[i] = cone.vector[i] + pull * cone.eigenvalues[i] * x[i]
                square += x[i] * x[i]
            reach = cone.radius / math.sqrt(square) if square > 0.0 else 0.0
            for i in range(center.shape[0]):
                x[i] = center[i] + reach * x[i]
        best = max(best, height)
    return best
