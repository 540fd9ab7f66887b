"""Which arm is best in the worst case, when contexts are known only up to an error.

Each arm's true context is somewhere within ``error`` of the one shown, wherever those of the other
arms are. An arm's upper confidence bound then has a smallest and a largest possible value, U⁻ and
U⁺. MaxMinUCB plays the arm with the largest U⁻: the *safest*. MinWD plays the arm whose worst
degradation ``max(0, max over the others of U⁺ - U⁻)`` is smallest: as errors are independent, pairs
of arms need not be searched. Only one arm can degrade less than the safest, c: the one that has the
largest U⁺, and only if ``U⁺ + U⁻`` of it exceeds the second largest U⁺ and U⁻(c).

Almost nothing of that is searched for in a round. From an offset that was a good one not long ago
U⁻ and U⁺ are enclosed (kernels/ball.py), for all arms at once. In most rounds that settles which
arm to play; else the arms in question are searched, until it does. The longest search is noted, so
that the next one begins where it ended.
"""

from __future__ import annotations

import math

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.ball import Ball, floor_at, tangent_at
from robustbandits.kernels.ball_steps import (
    STEPS,
    climb,
    descend,
    least_in_ball,
    most_in_ball,
    new_scratch,
    other_peaks,
)
from robustbandits.kernels.linalg import Floats
from robustbandits.policies.enclosure import (
    HIGH,
    LIMIT,
    LOW,
    PLACE,
    REACHED,
    TAKEN,
    Places,
    fetch,
    forget,
    is_open,
    look_down,
    look_up,
    note,
    play_of,
    points_of,
    put_back,
    two_largest,
)

#: Searches up, of two steps each, before one is made in earnest.
STROLLS = 3.0


@kernel
def decide(ball: Ball, contexts: Floats, places: Places, bounds: Floats, memo: Floats) -> int:
    """Return the arm to play; or -1 if there may be equals: the values of U⁻ reached say which."""
    look_down(ball, contexts, places.lows, bounds)
    if ball.error == 0.0:
        return -1  # LinUCB, to the last bit
    safest, rival = two_largest(bounds, LOW + REACHED)
    tangent = tangent_at(ball, points_of(bounds, contexts.shape[0]), places.lows, safest)
    floor = floor_at(ball, tangent)
    bounds[LOW + LIMIT, safest] = floor
    bounds[HIGH + REACHED, safest] = floor + 2.0 * ball.error * math.sqrt(tangent.size)
    known = floor > rival + play_of(ball, floor)
    if known:
        if places.highs.shape[1] == 0 or _is_beyond_dispute(ball, bounds, safest, rival):
            return safest
        look_up(ball, contexts, places.highs, bounds)
        if _is_unchallenged(bounds, safest):
            return safest
    return settle(ball, contexts, places, bounds, memo, known)


@program
def settle(
    ball: Ball, contexts: Floats, places: Places, bounds: Floats, memo: Floats, known: bool
) -> int:
    """Search until it is known which arm to play; return it, or -1 if it may have equals.

    If the safest is ``known``, places have been looked up.
    """
    dim, arms = contexts.shape
    offsets = np.empty((2 * dim, arms))  # where searches for U⁻, and then for U⁺, have come to
    work = new_scratch(dim)
    safest, rival = two_largest(bounds, LOW + REACHED)
    forget(bounds, known, safest)
    while True:
        side, enough = LOW, np.inf
        if known:
            winner = _challenger(ball, bounds, safest)
            if winner == safest:
                break
            side, arm = _least_known(bounds, safest, winner)
            if side < 0:
                return winner
        else:
            enough = rival + play_of(ball, bounds[LOW + REACHED, safest])
            arm = _doubtful(ball, bounds, safest, enough)
            if arm == arms:
                if places.highs.shape[1] == 0 or _is_beyond_dispute(ball, bounds, safest, rival):
                    break
                look_up(ball, contexts, places.highs, bounds)
                known = True
                continue
        _search(ball, contexts, places, bounds, offsets, memo, side, arm, enough, work)
        if not known:
            safest, rival = two_largest(bounds, LOW + REACHED)
    if is_open(bounds, LOW, safest) or (known and _leads(ball, bounds, safest)):
        return safest
    _level(ball, bounds, safest)
    return -1


