"""One live decision, compiled: what an agent calls from Python, to choose and to learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.compiled.rng_pointer import borrow
from robustbandits.game.verbs import MEMO, choose, learn, probability, score
from robustbandits.kernels.linalg import Floats

#: Rows of a decision's table.
MEANS, BONUSES, PROBABILITIES = range(3)

# What `decide` answers when it refuses: this minus the index of the bad context.
NOT_FINITE = -1
TOO_LONG = -(1 << 40)
NO_SUCH_ARM = -(1 << 50)


@program
def decide(
    policy: Any, contexts: Floats, bound: float, leased: Any, note: Floats, table: Floats
) -> int:
    """Check contexts (arms, dim), choose an arm, and describe the decision.

    Writes the memo and the chosen context into ``note``, and each arm's mean, bonus and
    probability into ``table``. A bad context is refused before anything has changed.
    """
    arms, dim = contexts.shape
    limit = bound * bound
    shown = np.empty((dim, arms))
    for a in range(arms):
        square = 0.0
        for i in range(dim):
            value = float(contexts[a, i])
            shown[i, a] = value
            square += value * value
        if not math.isfinite(square):
            return NOT_FINITE - a
        if square > limit:
            return TOO_LONG - a
    rng = borrow(leased)
    memo = note[:MEMO]
    memo[:] = 0.0
    arm = choose(policy, shown, rng, memo)
    if arm < 0 or arm >= arms:
        return NO_SUCH_ARM
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    probability(policy, shown, memo, table[PROBABILITIES])
    for i in range(dim):
        note[MEMO + i] = contexts[arm, i]
    return arm


@program
def absorb(policy: Any, arm: int, reward: float, leased: Any, note: Floats) -> None:
    """Learn the reward of the decision that ``note`` was written for."""
    learn(policy, arm, note[MEMO:], reward, note[:MEMO], borrow(leased))


@program
def describe(policy: Any, contexts: Floats, table: Floats) -> None:
    """Write each arm's mean, bonus and probability for contexts (arms, dim), choosing nothing."""
    shown = contexts.T.copy()
    memo = np.full(MEMO, -1.0)  # a memo of no decision
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    probability(policy, shown, memo, table[PROBABILITIES])
