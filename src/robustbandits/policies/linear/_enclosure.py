"""What is known of a round whose contexts are known only up to an error: enclosures of U⁻ and U⁺.

One matrix with a column for each arm. What all arms' remembered places tell is written at a glance;
what a decision needs to know better is searched for in worst_case.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.ball import ROUNDING, Ball, bound_most, bounds_at
from robustbandits.kernels.ball_steps import CENTRE, OFFSET, STEPS
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.shifts import shift_columns
from robustbandits.kernels.tangents import PRODUCTS

#: Rows of what is known of U⁻, or of U⁺: a value that is reached somewhere in the ball, what no
#: value is beyond, and the steps taken to bring the two together.
REACHED, LIMIT, TAKEN = range(3)
#: Rows of what is known of a round: three each of U⁻ and U⁺; then room for points, for products of
#: them, and for the offsets that searches for U⁻, and then for U⁺, have come to.
LOW, HIGH, POINTS = 0, 3, 6


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
    return np.empty((POINTS + 3 * dim + PRODUCTS, arms))


@kernel
def is_open(bounds: Floats, side: int, arm: int) -> bool:
    """Whether there is still something to find."""
    return bounds[side + TAKEN, arm] < STEPS


@kernel
def points_of(bounds: Floats, dim: int) -> Floats:
    """Return room for points: after `look_down`, where it has looked."""
    return bounds[POINTS : POINTS + dim]


@kernel
def two_largest(bounds: Floats, row: int) -> tuple[int, float]:
    """Return the arm with the largest number in a row, and the second largest.

    Every other arm is compared with those before it, so that two comparisons go on at a time.
    """
    arms = bounds.shape[1]
    one, other, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    for a in range(0, arms - 1, 2):
        left, right = bounds[row, a], bounds[row, a + 1]
        third = max(third, min(one, left))
        fourth = max(fourth, min(other, right))
        one, other = max(one, left), max(other, right)
    if arms % 2 == 1:
        third = max(third, min(one, bounds[row, arms - 1]))
        one = max(one, bounds[row, arms - 1])
    most = max(one, other)
    best = 0
    while bounds[row, best] < most:
        best += 1
    return best, max(min(one, other), max(third, fourth))


@kernel
def play_of(ball: Ball, value: float) -> float:
    """Return what two values that are found may differ by, and be equal."""
    return 2.0 * (ball.slack + ROUNDING * abs(value))


@kernel
def fetch(contexts: Floats, places: Floats, arm: int, work: Floats) -> None:
    """Write into a scratch an arm's centre, and where its search begins."""
    column = arm if places.shape[1] == contexts.shape[1] else 0
    for i in range(contexts.shape[0]):
        work[CENTRE, i] = contexts[i, arm]
        work[OFFSET, i] = places[i, column]


@kernel
def go_on(bounds: Floats, side: int, arm: int, work: Floats) -> None:
    """Write into a scratch where an arm's search has come to."""
    at = _offsets_of(work.shape[1], side)
    for i in range(work.shape[1]):
        work[OFFSET, i] = bounds[at + i, arm]


@kernel
def put_back(work: Floats, bounds: Floats, side: int, arm: int) -> None:
    """Keep where a search has come to."""
    at = _offsets_of(work.shape[1], side)
    for i in range(work.shape[1]):
        bounds[at + i, arm] = work[OFFSET, i]


@kernel
def _offsets_of(dim: int, side: int) -> int:
    return POINTS + dim + PRODUCTS + (0 if side == LOW else dim)


@kernel
def own_offsets(places: Floats, room: Floats) -> Floats:
    """Return an offset for each arm; if they have but one, it is written for all of them."""
    if places.shape[1] == room.shape[1]:
        return places
    for i in range(places.shape[0]):
        for a in range(room.shape[1]):
            room[i, a] = places[i, 0]
    return room


@kernel
def look_down(ball: Ball, contexts: Floats, lows: Floats, bounds: Floats) -> None:
    """Write what U⁻ is at most, by the places; its limits are room for that."""
    points = points_of(bounds, contexts.shape[0])
    shift_columns(contexts, own_offsets(lows, points), points)
    bounds_at(ball, points, bounds[LOW + REACHED], bounds[LOW + LIMIT])


@program
def look_up(ball: Ball, contexts: Floats, highs: Floats, bounds: Floats) -> None:
    """Write what U⁺ is at least and at most, by the places."""
    dim = contexts.shape[0]
    points = points_of(bounds, dim)
    # Where the searches, which come later, have their room.
    offsets = own_offsets(highs, bounds[_offsets_of(dim, HIGH) :])
    shift_columns(contexts, offsets, points)
    room = bounds[POINTS + dim :]
    bound_most(ball, points, offsets, room, bounds[HIGH + REACHED], bounds[HIGH + LIMIT])


@kernel
def forget(bounds: Floats, known: bool, safest: int) -> None:
    """Open all searches, and forget limits of which nothing is known yet."""
    for a in range(bounds.shape[1]):
        bounds[LOW + TAKEN, a] = 0.0
        bounds[HIGH + TAKEN, a] = 0.0
        if a != safest:
            bounds[LOW + LIMIT, a] = -np.inf
            if not known:
                bounds[HIGH + REACHED, a] = -np.inf


# --------------------------------------------------------------------------------------- the notes

# Fields of a note: the arm that was searched longest, counted from 1, or 0; how many steps that
# took; and the offset where it came to.
ARM, LENGTH, PLACE = range(3)


@kernel
def note(work: Floats, arm: int, steps: float, memo: Floats, at: int) -> None:
    """Note where a search has come to, if it has moved, none was longer and there is room."""
    dim = work.shape[1]
    if memo.shape[0] >= at + PLACE + dim and steps > 0.0 and steps >= memo[at + LENGTH]:
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
