"""Arms drawn with probabilities that depend on estimated totals: state of EXP3 and Tsallis-INF.

Only the reward of the arm that was drawn is seen. Dividing it by the probability of the draw makes
the estimated totals of all arms unbiased.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._exp3 import Exp3, exp3_update
from robustbandits.policies._state_checks import check_probabilities

# Field of the memo: the probability with which the arm was drawn.
MEMO_CHANCE = 0
#: Newton's method stops when the sum of the probabilities is this close to 1. The last step squares
#: the error, so that the sum is 1 to eleven digits.
TOLERANCE = 3e-6
#: Largest number of steps.
MAX_STEPS = 60
# Fields of the clock; the second is EXP3's anchor or Tsallis-INF's root.
LEARNED, ROOT = range(2)
ANCHOR = ROOT
#: How far the logarithm of a weight may exceed the anchor.
HIGHEST = 30.0


class LotteryState(NamedTuple):
    """What EXP3 and Tsallis-INF remember."""

    totals: Floats  # (arms,) EXP3: log weights; Tsallis-INF: estimated total losses
    weights: Floats  # (arms,) EXP3: weights, divided by the exponential of the anchor
    chances: Floats  # (arms,) probability of each arm in the next decision
    clock: Floats  # (2,) rewards learned; EXP3: the anchor; Tsallis-INF: last root of its equation
    alpha: float  # EXP3's share of uniform exploration
    tsallis: bool  # True for Tsallis-INF, False for EXP3

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        arm = draw(self.chances, rng)
        memo[MEMO_CHANCE] = self.chances[arm]
        return arm

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add the reward, clipped to [0, 1], to the arm's total; compute the next probabilities."""
        clipped = min(1.0, max(0.0, reward))
        self.clock[LEARNED] += 1.0
        if self.tsallis:
            self.totals[arm] += (1.0 - clipped) / memo[MEMO_CHANCE]
            rate = 2.0 / math.sqrt(self.clock[LEARNED] + 1.0)
            self.clock[ROOT] = tsallis_probabilities(
                self.totals, rate, self.clock[ROOT], self.chances
            )
        else:
            exp3_update(Exp3(self.totals, self.alpha), arm, clipped, memo[MEMO_CHANCE])
            self.clock[ANCHOR] = _update_weight(self.totals, arm, self.clock[ANCHOR], self.weights)
            _mix_with_uniform(self.weights, self.alpha, self.chances)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write an unbiased estimate of each arm's mean clipped reward; bonuses are 0.

        EXP3 with ``alpha`` = 0 has no such estimate, and writes 0.
        """
        arms = self.totals.shape[0]
        count = max(1.0, self.clock[LEARNED])
        for a in range(arms):
            bonuses[a] = 0.0
            if self.tsallis:
                means[a] = (self.clock[LEARNED] - self.totals[a]) / count
            elif self.alpha > 0.0:
                means[a] = self.totals[a] * arms / (self.alpha * count)
            else:
                means[a] = 0.0

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        for a in range(self.chances.shape[0]):
            out[a] = self.chances[a]

    def check(self, memos: Floats) -> None:
        check_probabilities("probability of an arm", memos[:, MEMO_CHANCE], 1e-30)
        if not self.clock[LEARNED] >= 0.0:
            raise ValueError(f"rewards learned must not be negative, got {self.clock[LEARNED]:g}")
        if not (np.all(self.weights >= 0.0) and 0.0 < self.weights.sum() < math.inf):
            raise ValueError("weights must not be negative, and their sum must be positive")
        if np.any(self.chances < 0.0) or abs(self.chances.sum() - 1.0) > 1e-9:
            raise ValueError("chances must not be negative, and must sum to 1")


def start_sampling(arms: int, *, alpha: float, tsallis: bool) -> LotteryState:
    """Return equal probabilities."""
    check_array_size(arms)
    return LotteryState(
        totals=np.zeros(arms),
        weights=np.ones(arms),
        chances=np.full(arms, 1.0 / arms),
        clock=np.array([0.0, math.sqrt(arms) if tsallis else 0.0]),
        alpha=alpha,
        tsallis=tsallis,
    )


@kernel
def _update_weight(logs: Floats, arm: int, anchor: float, weights: Floats) -> float:
    """Update an arm's weight, or all weights if it gets too large; return the anchor.

    Usually this takes one exponential in a round instead of one for each arm.
    """
    if logs[arm] - anchor <= HIGHEST:
        weights[arm] = math.exp(logs[arm] - anchor)
        return anchor
    for a in range(logs.shape[0]):
        weights[a] = math.exp(logs[a] - logs[arm])
    return logs[arm]


@kernel
def _mix_with_uniform(weights: Floats, alpha: float, out: Floats) -> None:
    """Write EXP3's probability of each arm; none is below ``alpha / arms``."""
    arms = weights.shape[0]
    total = 0.0
    for a in range(arms):
        total += weights[a]
    scale = (1.0 - alpha) / total
    floor = alpha / arms
    for a in range(arms):
        out[a] = scale * weights[a] + floor


@kernel
def tsallis_probabilities(losses: Floats, rate: float, guess: float, out: Floats) -> float:
    """Write ``p_i = 4 (η (L_i - x))^-2``, with the x below all losses for which they sum to 1.

    Returns ``z = η (min L - x) / 2``, one over the square root of the best arm's probability; it is
    the next ``guess``. Newton's method on ``(Σp)^-1/2 - 1``, which is concave: the first step leads
    to a z that is too small, later steps increase it towards the root, and no step goes below 1.
    """
    arms = losses.shape[0]
    least = losses[0]
    for a in range(1, arms):
        if losses[a] < least:
            least = losses[a]
    half = 0.5 * rate
    root = max(1.0, guess)
    step = 0.0
    for _ in range(MAX_STEPS):
        for a in range(arms):
            out[a] = 1.0 / (half * (losses[a] - least) + root)
        total = 0.0
        cubes = 0.0
        for a in range(arms):
            square = out[a] * out[a]
            total += square
            cubes += square * out[a]
        step = max(1.0 - root, (total * math.sqrt(total) - total) / cubes)
        root += step
        if abs(total - 1.0) <= TOLERANCE:
            break
    for a in range(arms):
        # The last step, without dividing again: exact up to the cube of the step.
        inverse = out[a] * (1.0 - out[a] * step * (1.0 - out[a] * step))
        out[a] = inverse * inverse
    return root
