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

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.ball import (
    Ball,
    bound_most,
    least_in_ball,
    most_in_ball,
    step_down,
    step_up,
)
from robustbandits.kernels.linalg import Floats
from robustbandits.policies.enclosure import (
    HIGH,
    LIMIT,
    LOW,
    OFFSETS,
    REACHED,
    SHOWN,
    SUM,
    TAKEN,
    Places,
    close,
    enclose,
    fetch,
    is_open,
    play_of,
    put_back,
    show,
    two_largest,
)

#: Steps up before a climb is made in earnest.
STROLL = 3.0


# -------------------------------------------------------------------------------------- the safest


@program
def _search_safest(ball: Ball, contexts: Floats, lows: Floats, bounds: Floats) -> int:
    """Search until the arm with the largest value reached is known to have the largest U⁻.

    Or to be as good as that: arms that are level with it are searched to the end, so that equals
    can share the chance.
    """
    while True:
        best, rival = two_largest(bounds, LOW + REACHED)
        enough = rival + play_of(ball, rival)
        arm = best
        if is_open(bounds, LOW, best):
            if bounds[LOW + LIMIT, best] > enough:
                return best
        else:
            level = bounds[LOW + REACHED, best] - play_of(ball, bounds[LOW + REACHED, best])
            for a in range(bounds.shape[1]):
                if bounds[LOW + REACHED, a] >= level and is_open(bounds, LOW, a):
                    arm = a
            if arm == best:
                return best
        _search_down(ball, contexts, lows, bounds, arm, enough)


@kernel
def _level(ball: Ball, bounds: Floats, best: int) -> None:
    """Make equal what is as good as equal to the best."""
    level = bounds[LOW + REACHED, best] - play_of(ball, bounds[LOW + REACHED, best])
    for a in range(bounds.shape[1]):
        if bounds[LOW + REACHED, a] >= level and not is_open(bounds, LOW, a):
            bounds[LOW + REACHED, a] = bounds[LOW + REACHED, best]


@program
def _search_down(
    ball: Ball, contexts: Floats, lows: Floats, bounds: Floats, arm: int, enough: float
) -> None:
    """Take a step of the search for an arm's U⁻, unless that is known to be more than enough."""
    begun = bounds[LOW + TAKEN, arm] > 0.0
    work = fetch(contexts, lows, bounds[OFFSETS:], begun, arm)
    value, floor = step_down(ball, work, enough)
    bounds[LOW + REACHED, arm] = min(bounds[LOW + REACHED, arm], value)
    bounds[LOW + LIMIT, arm] = max(bounds[LOW + LIMIT, arm], floor)
    if not floor > enough:
        put_back(work, bounds[OFFSETS:], arm)
        bounds[LOW + TAKEN, arm] += 1.0
        if value == floor:
            close(bounds, LOW, arm, bounds[LOW + REACHED, arm])


# ------------------------------------------------------------------------------ the least degraded


@program
def _most_likely(ball: Ball, bounds: Floats, safest: int) -> int:
    """Of the arms that may yet degrade less than the safest, the one with the largest limit."""
    leader, second = two_largest(bounds, HIGH + REACHED)
    found = -1
    highest = -np.inf
    for a in range(bounds.shape[1]):
        others = second if a == leader else bounds[HIGH + REACHED, leader]
        limit = bounds[HIGH + LIMIT, a]
        total = min(limit + bounds[LOW + REACHED, a], bounds[SUM, a])
        gain = total - others - bounds[LOW + LIMIT, safest]
        real = gain > 2.0 * play_of(ball, total)  # more than four searches may be off by
        if a != safest and real and limit >= others and limit > highest:
            found = a
            highest = limit
    return found


@program
def _contest(
    ball: Ball, contexts: Floats, lows: Floats, highs: Floats, bounds: Floats, safest: int
) -> int:
    """Search until it is known whether an arm degrades less than the safest; return that, or it.

    Of the four numbers that this takes, the one of which least is known is searched on.
    """
    arms = contexts.shape[1]
    _look_up(ball, contexts, highs, bounds)
    while True:
        arm = _most_likely(ball, bounds, safest)
        if arm < 0:
            return safest
        rival = 0 if arm != 0 else 1  # has the second largest U⁺, once that is known
        for a in range(arms):
            if a != arm and bounds[HIGH + LIMIT, a] > bounds[HIGH + LIMIT, rival]:
                rival = a
        lead = bounds[HIGH + REACHED, arm] - bounds[HIGH + LIMIT, rival]
        if lead >= 0.0 and lead + bounds[LOW + LIMIT, arm] > bounds[LOW + REACHED, safest]:
            return arm
        gaps = (
            _gap(bounds, HIGH, arm),
            _gap(bounds, LOW, arm),
            _gap(bounds, LOW, safest),
            _gap(bounds, HIGH, rival),
        )
        widest = max(max(gaps[0], gaps[1]), max(gaps[2], gaps[3]))
        if widest == 0.0:
            return arm
        if gaps[0] == widest:
            _search_up(ball, contexts, highs, bounds, arm)
        elif gaps[1] == widest:
            _search_down(ball, contexts, lows, bounds, arm, np.inf)
        elif gaps[2] == widest:
            _search_down(ball, contexts, lows, bounds, safest, np.inf)
        else:
            _search_up(ball, contexts, highs, bounds, rival)


