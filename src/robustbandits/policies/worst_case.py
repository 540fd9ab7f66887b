"""Which arm is best in the worst case, when contexts are known only up to an error.

Each arm's true context is somewhere within ``error`` of the one shown, wherever those of the other
arms are. An arm's upper confidence bound then has a smallest and a largest possible value, U⁻ and
U⁺. MaxMinUCB plays the arm with the largest U⁻: the *safest*. MinWD plays the arm whose worst
degradation ``max(0, max over the others of U⁺ - U⁻)`` is smallest: as errors are independent, pairs
of arms need not be searched. Only one arm can degrade less than the safest, c: the one that has the
largest U⁺, and only if ``U⁺ + U⁻`` of it exceeds the second largest U⁺ and U⁻(c).

Almost nothing of that is searched for in a round. From an offset that was a good one when an arm
last learned, U⁻ and U⁺ are enclosed for all arms at once (kernels/ball.py). In most rounds that
settles which arm to play; else the arms in question are searched, until it does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.ball import (
    CENTRE,
    OFFSET,
    ROUNDING,
    STEPS,
    Ball,
    bound_most,
    least_in_ball,
    most_in_ball,
    most_rise,
    new_scratch,
    step_down,
    step_up,
)
from robustbandits.kernels.columns import score_columns
from robustbandits.kernels.linalg import Floats

#: Rows of what is known of U⁻, or of U⁺: a value that is reached somewhere in the ball, what no
#: value is beyond, and the steps taken to bring the two together.
REACHED, LIMIT, TAKEN = range(3)
#: Steps up before a climb is made in earnest.
STROLL = 3.0


@kernel
def _is_open(bounds: Floats, arm: int) -> bool:
    """Whether there is still something to find."""
    return bounds[TAKEN, arm] < STEPS


@kernel
def _close(bounds: Floats, arm: int, value: float) -> None:
    """Write down a value that is found."""
    bounds[REACHED, arm] = value
    bounds[LIMIT, arm] = value
    bounds[TAKEN, arm] = STEPS


@kernel
def _place(contexts: Floats, offsets: Floats, points: Floats) -> None:
    """Go from the contexts to the points; arms beyond those that have an offset stay."""
    dim, arms = contexts.shape
    count = min(arms, offsets.shape[1])
    for i in range(dim):
        for a in range(count):
            points[i, a] = contexts[i, a] + offsets[i, a]
        for a in range(count, arms):
            points[i, a] = contexts[i, a]


@kernel
def _fetch(contexts: Floats, points: Floats, arm: int) -> Floats:
    """Return a scratch with an arm's centre and offset."""
    work = new_scratch(contexts.shape[0])
    for i in range(contexts.shape[0]):
        work[CENTRE, i] = contexts[i, arm]
        work[OFFSET, i] = points[i, arm] - contexts[i, arm]
    return work


@kernel
def _put_back(work: Floats, points: Floats, arm: int) -> None:
    """Keep where a search has come to."""
    for i in range(work.shape[1]):
        points[i, arm] = work[CENTRE, i] + work[OFFSET, i]


@kernel
def _write_bounds(ball: Ball, points: Floats, means: Floats, values: Floats) -> None:
    """Write the bound at each of the points; ``means`` is scratch."""
    score_columns(ball.inverse, ball.theta, points, means, values)
    for a in range(values.shape[0]):
        values[a] = means[a] + ball.factor * math.sqrt(max(0.0, values[a]))


@kernel
def _play_of(ball: Ball, value: float) -> float:
    """Return what two values that are found may differ by, and be equal."""
    return 2.0 * (ball.slack + ROUNDING * abs(value))


@kernel
def _two_largest(bounds: Floats) -> tuple[int, float]:
    """Return the arm with the largest value reached, and the second largest value."""
    best = 0
    second = -np.inf
    for a in range(1, bounds.shape[1]):
        if bounds[REACHED, a] > bounds[REACHED, best]:
            second = bounds[REACHED, best]
            best = a
        else:
            second = max(second, bounds[REACHED, a])
    return best, second


# -------------------------------------------------------------------------------------- the safest


