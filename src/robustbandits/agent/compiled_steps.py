"""The compiled functions that an agent calls, for contexts of shape (arms, dim)."""

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

# What `decide` returns for an error. The index of a bad context is subtracted from the first two.
NOT_FINITE = -1
TOO_LONG = -(1 << 40)
NO_SUCH_ARM = -(1 << 50)


@program
def decide(
    policy: Any,
    contexts: Floats,
    bound: float,
    rng_pointer: Any,
    memo_and_context: Floats,
    table: Floats,
) -> int:
    """Check the contexts, choose an arm, and describe the decision.

    Without contexts, (0, dim), the arms are all vectors of a ball, and the policy writes its own.
    Writes the memo and the chosen context into ``memo_and_context``, and each arm's mean, bonus
    and probability into ``table``. For a bad context it returns before anything changes.
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
    memo = memo_and_context[:MEMO]
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
        memo_and_context[MEMO + i] = contexts[arm, i] if arms > 0 else shown[i, 0]
    return arm


@program
def learn_reward(
    policy: Any, arm: int, reward: float, rng_pointer: Any, memo_and_context: Floats
) -> None:
    """Learn the reward of a decision, given what :func:`decide` wrote about it."""
    memo, context = memo_and_context[:MEMO], memo_and_context[MEMO:]
    learn(policy, arm, context, reward, memo, rng_at(rng_pointer))


@program
def score_arms(policy: Any, contexts: Floats, table: Floats) -> None:
    """Write each arm's mean, bonus and probability into ``table``, without a decision."""
    shown = contexts.T.copy()
    memo = np.full(MEMO, -1.0)  # there is no decision
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    probability(policy, shown, memo, table[PROBABILITIES])