@kernel
def _gap(bounds: Floats, side: int, arm: int) -> float:
    """How much is left to find."""
    if not is_open(bounds, side, arm):
        return 0.0
    return abs(bounds[side + LIMIT, arm] - bounds[side + REACHED, arm])


@kernel
def _look_up(ball: Ball, contexts: Floats, highs: Floats, bounds: Floats) -> None:
    """Enclose U⁺ of all arms more closely, at the places."""
    dim, arms = contexts.shape
    room = np.empty((dim + 2, arms))
    points, values, ceilings = room[:dim], room[dim], room[dim + 1]
    offsets = bounds[OFFSETS + dim :]
    for i in range(dim):
        for a in range(arms):
            offsets[i, a] = highs[i, a if highs.shape[1] == arms else 0]
            points[i, a] = contexts[i, a] + offsets[i, a]
    bound_most(ball, points, offsets, values, ceilings)
    for a in range(arms):
        bounds[HIGH + REACHED, a] = max(bounds[HIGH + REACHED, a], values[a])
        bounds[HIGH + LIMIT, a] = min(bounds[HIGH + LIMIT, a], ceilings[a])


@program
def _search_up(ball: Ball, contexts: Floats, highs: Floats, bounds: Floats, arm: int) -> None:
    """Take a step of the search for an arm's U⁺; find it if a few steps have not been enough."""
    offsets = bounds[OFFSETS + contexts.shape[0] :]
    work = fetch(contexts, highs, offsets, True, arm)
    if bounds[HIGH + TAKEN, arm] >= STROLL:
        value = max(bounds[HIGH + REACHED, arm], most_in_ball(ball, work))
        close(bounds, HIGH, arm, value)
        return
    step_up(ball, work)
    value, ceiling = step_up(ball, work)
    put_back(work, offsets, arm)
    bounds[HIGH + REACHED, arm] = max(bounds[HIGH + REACHED, arm], value)
    bounds[HIGH + LIMIT, arm] = min(bounds[HIGH + LIMIT, arm], ceiling)
    bounds[HIGH + TAKEN, arm] += 1.0


# ---------------------------------------------------------------------------------------- verdicts


@kernel
def decide(ball: Ball, contexts: Floats, places: Places, bounds: Floats, notes: Floats) -> int:
    """Return the arm to play; or -1 if there may be equals: the values of U⁻ reached say which.

    The first two notes say whether the arm's places in ``lows`` and ``highs`` could be better.
    """
    show(ball, contexts, bounds)
    notes[0] = 0.0
    notes[1] = 0.0
    best, rival = two_largest(bounds, SHOWN)
    # The best as shown has a U⁻ above those of all others, and so much more than they that U⁺ does
    # not matter: 2 U(c) > 2 U(a) + rise - fall >= U⁺(a) + U⁻(a).
    if bounds[SHOWN, best] - rival > ball.rise - ball.fall:
        return best
    enclose(ball, contexts, places.lows, bounds)
    best, rival = two_largest(bounds, LOW + REACHED)
    if not bounds[LOW + LIMIT, best] > rival:
        best = _search_safest(ball, contexts, places.lows, bounds)
    safest = best
    if places.highs.shape[1] > 0 and _most_likely(ball, bounds, safest) >= 0:
        best = _contest(ball, contexts, places.lows, places.highs, bounds, safest)
        notes[1] = 1.0
    notes[0] = bounds[LOW + TAKEN, best]
    if best != safest or is_open(bounds, LOW, best):
        return best
    _level(ball, bounds, safest)
    return -1


@program
def appraise(ball: Ball, contexts: Floats, places: Places, values: Floats) -> None:
    """Write every arm's U⁻; or, if there are offsets in ``highs``, minus its worst degradation."""
    arms = contexts.shape[1]
    for a in range(arms):
        values[a] = least_in_ball(ball, fetch(contexts, places.lows, contexts, False, a))
    if places.highs.shape[1] == 0:
        return
    tops = np.empty(arms)
    for a in range(arms):
        tops[a] = most_in_ball(ball, fetch(contexts, places.highs, contexts, False, a))
    for a in range(arms):
        rival = -np.inf
        for b in range(arms):
            if b != a:
                rival = max(rival, tops[b])
        values[a] = -max(0.0, rival - values[a])
