"""What is known of a round whose contexts are known only up to an error: enclosures of U⁻ and U⁺.

One matrix with a column for each arm. `enclose` fills it at a glance, for all arms at once; what a
decision needs to know better is searched for in worst_case.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.ball import CENTRE, OFFSET, ROUNDING, STEPS, Ball, new_scratch
from robustbandits.kernels.columns import score_columns
from robustbandits.kernels.linalg import Floats, multiply, products

#: Rows of what is known of U⁻, or of U⁺: a value that is reached somewhere in the ball, what no
#: value is beyond, and the steps taken to bring the two together.
REACHED, LIMIT, TAKEN = range(3)
#: Rows of what is known of a round: the bounds of the contexts shown, and their widths; what the
#: sum of U⁺ and U⁻ is at most; three each of U⁻ and U⁺; and the offsets where searches for U⁻, and
#: then those for U⁺, have come to.
SHOWN, WIDTH, SUM, LOW, HIGH, OFFSETS = 0, 1, 2, 3, 6, 9


class Places(NamedTuple):
    """Where in the balls bounds were smallest and largest, when that was last looked for.

    No more than good places to begin at: the arm played does not depend on them, only the time
    that it takes.
    """

    lows: Floats  # (dim, arms) offsets; (dim, 1), one for all, where arms change
    highs: Floats  # the same; (dim, 0) for MaxMinUCB, which has no use for them
    found: Floats  # (2, arms) 1 where one has been found for that very arm, in lows and in highs


@kernel
def new_bounds(dim: int, arms: int) -> Floats:
    """Return room for what is known of a round."""
    return np.empty((OFFSETS + 2 * dim, arms))


@kernel
def is_open(bounds: Floats, side: int, arm: int) -> bool:
    """Whether there is still something to find."""
    return bounds[side + TAKEN, arm] < STEPS


@kernel
def close(bounds: Floats, side: int, arm: int, value: float) -> None:
    """Write down a value that is found."""
    bounds[side + REACHED, arm] = value
    bounds[side + LIMIT, arm] = value
    bounds[side + TAKEN, arm] = STEPS


@kernel
def two_largest(bounds: Floats, row: int) -> tuple[int, float]:
    """Return the arm with the largest number in a row, and the second largest.

    In three loops, because nothing in them has to be guessed ahead.
    """
    arms = bounds.shape[1]
    most = bounds[row, 0]
    for a in range(1, arms):
        most = max(most, bounds[row, a])
    best = 0
    while bounds[row, best] < most:
        best += 1
    second = -np.inf
    for a in range(arms):
        second = max(second, -np.inf if a == best else bounds[row, a])
    return best, second


@kernel
def play_of(ball: Ball, value: float) -> float:
    """Return what two values that are found may differ by, and be equal."""
    return 2.0 * (ball.slack + ROUNDING * abs(value))


@kernel
def fetch(contexts: Floats, places: Floats, offsets: Floats, begun: bool, arm: int) -> Floats:
    """Return a scratch with an arm's centre, and where its search begins, or has come to."""
    work = new_scratch(contexts.shape[0])
    column = arm if places.shape[1] == contexts.shape[1] else 0
    for i in range(contexts.shape[0]):
        work[CENTRE, i] = contexts[i, arm]
        work[OFFSET, i] = offsets[i, arm] if begun else places[i, column]
    return work


@kernel
def put_back(work: Floats, offsets: Floats, arm: int) -> None:
    """Keep where a search has come to."""
    for i in range(work.shape[1]):
        offsets[i, arm] = work[OFFSET, i]


@kernel
def show(ball: Ball, contexts: Floats, bounds: Floats) -> None:
    """Write the bounds of the contexts shown, and their widths."""
    score_columns(ball.ridge.inverse, ball.ridge.theta, contexts, bounds[SHOWN], bounds[WIDTH])
    for a in range(contexts.shape[1]):
        bounds[WIDTH, a] = math.sqrt(max(0.0, bounds[WIDTH, a]))
        bounds[SHOWN, a] += ball.factor * bounds[WIDTH, a]


@program
def enclose(ball: Ball, contexts: Floats, lows: Floats, bounds: Floats) -> None:
    """Write what the bounds of the contexts shown tell, and the values of U⁻ at the places.

    Nowhere in a ball does the bound f differ from f(c) by more than ``rise``. As it is convex, U⁺
    is at least as far above f(c) as U⁻ is below. And a parabola touches it from above at c: the sum
    of the two exceeds 2 f(c) by at most κλ error².
    """
    arms = contexts.shape[1]
    if lows.shape[1] == arms:
        _reach_each(ball, contexts, lows, bounds)
    else:
        _reach_all(ball, contexts, lows, bounds)
    rest = ball.factor * ball.stretch * (ball.error * ball.error)
    for a in range(arms):
        value, width = bounds[SHOWN, a], bounds[WIDTH, a]
        bounds[SUM, a] = 2.0 * value + rest / width if width > 0.0 else np.inf
        bounds[LOW + LIMIT, a] = value - ball.rise
        bounds[LOW + TAKEN, a] = 0.0
        bounds[HIGH + REACHED, a] = max(value, 2.0 * value - bounds[LOW + REACHED, a])
        bounds[HIGH + LIMIT, a] = value + ball.rise
        bounds[HIGH + TAKEN, a] = 0.0


@kernel
def _reach_all(ball: Ball, contexts: Floats, lows: Floats, bounds: Floats) -> None:
    """Write the bounds at one offset from all contexts."""
    dim = contexts.shape[0]
    offset, image = np.empty(dim), np.empty(dim)
    for i in range(dim):
        offset[i] = lows[i, 0]
    multiply(ball.ridge.inverse, offset, image)
    mean, square = 0.0, 0.0
    for i in range(dim):
        mean += ball.ridge.theta[i] * offset[i]
        square += image[i] * offset[i]
    products(image, contexts, bounds[LOW + REACHED])
    for a in range(contexts.shape[1]):
        width = bounds[WIDTH, a]
        moved = width * width + 2.0 * bounds[LOW + REACHED, a] + square
        wider = math.sqrt(max(0.0, moved)) - width
        bounds[LOW + REACHED, a] = bounds[SHOWN, a] + mean + ball.factor * wider


@kernel
def _reach_each(ball: Ball, contexts: Floats, lows: Floats, bounds: Floats) -> None:
    """Write the bounds at each arm's own offset."""
    dim, arms = contexts.shape
    points = np.empty((dim, arms))
    for i in range(dim):
        for a in range(arms):
            points[i, a] = contexts[i, a] + lows[i, a]
    means, values = bounds[LOW + LIMIT], bounds[LOW + REACHED]
    score_columns(ball.ridge.inverse, ball.ridge.theta, points, means, values)
    for a in range(arms):
        values[a] = means[a] + ball.factor * math.sqrt(max(0.0, values[a]))