@kernel
def _find_safest(ball: Ball, contexts: Floats, points: Floats, low: Floats) -> int:
    """Search until the arm with the largest value reached is known to have the largest U⁻.

    Or to be as good as that: arms that are level with it are searched to the end, so that equals
    can share the chance.
    """
    while True:
        best, rival = _two_largest(low)
        if low[LIMIT, best] > rival:
            return best
        arm = best
        if not _is_open(low, best):
            level = low[REACHED, best] - _play_of(ball, low[REACHED, best])
            for a in range(low.shape[1]):
                if low[REACHED, a] >= level and _is_open(low, a):
                    arm = a
            if arm == best:
                return best
        _search_down(ball, contexts, points, low, arm, rival)


@program
def _search_down(
    ball: Ball, contexts: Floats, points: Floats, low: Floats, arm: int, enough: float
) -> None:
    """Search for an arm's U⁻ until it is known to be more than enough, or to be less."""
    work = _fetch(contexts, points, arm)
    while _is_open(low, arm) and low[REACHED, arm] >= enough and not low[LIMIT, arm] > enough:
        value, floor = step_down(ball, work, enough)
        low[REACHED, arm] = min(low[REACHED, arm], value)
        low[LIMIT, arm] = max(low[LIMIT, arm], floor)
        if not floor > enough:
            low[TAKEN, arm] += 1.0
        if value == floor:
            _close(low, arm, low[REACHED, arm])
    _put_back(work, points, arm)


@program
def _settle_down(ball: Ball, contexts: Floats, points: Floats, low: Floats, arm: int) -> None:
    """Find an arm's U⁻."""
    value = least_in_ball(ball, _fetch(contexts, points, arm))
    _close(low, arm, min(low[REACHED, arm], value))


@kernel
def _level(ball: Ball, low: Floats, best: int) -> None:
    """Make equal what is as good as equal to the best."""
    if not _is_open(low, best):
        level = low[REACHED, best] - _play_of(ball, low[REACHED, best])
        for a in range(low.shape[1]):
            if low[REACHED, a] >= level and not _is_open(low, a):
                low[REACHED, a] = low[REACHED, best]


# ------------------------------------------------------------------------------ the least degraded


@program
def _find_least_degraded(
    ball: Ball, contexts: Floats, points: Floats, low: Floats, highs: Floats, safest: int
) -> int:
    """Return the safest arm, or the one that is known to degrade less; -1 - arm after a search."""
    dim, arms = contexts.shape
    room = np.empty((2 * dim + 5, arms))
    peaks, offsets = room[:dim], room[dim : 2 * dim]
    high, told = room[2 * dim : 2 * dim + 3], room[2 * dim + 3 :]
    _write_bounds(ball, contexts, told[0], high[REACHED])
    rise = most_rise(ball)
    for a in range(arms):
        high[LIMIT, a] = high[REACHED, a] + rise
        high[TAKEN, a] = 0.0
    if _most_likely(low, high, safest) < 0:
        return safest
    _place(contexts, highs, peaks)
    for i in range(dim):
        for a in range(arms):
            offsets[i, a] = peaks[i, a] - contexts[i, a]
    bound_most(ball, peaks, offsets, told[0], told[1])
    for a in range(arms):
        high[REACHED, a] = max(high[REACHED, a], told[0, a])
        high[LIMIT, a] = min(high[LIMIT, a], told[1, a])
    if _most_likely(low, high, safest) < 0:
        return safest
    return -1 - _contest(ball, contexts, points, peaks, low, high, safest)


@kernel
def _contest(
    ball: Ball,
    contexts: Floats,
    points: Floats,
    peaks: Floats,
    low: Floats,
    high: Floats,
    safest: int,
) -> int:
    """Search until it is known whether an arm degrades less than the safest."""
    while True:
        arm = _most_likely(low, high, safest)
        if arm < 0:
            return safest
        rival = 0 if arm != 0 else 1  # the arm with the second largest U⁺, once that is found
        for a in range(contexts.shape[1]):
            if a != arm and high[LIMIT, a] > high[LIMIT, rival]:
                rival = a
        if _is_open(high, arm):
            _search_up(ball, contexts, peaks, high, arm)
        elif _is_open(low, arm):
            _settle_down(ball, contexts, points, low, arm)
        elif _is_open(low, safest):
            _settle_down(ball, contexts, points, low, safest)
        elif _is_open(high, rival):
            _search_up(ball, contexts, peaks, high, rival)
        else:
            return arm


