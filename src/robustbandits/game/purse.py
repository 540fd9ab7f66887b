"""The purse: it limits what an attack can change.

Every proposal of an attack is clipped to the legal range, priced by the change that is left, and
truncated if the budget cannot pay for it. So ``spent <= budget`` and the legal ranges hold exactly,
for every attack, and a budget of zero gives the unattacked game bit for bit. The rule `reference`,
which imitates the code of the paper's authors, is an exception.

If rewards are clicks, the legal rewards are 0 and 1. A proposal is rounded to the nearer of them,
one of exactly 1/2 changes nothing, and a changed click costs 1: a purse that has less left changes
no click, because there is no part of a click to pay for.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats

#: What happens to a proposal that costs more than is left: `truncate` makes a part of the change,
#: `skip` makes none, `stop` makes none and closes the purse. `reference` imitates the
#: code of the paper's authors: rewards and contexts are not clipped, and the last change may exceed
#: the budget.
Rule = Literal["truncate", "skip", "stop", "reference"]
RULES = get_args(Rule)
TRUNCATE, SKIP, STOP, REFERENCE = range(4)

#: A purse with no more than this left counts as empty.
EMPTY = 1e-12

# Positions in an account: what was spent; of that on contexts; proposals that were not finite or
# named no arm, and those that were clipped; whether the purse is closed. Then other ways of
# counting an attack (`ledger.COSTS`): reward changes and their squares; the longest moves of
# contexts; the largest changes that were committed to; swapped arms, and the regret that they
# cause; fake records.
SPENT, ON_CONTEXTS, BAD, CLIPPED, CLOSED = range(5)
ON_REWARDS, SQUARES, LONGEST_MOVES, COMMITTED, SWAPS, SWAP_LOSS, RECORDS = range(5, 12)


class Purse(NamedTuple):
    """An attack's budget, and the limits of what it may change."""

    budget: float
    rule: int
    bound: float  # largest legal length of a context
    writable: int  # coordinates of a context that may change: the first ones
    clicks: bool  # whether rewards are clicks: 0 or 1
    account: Floats  # (12,) see above


def open_purse(budget: float, rule: str, problem: Problem) -> Purse:
    """Return a purse from which nothing has been spent."""
    return Purse(
        budget=float(budget),
        rule=RULES.index(rule),
        bound=problem.context_bound,
        writable=problem.writable,
        clicks=problem.clicks,
        account=np.zeros(RECORDS + 1),
    )


@kernel
def has_money(purse: Purse) -> bool:
    """Whether the purse can pay for another change."""
    left = purse.budget - purse.account[SPENT]
    if purse.rule == REFERENCE:
        return left >= 0.0
    return left > EMPTY and purse.account[CLOSED] == 0.0


@kernel
def pay(purse: Purse, price: float) -> float:
    """Pay for a change of this price; return the share of it that was paid for, from 0 to 1."""
    if purse.account[CLOSED] != 0.0:
        return 0.0
    total = purse.account[SPENT] + price
    if total <= purse.budget or purse.rule == REFERENCE:
        purse.account[SPENT] = total
        return 1.0
    left = purse.budget - purse.account[SPENT]
    if purse.rule == TRUNCATE and left > EMPTY:
        purse.account[SPENT] = purse.budget
        return min(1.0, left / price)
    if purse.rule == STOP:
        purse.account[CLOSED] = 1.0
    return 0.0


@kernel
def settle_reward(purse: Purse, reward: float, wanted: float) -> float:
    """Return the reward that the policy sees."""
    if wanted == reward:
        return reward
    if not math.isfinite(wanted):
        purse.account[BAD] += 1.0
        return reward
    if purse.clicks:
        return _settle_click(purse, reward, wanted)
    legal = wanted
    if purse.rule != REFERENCE:
        legal = min(1.0, max(0.0, wanted))
        if legal != wanted:
            purse.account[CLIPPED] += 1.0
    # The clean reward may lie outside [0, 1], so that clipping may turn a proposal to lower it into
    # one to raise it, or the reverse. Such a proposal is ignored.
    if legal == reward or (legal > reward) != (wanted > reward):
        return reward
    price = abs(legal - reward)
    share = pay(purse, price)
    if share == 0.0:
        return reward
    if share == 1.0:
        return legal
    return reward + share * (legal - reward)


