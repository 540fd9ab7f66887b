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

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.ball import Ball, floor_at, tangent_at
from robustbandits.kernels.ball_steps import (
    STEPS,
    ascend,
    descend,
    new_scratch,
)
from robustbandits.kernels.linalg import Floats
from robustbandits.policies.linear._enclosure import (
    HIGH,
    LIMIT,
    LOW,
    PLACE,
    REACHED,
    TAKEN,
    Places,
    fetch,
    forget,
    go_on,
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
        if _is_beyond_dispute(ball, places, bounds, safest, rival):
            return safest
        look_up(ball, contexts, places.highs, bounds)
        if _is_unchallenged(bounds, safest):
            return safest
    return settle(ball, contexts, places, bounds, memo, safest, known)


@program
def settle(
    ball: Ball,
    contexts: Floats,
    places: Places,
    bounds: Floats,
    memo: Floats,
    safest: int,
    known: bool,
) -> int:
    """Search until it is known which arm to play; return it, or -1 if it may have equals.

    ``known``: whether the arm that seems the safest is known to be; then places were looked up.
    """
    forget(bounds, known, safest)
    while True:
        leader, second = two_largest(bounds, REACHED + (HIGH if known else LOW))
        side, enough = LOW, np.inf
        if known:
            winner = _challenger(ball, bounds, safest, leader, second)
            if winner == safest:
                break
            side, arm = _least_known(bounds, safest, winner)
            if side < 0:
                return winner
        else:
            safest = leader
            enough = second + play_of(ball, bounds[LOW + REACHED, safest])
            arm = _doubtful(ball, bounds, safest, enough)
            if arm == contexts.shape[1]:
                if _is_beyond_dispute(ball, places, bounds, safest, second):
                    break
                look_up(ball, contexts, places.highs, bounds)
                known = True
                continue
        _search(ball, contexts, places, bounds, memo, side, arm, enough)
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
    memo: Floats,
    side: int,
    arm: int,
    enough: float,
) -> None:
    """Search for U⁻ or U⁺ of an arm, and note how far that has come."""
    dim = contexts.shape[0]
    work = new_scratch(dim)
    fetch(contexts, places.lows if side == LOW else places.highs, arm, work)
    if bounds[side + TAKEN, arm] > 0.0:
        go_on(bounds, side, arm, work)
    if side == LOW:
        steps = _go_down(ball, work, bounds, arm, enough)
    else:
        steps = _go_up(ball, work, bounds, arm)
    put_back(work, bounds, side, arm)
    note(work, arm, steps, memo, 0 if side == LOW else PLACE + dim)


@kernel
def _go_down(ball: Ball, work: Floats, bounds: Floats, arm: int, enough: float) -> float:
    """Go on until U⁻ is known to be more than enough, or not; by a step if nothing is enough."""
    before = bounds[LOW + TAKEN, arm]
    found = descend(ball, work, enough, enough, STEPS - before if enough < np.inf else 1.0)
    value = min(bounds[LOW + REACHED, arm], found.value)
    ended = found.value == found.floor
    bounds[LOW + REACHED, arm] = value
    bounds[LOW + LIMIT, arm] = value if ended else max(bounds[LOW + LIMIT, arm], found.floor)
    # One at least: what rounding makes of equal arms might otherwise be looked at for ever.
    bounds[LOW + TAKEN, arm] = STEPS if ended else before + max(1.0, found.steps)
    bounds[HIGH + REACHED, arm] = max(bounds[HIGH + REACHED, arm], found.high)
    return before + found.steps


@kernel
def _go_up(ball: Ball, work: Floats, bounds: Floats, arm: int) -> float:
    """Take a stroll; go all the way to U⁺ if a few have not been enough."""
    steps = bounds[HIGH + TAKEN, arm] + 1.0
    value, ceiling = ascend(
        ball,
        work,
        bounds[HIGH + REACHED, arm],
        bounds[HIGH + LIMIT, arm],
        2.0 if steps <= STROLLS else STEPS,
    )
    bounds[HIGH + REACHED, arm] = value
    bounds[HIGH + LIMIT, arm] = ceiling
    bounds[HIGH + TAKEN, arm] = steps if steps <= STROLLS else STEPS
    return bounds[HIGH + TAKEN, arm]


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
def _is_beyond_dispute(
    ball: Ball, places: Places, bounds: Floats, safest: int, rival: float
) -> bool:
    """Whether no arm can be as good as the safest, as is seen without a look at any U⁺.

    For MaxMinUCB none is better. To degrade no more, another arm a would need ``U⁺(a) + U⁻(a) >=
    U⁺(c) + U⁻(c)``. No U⁻(a) exceeds the rival, and no two points of a ball differ by more than
    ``2 rise``.
    """
    most = 2.0 * (rival + ball.rise)
    known = bounds[HIGH + REACHED, safest] + bounds[LOW + LIMIT, safest]
    return places.highs.shape[1] == 0 or most < known


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
def _challenger(ball: Ball, bounds: Floats, safest: int, leader: int, second: float) -> int:
    """Of the arms that may yet degrade less than the safest, the one with the largest limit.

    The safest itself, if there are none. The leader has the largest U⁺, as far as is known.
    """
    highest = bounds[HIGH + REACHED, leader]
    floor = bounds[LOW + LIMIT, safest]
    found, most = safest, -np.inf
    for a in range(bounds.shape[1]):
        limit = bounds[HIGH + LIMIT, a]
        total = limit + bounds[LOW + REACHED, a]
        others = second if a == leader else highest
        # By more than four searches may be off by.
        may = (
            (a != safest)
            & (limit >= others)
            & (total - others - floor > 2.0 * play_of(ball, total))
        )
        limit = limit if may else -np.inf
        if limit > most:
            found, most = a, limit
    return found


@kernel
def _least_known(bounds: Floats, safest: int, arm: int) -> tuple[int, int]:
    """Return a side and an arm to search before it is known whether an arm degrades less.

    Of the four numbers that this takes, the one of which least is known. The side is -1 if the arm
    does degrade less than the safest, or if nothing is left to find.
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
