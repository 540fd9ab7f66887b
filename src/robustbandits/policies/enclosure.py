"""What is known of a round whose contexts are known only up to an error: enclosures of U⁻ and U⁺.

One matrix with a column for each arm. What all arms' remembered places tell is written at a glance;
what a decision needs to know better is searched for in worst_case.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.ball import ROUNDING, Ball, bound_most, bounds_at
from robustbandits.kernels.ball_steps import CENTRE, OFFSET, STEPS, new_scratch
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.tangents import PRODUCTS

#: Rows of what is known of U⁻, or of U⁺: a value that is reached somewhere in the ball, what no
#: value is beyond, and the steps taken to bring the two together.
REACHED, LIMIT, TAKEN = range(3)
#: Rows of what is known of a round: three each of U⁻ and U⁺; then the offsets where searches for
#: U⁻, and those for U⁺, have come to; then room for points, and for products of them.
LOW, HIGH, OFFSETS = 0, 3, 6


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
    return np.empty((OFFSETS + 3 * dim + PRODUCTS, arms))


@kernel
def is_open(bounds: Floats, side: int, arm: int) -> bool:
    """Whether there is still something to find."""
    return bounds[side + TAKEN, arm] < STEPS


@kernel
def points_of(bounds: Floats, dim: int) -> Floats:
    """Return room for points: after `look_down`, where it has looked."""
    return bounds[OFFSETS + 2 * dim : OFFSETS + 3 * dim]


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
def look_down(ball: Ball, contexts: Floats, lows: Floats, bounds: Floats) -> None:
    """Write what the places tell of U⁻."""
    dim, arms = contexts.shape
    points = points_of(bounds, dim)
    own = lows.shape[1] == arms
    for i in range(dim):
        if own:
            for a in range(arms):
                points[i, a] = contexts[i, a] + lows[i, a]
        else:
            for a in range(arms):
                points[i, a] = contexts[i, a] + lows[i, 0]
    bounds_at(ball, points, bounds[LOW + REACHED], bounds[LOW + LIMIT])
    for a in range(arms):
        bounds[LOW + LIMIT, a] = -np.inf
        bounds[LOW + TAKEN, a] = 0.0
        bounds[HIGH + REACHED, a] = -np.inf
        bounds[HIGH + TAKEN, a] = 0.0


@program
def look_up(ball: Ball, contexts: Floats, highs: Floats, bounds: Floats) -> None:
    """Write what the places tell of U⁺."""
    dim, arms = contexts.shape
    offsets = bounds[OFFSETS + dim : OFFSETS + 2 * dim]
    points = points_of(bounds, dim)
    if highs.shape[1] == arms:
        offsets = highs
    else:
        for i in range(dim):
            for a in range(arms):
                offsets[i, a] = highs[i, 0]
    for i in range(dim):
        for a in range(arms):
            points[i, a] = contexts[i, a] + offsets[i, a]
    room = bounds[OFFSETS + 3 * dim :]
    bound_most(ball, points, offsets, room, bounds[HIGH + REACHED], bounds[HIGH + LIMIT])


# --------------------------------------------------------------------------------------- the notes

# Fields of a note: the arm that was searched longest, counted from 1, or 0; how many steps that
# took; and the offset where it came to.
ARM, LENGTH, PLACE = range(3)


@kernel
def note(work: Floats, arm: int, steps: float, memo: Floats, at: int) -> None:
    """Note where a search has come to, if none was longer and the memo has room for it."""
    dim = work.shape[1]
    if memo.shape[0] >= at + PLACE + dim and steps >= memo[at + LENGTH]:
        memo[at + ARM] = arm + 1.0
        memo[at + LENGTH] = steps
        for i in range(dim):
            memo[at + PLACE + i] = work[OFFSET, i]


@kernel
def remember(memo: Floats, at: int, offsets: Floats, found: Floats, side: int) -> None:
    """Remember what was noted."""
    dim, arms = offsets.shape[0], found.shape[1]
    if memo.shape[0] >= at + PLACE + dim and 1.0 <= memo[at + ARM] <= arms:
        arm = int(memo[at + ARM]) - 1
        found[side, arm] = 1.0
        for i in range(dim):
            offsets[i, arm] = memo[at + PLACE + i]
