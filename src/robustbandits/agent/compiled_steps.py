"""The compiled functions that an agent calls, for contexts of shape (arms, dim)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import kernel, program
from robustbandits.compiled.rng_pointer import rng_at
from robustbandits.game.verbs import MEMO, choose, choose_by_scores, learn, probability, score
from robustbandits.kernels.linalg import Floats

Integers = npt.NDArray[np.int64]

#: Rows of the table that describes a decision: one number for each arm.
MEANS, BONUSES, PROBABILITIES = range(3)

# What `decide` returns for an error. The index of a bad context is subtracted from the first two.
NOT_FINITE = -1
TOO_LONG = -(1 << 40)
NO_SUCH_ARM = -(1 << 50)

# Modes of `decide`: call the kernel `choose` with all contexts; score each context and call
# `choose_by_scores`; the same with contexts that `score_rows` has scored already.
TOGETHER, BY_SCORES, SCORED = range(3)

#: How many contexts are scored at a time if each is scored by itself. With a power of two, the
#: numbers of a column would compete for the same lines of the cache.
BLOCK = 48


@program
def decide(
    policy: Any,
    mode: int,
    contexts: Floats,
    bound: float,
    rng_pointer: Any,
    memo_and_context: Floats,
    table: Floats,
) -> int:
    """Check the contexts, choose an arm, and describe the decision.

    Write the memo and the chosen context into ``memo_and_context``, and each arm's mean, bonus
    and probability into ``table``. Return the arm, or a negative number if there is an error; for a
    bad context, nothing has changed then. If ``contexts`` has no rows, the arms are all vectors of
    a ball, and the policy writes the vector that it plays.

    ``mode`` is TOGETHER for any policy. If the policy has the kernel ``choose_by_scores``, it is
    BY_SCORES, or SCORED if :func:`score_rows` has already checked and scored the contexts.
    """
    arms, dim = contexts.shape
    memo_and_context[:MEMO] = 0.0
    if arms == 0:
        return _decide_in_ball(policy, rng_at(rng_pointer), memo_and_context, table)
    if mode != TOGETHER:
        if mode == BY_SCORES:
            code = _score_blocks(policy, contexts, 0, arms, bound, table)
            if code < 0:
                return code
        arm = choose_by_scores(
            policy, table[MEANS], table[BONUSES], rng_at(rng_pointer), table[PROBABILITIES]
        )
    else:
        shown = np.empty((dim, arms))
        code = _show(contexts, bound, shown)
        if code < 0:
            return code
        memo = memo_and_context[:MEMO]
        arm = choose(policy, shown, rng_at(rng_pointer), memo)
        if 0 <= arm < arms:
            score(policy, shown, memo, table[MEANS], table[BONUSES])
            probability(policy, shown, memo, table[PROBABILITIES])
    if arm < 0 or arm >= arms:
        return NO_SUCH_ARM
    for i in range(dim):
        memo_and_context[MEMO + i] = contexts[arm, i]
    return arm


@program
def decide_many(
    policy: Any,
    mode: int,
    contexts: Floats,
    starts: Integers,
    bound: float,
    rng_pointer: Any,
    memos_and_contexts: Floats,
    tables: Floats,
    arms: Integers,
) -> int:
    """Make a decision for each k about the rows ``starts[k]`` to ``starts[k + 1]`` of ``contexts``.

    Write the chosen arms into ``arms`` and the tables of all decisions, one after the other, into
    ``tables``. Return 0, or the code of the first error (see :func:`decide`), in which the index of
    a bad context counts all rows.
    """
    for k in range(arms.shape[0]):
        first, last = starts[k], starts[k + 1]
        arm = decide(
            policy,
            mode,
            contexts[first:last],
            bound,
            rng_pointer,
            memos_and_contexts[k],
            tables[3 * first : 3 * last].reshape((3, last - first)),
        )
        if arm < 0:
            return arm if arm == NO_SUCH_ARM else arm - first
        arms[k] = arm
    return 0


@program
def _decide_in_ball(policy: Any, rng: Any, memo_and_context: Floats, table: Floats) -> int:
    memo, context = memo_and_context[:MEMO], memo_and_context[MEMO:]
    shown = np.zeros((context.shape[0], 1))
    if choose(policy, shown, rng, memo) != 0:
        return NO_SUCH_ARM
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    table[PROBABILITIES, 0] = np.nan
    for i in range(context.shape[0]):
        context[i] = shown[i, 0]
    return 0


@kernel
def _score_blocks(
    policy: Any, contexts: Floats, start: int, stop: int, bound: float, table: Floats
) -> int:
    """Check and score contexts ``start`` to ``stop``: see :func:`score_rows`.

    Blocks of them stay in fast memory, and need little memory of their own.
    """
    memo = np.zeros(MEMO)
    width = min(stop - start, BLOCK)
    shown = np.empty((contexts.shape[1], width))
    for first in range(start, stop, BLOCK):
        last = min(stop, first + BLOCK)
        if last - first < width:
            shown = np.empty((contexts.shape[1], last - first))
        code = _show(contexts[first:last], bound, shown)
        if code < 0:
            return code - first
        score(policy, shown, memo, table[MEANS, first:last], table[BONUSES, first:last])
    return 0


@program
def score_rows(
    policy: Any, contexts: Floats, start: int, stop: int, bound: float, table: Floats
) -> int:
    """Check and score contexts ``start`` to ``stop``, for a policy that chooses by scores.

    Return 0, or a negative number for a bad context.
    """
    return _score_blocks(policy, contexts, start, stop, bound, table)


@kernel
def _show(contexts: Floats, bound: float, shown: Floats) -> int:
    """Copy contexts into the columns of ``shown``; return 0, or a negative number for a bad one."""
    arms, dim = contexts.shape
    for a in range(arms):
        square = 0.0
        for i in range(dim):
            value = contexts[a, i]
            shown[i, a] = value
            square += value * value
        if not square <= bound * bound:
            return (TOO_LONG if math.isfinite(square) else NOT_FINITE) - a
    return 0


@program
def learn_reward(
    policy: Any, arm: int, reward: float, rng_pointer: Any, memo_and_context: Floats
) -> None:
    """Learn the reward of a decision, given what :func:`decide` wrote about it."""
    memo, context = memo_and_context[:MEMO], memo_and_context[MEMO:]
    learn(policy, arm, context, reward, memo, rng_at(rng_pointer))


@program
def learn_rewards(
    policy: Any, arms: Integers, rewards: Floats, rng_pointer: Any, memos_and_contexts: Floats
) -> None:
    """Learn the rewards of many decisions, in this order."""
    for k in range(arms.shape[0]):
        memo, context = memos_and_contexts[k, :MEMO], memos_and_contexts[k, MEMO:]
        learn(policy, arms[k], context, rewards[k], memo, rng_at(rng_pointer))


@program
def score_arms(policy: Any, contexts: Floats, table: Floats) -> None:
    """Write each arm's mean, bonus and probability into ``table``, without a decision."""
    shown = contexts.T.copy()
    memo = np.full(MEMO, -1.0)  # there is no decision
    score(policy, shown, memo, table[MEANS], table[BONUSES])
    probability(policy, shown, memo, table[PROBABILITIES])