@kernel
def _settle_click(purse: Purse, click: float, wanted: float) -> float:
    """Return the click, 0 or 1, that the policy sees."""
    if wanted == 0.5 or (wanted > 0.5) == (click > 0.5):
        return click
    return 1.0 - click if _pay_one(purse) else click


@kernel
def _pay_one(purse: Purse) -> bool:
    """Pay 1 for a change that cannot be made in part; return False if less is left."""
    if purse.rule == TRUNCATE and purse.budget - purse.account[SPENT] < 1.0:
        return False
    return pay(purse, 1.0) > 0.0


@kernel
def settle_arm(purse: Purse, arm: int, wanted: int, arms: int) -> int:
    """Return the arm that is played: the wanted one, for a price of 1, or the policy's choice."""
    if wanted == arm:
        return arm
    if wanted < 0 or wanted >= arms:
        purse.account[BAD] += 1.0
        return arm
    if not _pay_one(purse):
        return arm
    purse.account[SWAPS] += 1.0
    return wanted


@kernel
def settle_record(purse: Purse, arm: int, wanted: float, arms: int) -> float:
    """Pay 1 for a fake record; return its legal reward, or -1 if it is not made."""
    if arm < 0 or arm >= arms or not math.isfinite(wanted):
        purse.account[BAD] += 1.0
        return -1.0
    if not _pay_one(purse):
        return -1.0
    purse.account[RECORDS] += 1.0
    if purse.clicks:
        return 1.0 if wanted > 0.5 else 0.0
    legal = min(1.0, max(0.0, wanted))
    if legal != wanted:
        purse.account[CLIPPED] += 1.0
    return legal


@program
def settle_contexts(purse: Purse, clean: Floats, shown: Floats) -> bool:
    """Clip the proposal in ``shown``, and pay for it; return True if any context changed."""
    dim, arms = clean.shape
    price = 0.0
    longest = 0.0
    for a in range(arms):
        move = _clip_context(purse, clean, shown, a)
        price += move
        longest = max(longest, move)
    if price == 0.0:
        return False
    before = purse.account[SPENT]
    share = pay(purse, price)
    purse.account[ON_CONTEXTS] += purse.account[SPENT] - before
    purse.account[LONGEST_MOVES] += share * longest
    if share < 1.0:
        for i in range(dim):
            for a in range(arms):
                change = shown[i, a] - clean[i, a]
                shown[i, a] = clean[i, a] + share * change if share > 0.0 else clean[i, a]
    return share > 0.0


@kernel
def _shorten(purse: Purse, shown: Floats, arm: int, largest: float, room: float) -> None:
    """Scale the writable part of a context down to a squared length of at most ``room``.

    ``largest`` is the largest absolute coordinate of that part.
    """
    scale = max(1.0, largest)  # so that squares cannot overflow
    square = 0.0
    for i in range(purse.writable):
        part = shown[i, arm] / scale
        square += part * part
    if square > room / scale / scale:
        purse.account[CLIPPED] += 1.0
        shrink = math.sqrt(max(0.0, room) / square)
        for i in range(purse.writable):
            shown[i, arm] = (shown[i, arm] / scale) * shrink


@kernel
def _restore(clean: Floats, shown: Floats, arm: int) -> float:
    """Undo the change of one context; return its price, 0."""
    for i in range(clean.shape[0]):
        shown[i, arm] = clean[i, arm]
    return 0.0


@kernel
def _clip_context(purse: Purse, clean: Floats, shown: Floats, arm: int) -> float:
    """Clip one proposed context; return its price, the length of the change that is left."""
    dim = clean.shape[0]
    changed = False
    largest = 0.0
    fixed = 0.0
    for i in range(dim):
        if i >= purse.writable:
            shown[i, arm] = clean[i, arm]
            fixed += clean[i, arm] * clean[i, arm]
        else:
            changed = changed or shown[i, arm] != clean[i, arm]
            size = abs(shown[i, arm])
            largest = max(largest, size) if size <= math.inf else math.inf  # NaN becomes inf
    if not changed or largest == math.inf:
        purse.account[BAD] += 1.0 if changed else 0.0
        return _restore(clean, shown, arm)
    if purse.rule != REFERENCE:
        _shorten(purse, shown, arm, largest, purse.bound * purse.bound - fixed)
    change = 0.0
    for i in range(purse.writable):
        step = shown[i, arm] - clean[i, arm]
        change += step * step
    if change == 0.0:  # the squares underflowed to 0: undo a change that would be free
        return _restore(clean, shown, arm)
    return math.sqrt(change)