# ---------------------------------------------------------------------------------------- searches


@kernel
def _search(
    ball: Ball,
    contexts: Floats,
    places: Places,
    bounds: Floats,
    offsets: Floats,
    memo: Floats,
    side: int,
    arm: int,
    enough: float,
    work: Floats,
) -> None:
    """Search for U⁻ or U⁺ of an arm, and note how far that has come."""
    dim = contexts.shape[0]
    low = side == LOW
    offsets = offsets[0 if low else dim :]
    before = bounds[side + TAKEN, arm]
    begin = places.lows if low else places.highs
    fetch(contexts, begin, offsets, before > 0.0, arm, work)
    steps = _go_down(ball, work, bounds, arm, enough) if low else _go_up(ball, work, bounds, arm)
    put_back(work, offsets, arm)
    note(work, arm, steps, memo, 0 if low else PLACE + dim)


@kernel
def _go_down(ball: Ball, work: Floats, bounds: Floats, arm: int, enough: float) -> float:
    """Go on until U⁻ is known to be more than enough, or not; by a step if nothing is enough."""
    before = bounds[LOW + TAKEN, arm]
    found = descend(ball, work, enough, enough, STEPS - before if enough < np.inf else 1.0)
    value = min(bounds[LOW + REACHED, arm], found.value)
    ended = found.value == found.floor
    bounds[LOW + REACHED, arm] = value
    bounds[LOW + LIMIT, arm] = value if ended else max(bounds[LOW + LIMIT, arm], found.floor)
    bounds[LOW + TAKEN, arm] = STEPS if ended else before + found.steps
    bounds[HIGH + REACHED, arm] = max(bounds[HIGH + REACHED, arm], found.high)
    return before + found.steps


@kernel
def _go_up(ball: Ball, work: Floats, bounds: Floats, arm: int) -> float:
    """Take a stroll; go all the way to U⁺ if a few have not been enough."""
    steps = bounds[HIGH + TAKEN, arm] + 1.0
    value, ceiling = climb(ball, work, 2.0 if steps <= STROLLS else STEPS)
    value = max(bounds[HIGH + REACHED, arm], value)
    ceiling = min(bounds[HIGH + LIMIT, arm], ceiling)
    if steps > STROLLS:
        value = max(value, other_peaks(ball, work, value, ceiling))
        ceiling = value
        steps = STEPS
    bounds[HIGH + REACHED, arm] = value
    bounds[HIGH + LIMIT, arm] = ceiling
    bounds[HIGH + TAKEN, arm] = steps
    return steps


# -------------------------------------------------------------------------------------- the safest


@kernel
def _doubtful(ball: Ball, bounds: Floats, best: int, enough: float) -> int:
    """Which arm to search before the best is known to be the safest; the number of arms if none.

    Arms that are level with it are searched to the end, so that equals can share the chance.
    """
    arms = bounds.shape[1]
    if is_open(bounds, LOW, best):
        return arms if bounds[LOW + LIMIT, best] > enough else best
    level = bounds[LOW + REACHED, best] - play_of(ball, bounds[LOW + REACHED, best])
    found = arms
    for a in range(arms):
        if bounds[LOW + REACHED, a] >= level and is_open(bounds, LOW, a):
            found = a
    return found


@kernel
def _leads(ball: Ball, bounds: Floats, arm: int) -> bool:
    """Whether an arm has a larger U⁺ than all others: with equal U⁻ it then degrades less."""
    most = -np.inf
    for a in range(bounds.shape[1]):
        most = max(most, -np.inf if a == arm else bounds[HIGH + LIMIT, a])
    return bounds[HIGH + REACHED, arm] > most + play_of(ball, bounds[HIGH + REACHED, arm])


@kernel
def _level(ball: Ball, bounds: Floats, best: int) -> None:
    """Make equal what is as good as equal to the best."""
    level = bounds[LOW + REACHED, best] - play_of(ball, bounds[LOW + REACHED, best])
    for a in range(bounds.shape[1]):
        if bounds[LOW + REACHED, a] >= level and not is_open(bounds, LOW, a):
            bounds[LOW + REACHED, a] = bounds[LOW + REACHED, best]


