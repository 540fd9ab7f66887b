"""BARBAR: every arm is played in every epoch, but seldom if it looked bad in the previous one.

Gupta, Koren, Talwar (COLT 2019), "Better algorithms for stochastic bandits with adversarial
corruptions". The name stands for "bad arms get recourse": no arm is ever dropped, so the effect of
an attack on the best arm ends with the epoch in which it took place. The state is shared with
BARBAT.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program, python_of
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import largest
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies._state_checks import check_index

# Fields of the diary.
NUMBER, LEARNED, LENGTH = range(3)
# Field of the memo: the number of the epoch.
MEMO_EPOCH = 0


class EpochState(NamedTuple):
    """What BARBAR and BARBAT remember."""

    gaps: Floats  # (arms,) Δ, estimated in the previous epoch
    planned: Floats  # (arms,) n, expected number of rewards of each arm in this epoch
    cumulative: Floats  # (arms,) cumulative probabilities of the arms
    counts: Floats  # (arms,) rewards learned in this epoch
    sums: Floats  # (arms,) their sums
    means: Floats  # (arms,) r, estimated in the previous epoch
    diary: Floats  # (3,) number of the epoch from 1, rewards learned in it, its length
    factor: float  # BARBAR: λ; BARBAT: the factor of the logarithm in λ
    trust: bool  # BARBAT: epochs have a fixed length, the best arm gets the remaining rounds
    actual: bool  # means divide by the number of rewards, not by the planned number

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw an arm with the epoch's probabilities, by bisection."""
        memo[MEMO_EPOCH] = self.diary[NUMBER]
        uniform = rng.random()
        low = 0
        high = self.cumulative.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if uniform < self.cumulative[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add a reward, and begin the next epoch if it was the last.

        A reward of an earlier epoch is not used.
        """
        if memo[MEMO_EPOCH] == self.diary[NUMBER]:
            self.counts[arm] += 1.0
            self.sums[arm] += reward
            self.diary[LEARNED] += 1.0
            if self.diary[LEARNED] >= self.diary[LENGTH]:
                _next_epoch(self, rng)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean in the previous epoch; bonuses are 0."""
        for a in range(self.means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = 0.0

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        before = 0.0
        for a in range(self.cumulative.shape[0]):
            out[a] = self.cumulative[a] - before
            before = self.cumulative[a]

    def check(self, memos: Floats) -> None:
        check_index("number of the epoch", self.diary[NUMBER], 1, 2**53)
        if not (np.all(self.gaps > 0.0) and np.all(self.planned > 0.0) and self.factor > 0.0):
            raise ValueError("gaps, planned rewards and the factor must be positive")
        if not np.all(np.diff(self.cumulative, prepend=0.0) >= 0.0) or self.cumulative[-1] != 1.0:
            raise ValueError("cumulative probabilities must not decrease, and must end at 1")


def start_epochs(arms: int, *, factor: float, trust: bool, actual: bool) -> EpochState:
    """Return the first epoch, in which all arms have the same gap."""
    check_array_size(arms)
    state = EpochState(
        gaps=np.ones(arms),
        planned=np.zeros(arms),
        cumulative=np.zeros(arms),
        counts=np.zeros(arms),
        sums=np.zeros(arms),
        means=np.zeros(arms),
        diary=np.array([1.0, 0.0, 0.0]),
        factor=factor,
        trust=trust,
        actual=actual,
    )
    python_of(_plan)(state, 0)
    return state


@program
def _next_epoch(state: EpochState, rng: Generator) -> None:
    """Estimate means and gaps, and plan the next epoch."""
    arms = state.gaps.shape[0]
    best = -math.inf
    for a in range(arms):
        divisor = state.counts[a] if state.actual else state.planned[a]
        if divisor > 0.0:  # an arm that was not played in the epoch keeps its mean
            state.means[a] = state.sums[a] / divisor
        best = max(best, state.means[a] - state.gaps[a] / 16.0)
    smallest = math.pow(0.5, state.diary[NUMBER])
    for a in range(arms):
        # Means of rewards in [0, 1] differ by at most 1, whatever an attacker reported.
        state.gaps[a] = min(1.0, max(smallest, best - state.means[a]))
        state.counts[a] = 0.0
        state.sums[a] = 0.0
    state.diary[NUMBER] += 1.0
    state.diary[LEARNED] = 0.0
    _plan(state, largest(state.means, rng, False) if state.trust else 0)


@program
def _plan(state: EpochState, best: int) -> None:
    """Compute the length of an epoch and each arm's share of it.

    It has no loops, because it also runs as plain Python when an agent is started. ``cumsum`` adds
    one number after another, as a loop would.
    """
    arms = state.gaps.shape[0]
    epoch = state.diary[NUMBER]
    factor = state.factor
    if state.trust:  # λ_m = c ln(4K/δ_m), δ_m = 1/(K ζ_m), ζ_m = (m+4) 4^(m+4) ln K
        zeta = math.log(epoch + 4.0) + (epoch + 4.0) * math.log(4.0)
        zeta += math.log(math.log(max(2.0, float(arms))))
        factor *= math.log(4.0 * arms * arms) + zeta
    state.planned[:] = factor / (state.gaps * state.gaps)
    total = np.cumsum(state.planned)[-1]
    if state.trust:
        length = math.ceil(arms * factor * math.pow(4.0, epoch - 1.0))
        state.planned[best] += max(0.0, length - total)
        total = max(total, length)
    else:
        length = math.ceil(total)
    state.diary[LENGTH] = length
    # An epoch is a whole number of rounds: the planned numbers are scaled up to match.
    state.planned[:] *= length / total
    state.cumulative[:] = np.minimum(1.0, np.cumsum(state.planned / length))
    state.cumulative[arms - 1] = 1.0


@dataclass(frozen=True, kw_only=True)
class BARBAR(ArmsRecipe):
    """Play every arm in every epoch, but seldom if it looked bad in the previous one.

    With λ = 1024 ln((8K/δ) log₂ T) and gaps Δ that start at 1, epoch m has N = Σ n rounds, in each
    of which arm i is drawn with probability n_i / N, where n_i = λ/Δ_i². Then r_i is the sum of the
    arm's rewards divided by the *planned* n_i, r* = max(r_i - Δ_i/16), and Δ_i = max(2^-m, r* -
    r_i). Rewards are assumed to lie in [0, 1]; a reward that arrives after its epoch has ended is
    not used. The bound is for an attacker who acts before the arm is drawn. Most attacks here see
    the arm first; WeakVector does not.

    At the theory's λ the first epoch is about 13,000 K rounds of uniform play, and with 20 arms
    the second does not end before T = 10⁶. See :meth:`practical`.

    Two details are ours. Gaps are kept at most 1, which the paper's proof needs (n_i >= λ) and its
    update does not ensure. N is rounded up to a whole number of rounds, and each n_i is scaled by
    the same factor.

    Parameters
    ----------
    delta
        Probability with which the guarantee may fail.
    lambda_const
        The constant in λ; 1024 is the theory's.
    divide_by
        ``"planned"`` as in the paper, which makes r_i unbiased even when the attacker knows the
        epoch's probabilities; ``"actual"`` divides by the number of rewards.

    References
    ----------
    Gupta, Koren, Talwar (COLT 2019), Algorithm 1 and Theorem 1. Specification: the paper.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="Σ 1/Δ + KC",
        cost="log K",
        provenance=PAPER,
        reference="Gupta, Koren, Talwar (2019)",
    )

    delta: Probability = 0.01
    lambda_const: Positive = 1024.0
    divide_by: Literal["planned", "actual"] = "planned"

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use the constant 1 in λ, so that a game has several epochs.

        In ``docs/presets.md`` 0.25 has nearly the same worst case, and 0.1 fails: an epoch is then
        too short to tell arms apart. The preset stays well above that.
        """
        return cls(**{"lambda_const": 1.0, **changes})

    def start(self, problem: Problem) -> EpochState:
        refuse_changing_arms(problem, self.name)
        epochs = max(1.0, math.log2(problem.horizon(self.name)))
        return start_epochs(
            problem.arms,
            factor=self.lambda_const * math.log(8.0 * problem.arms / self.delta * epochs),
            trust=False,
            actual=self.divide_by == "actual",
        )