@kernel
def _most_likely(low: Floats, high: Floats, safest: int) -> int:
    """Of the arms that may yet degrade less than the safest, the one with the highest limit."""
    leader, second = _two_largest(high)
    found = -1
    highest = -np.inf
    for a in range(high.shape[1]):
        others = second if a == leader else high[REACHED, leader]
        limit = high[LIMIT, a]
        gain = limit + low[REACHED, a] - others - low[LIMIT, safest]
        if a != safest and gain > 0.0 and limit >= others and limit > highest:
            found = a
            highest = limit
    return found


@program
def _search_up(ball: Ball, contexts: Floats, peaks: Floats, high: Floats, arm: int) -> None:
    """Take a step of the search for an arm's U⁺; find it if a few steps have not been enough."""
    work = _fetch(contexts, peaks, arm)
    if high[TAKEN, arm] >= STROLL:
        _close(high, arm, max(high[REACHED, arm], most_in_ball(ball, work)))
        return
    step_up(ball, work)
    value, ceiling = step_up(ball, work)
    _put_back(work, peaks, arm)
    high[REACHED, arm] = max(high[REACHED, arm], value)
    high[LIMIT, arm] = min(high[LIMIT, arm], ceiling)
    high[TAKEN, arm] += 1.0


# ---------------------------------------------------------------------------------------- verdicts


class Places(NamedTuple):
    """Where in each arm's ball its bound was smallest and largest, when it was last looked for.

    No more than good places to begin at: the arm played does not depend on them, only the time
    that it takes.
    """

    lows: Floats  # (dim, arms) offsets
    highs: Floats  # (dim, arms) offsets; (dim, 0) for MaxMinUCB, which has no use for them
    found: Floats  # (2, arms) 1 where one has been found for that very arm, in lows and in highs


@program
def rank(ball: Ball, contexts: Floats, places: Places, values: Floats, notes: Floats) -> None:
    """Write values of which the largest is that of the arm to play: the others are anything less.

    The first two notes say whether the arm's places in ``lows`` and ``highs`` could be better.
    """
    dim, arms = contexts.shape
    room = np.empty((dim + 3, arms))
    points, low = room[:dim], room[dim:]
    _place(contexts, places.lows, points)
    _write_bounds(ball, points, low[LIMIT], low[REACHED])
    for a in range(arms):
        low[LIMIT, a] = -np.inf
        low[TAKEN, a] = 0.0
    best = safest = _find_safest(ball, contexts, points, low)
    notes[1] = 0.0
    if places.highs.shape[1] > 0 and arms > 1:
        best = _find_least_degraded(ball, contexts, points, low, places.highs, safest)
        if best < 0:
            notes[1] = 1.0
            best = -1 - best
    notes[0] = low[TAKEN, best]
    _level(ball, low, safest)
    for a in range(arms):
        values[a] = low[REACHED, a]
    if best != safest:
        values[best] = np.inf


@program
def appraise(ball: Ball, contexts: Floats, places: Places, values: Floats) -> None:
    """Write every arm's U⁻; or, if there are offsets in ``highs``, minus its worst degradation."""
    dim, arms = contexts.shape
    points = np.empty((dim, arms))
    bounds = np.empty((3, arms))
    _place(contexts, places.lows, points)
    for a in range(arms):
        bounds[REACHED, a] = np.inf
        _settle_down(ball, contexts, points, bounds, a)
        values[a] = bounds[REACHED, a]
    if places.highs.shape[1] == 0:
        return
    _place(contexts, places.highs, points)
    for a in range(arms):
        bounds[REACHED, a] = -np.inf
        bounds[TAKEN, a] = STROLL
        _search_up(ball, contexts, points, bounds, a)
    for a in range(arms):
        rival = -np.inf
        for b in range(arms):
            if b != a:
                rival = max(rival, bounds[REACHED, b])
        values[a] = -max(0.0, rival - values[a])