# ------------------------------------------------------------------------------ the least degraded


@kernel
def _is_beyond_dispute(ball: Ball, bounds: Floats, safest: int, rival: float) -> bool:
    """Whether no arm can degrade less than the safest, as is seen without a look at any U⁺.

    Another arm a would need ``U⁺(a) + U⁻(a) > U⁺(c) + U⁻(c)``. No U⁻(a) exceeds the rival, and no
    two points of a ball differ by more than ``2 rise``.
    """
    most = 2.0 * (rival + ball.rise)
    return most <= bounds[HIGH + REACHED, safest] + bounds[LOW + LIMIT, safest]


@kernel
def _is_unchallenged(bounds: Floats, safest: int) -> bool:
    """Whether the same is seen at a glance at every U⁺."""
    leader, second = two_largest(bounds, HIGH + REACHED)
    highest = bounds[HIGH + REACHED, leader]
    most = -np.inf
    for a in range(bounds.shape[1]):  # nothing in it has to be guessed ahead
        others = second if a == leader else highest
        gain = bounds[HIGH + LIMIT, a] - others + bounds[LOW + REACHED, a]
        may = a != safest and bounds[HIGH + LIMIT, a] >= others
        most = max(most, gain if may else -np.inf)
    return most <= bounds[LOW + LIMIT, safest]


@kernel
def _challenger(ball: Ball, bounds: Floats, safest: int) -> int:
    """Of the arms that may yet degrade less than the safest, the one with the largest limit.

    The safest itself, if there are none.
    """
    leader, second = two_largest(bounds, HIGH + REACHED)
    found = safest
    most = -np.inf
    for a in range(bounds.shape[1]):
        limit = bounds[HIGH + LIMIT, a]
        others = second if a == leader else bounds[HIGH + REACHED, leader]
        if a != safest and limit >= others and limit > most:
            total = limit + bounds[LOW + REACHED, a]
            # By more than four searches may be off by.
            if total - others - bounds[LOW + LIMIT, safest] > 2.0 * play_of(ball, total):
                found = a
                most = limit
    return found


@kernel
def _least_known(bounds: Floats, safest: int, arm: int) -> tuple[int, int]:
    """Return a side and an arm to search before it is known whether an arm degrades less.

    Of the four numbers that this takes, the one of which least is known. The side is -1 if the arm
    does degrade less than the safest.
    """
    rival = 0 if arm != 0 else 1  # has the second largest U⁺, once that is known
    for a in range(bounds.shape[1]):
        if a != arm and bounds[HIGH + LIMIT, a] > bounds[HIGH + LIMIT, rival]:
            rival = a
    lead = bounds[HIGH + REACHED, arm] - bounds[HIGH + LIMIT, rival]
    side, who, widest = -1, arm, 0.0
    if lead < 0.0 or not lead + bounds[LOW + LIMIT, arm] > bounds[LOW + REACHED, safest]:
        for k in range(4):
            one = arm if k < 2 else safest if k == 2 else rival
            here = LOW if k == 1 or k == 2 else HIGH
            gap = abs(bounds[here + LIMIT, one] - bounds[here + REACHED, one])
            if is_open(bounds, here, one) and gap > widest:
                side, who, widest = here, one, gap
    return side, who


@program
def appraise(ball: Ball, contexts: Floats, places: Places, values: Floats) -> None:
    """Write every arm's U⁻; or, if there are offsets in ``highs``, minus its worst degradation."""
    dim, arms = contexts.shape
    work = new_scratch(dim)
    for a in range(arms):
        fetch(contexts, places.lows, contexts, False, a, work)
        values[a] = least_in_ball(ball, work)
    if places.highs.shape[1] == 0:
        return
    tops = np.empty(arms)
    for a in range(arms):
        fetch(contexts, places.highs, contexts, False, a, work)
        tops[a] = most_in_ball(ball, work)
    for a in range(arms):
        rival = -np.inf
        for b in range(arms):
            if b != a:
                rival = max(rival, tops[b])
        values[a] = -max(0.0, rival - values[a])
