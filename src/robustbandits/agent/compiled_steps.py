"""What an agent calls: choose, learn and score for contexts of shape (arms, dim), compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.compiled.rng_pointer import rng_at
from robustbandits.game.verbs import MEMO, choose, learn, probability, score
from robustbandits.kernels.linalg import Floats

#: Rows of the table that describes a decision: one number for each arm.
MEANS, BONUSES, PROBABILITIES = range(3)

# What `decide` returns if it refuses: one of these, minus the index of the bad context.
NOT_FINITE = -1
TOO_LONG = -(1 << 40)
NO_SUCH_ARM = -(1 << 50)


@program
def decide(
    policy: Any, contexts: Floats, bound: float, rng_pointer: Any, note: Floats, table: Floats
) -> int:
    """Check the contexts, choose an arm, and describe the decision.

    Without contexts, (0, dim), the arms are all vectors of a ball, and the policy writes its own.
    Writes the memo and the chosen context into ``note``, and each arm's mean, bonus and
    probability into ``table``. A bad context is refused before anything changes.
    """
    arms, dim = contexts.shape
    limit = bound * bound
    shown = np.zeros((dim, max(1, arms)))
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
    memo = note[:MEMO]
    memo[:] = 0.0
    arm = choose(policy, shown, rng_at(rng_pointer), memo)
    if arm < 0 or arm >= max(1, arms):
        return NO_SUCH_ARM
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    if arms > 0:
        probability(policy, shown, memo, table[PROBABILITIES])
    else:
        table[PROBABILITIES, 0] = np.nan
    for i in range(dim):
        note[MEMO + i] = contexts[arm, i] if arms > 0 else shown[i, 0]
    return arm


@program
def learn_reward(policy: Any, arm: int, reward: float, rng_pointer: Any, note: Floats) -> None:
    """Learn the reward of the decision that wrote ``note``: its memo, then a context."""
    learn(policy, arm, note[MEMO:], reward, note[:MEMO], rng_at(rng_pointer))


@program
def score_arms(policy: Any, contexts: Floats, table: Floats) -> None:
    """Write each arm's mean, bonus and probability into ``table``, without a decision."""
    shown = contexts.T.copy()
    memo = np.full(MEMO, -1.0)  # the memo of no decision
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    probability(policy, shown, memo, table[PROBABILITIES])
