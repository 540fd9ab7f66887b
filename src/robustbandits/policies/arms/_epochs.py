"""Epochs: arms are played at random, each as often as its estimated gap still deserves.

No arm is ever dropped: a bad one keeps a small share, so that an attack on the best arm is
forgotten with the epoch in which it was made.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program, python_of
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import largest

# Fields of the diary.
NUMBER, LEARNED, LENGTH = range(3)
#: The memo's only field: the number of the epoch.
MEMO_EPOCH = 0

DIVISORS = ("planned", "actual")


class EpochState(NamedTuple):
    """What BARBAR and BARBAT remember."""

    gaps: Floats  # (arms,) Δ, estimated in the epoch before
    planned: Floats  # (arms,) n, rewards expected of each arm in this epoch
    cumulative: Floats  # (arms,) sums of the arms' probabilities
    counts: Floats  # (arms,) rewards learned in this epoch
    sums: Floats  # (arms,)
    means: Floats  # (arms,) r, estimated in the epoch before
    diary: Floats  # (3,) number of the epoch from 1, rewards learned in it, its length
    factor: float  # λ; for BARBAT what multiplies its logarithm
    trust: bool  # BARBAT: epochs of fixed length, the best arm gets what is left
    actual: bool  # means divide by the rewards that came, not by those planned

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Draw an arm with the epoch's probabilities."""
        memo[MEMO_EPOCH] = self.diary[NUMBER]
        level = rng.random()
        low = 0
        high = self.cumulative.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if level < self.cumulative[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add a reward of this epoch, one of an earlier epoch comes too late; end the epoch."""
        if memo[MEMO_EPOCH] == self.diary[NUMBER]:
            self.counts[arm] += 1.0
            self.sums[arm] += reward
            self.diary[LEARNED] += 1.0
            if self.diary[LEARNED] >= self.diary[LENGTH]:
                _next_epoch(self, rng)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean in the epoch before; there are no bonuses."""
        for a in range(self.means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = 0.0

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm in this epoch."""
        before = 0.0
        for a in range(self.cumulative.shape[0]):
            out[a] = self.cumulative[a] - before
            before = self.cumulative[a]

    def check(self, memos: Floats) -> None:
        """Refuse epochs that cannot have been: a file may hold anything."""
        sound = np.all(self.gaps > 0.0) and np.all(self.planned > 0.0) and self.factor > 0.0
        if not (sound and self.diary[NUMBER] >= 1.0 and self.diary[NUMBER] % 1.0 == 0.0):
            raise ValueError("its epochs are not those of a game")
        if not np.all(np.diff(self.cumulative, prepend=0.0) >= 0.0) or self.cumulative[-1] != 1.0:
            raise ValueError("its probabilities do not add up")


def start_epochs(arms: int, *, factor: float, trust: bool, actual: bool) -> EpochState:
    """Return the first epoch, in which all arms are equal."""
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
def _next_epoch(state: EpochState, rng: np.random.Generator) -> None:
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
        # Means of rewards in [0, 1] are no further apart than 1, whatever an attacker made of them.
        state.gaps[a] = min(1.0, max(smallest, best - state.means[a]))
        state.counts[a] = 0.0
        state.sums[a] = 0.0
    state.diary[NUMBER] += 1.0
    state.diary[LEARNED] = 0.0
    _plan(state, largest(state.means, rng, False) if state.trust else 0)


@program
def _plan(state: EpochState, best: int) -> None:
    """Work out the length of an epoch and each arm's share of it."""
    arms = state.gaps.shape[0]
    epoch = state.diary[NUMBER]
    factor = state.factor
    if state.trust:  # λ_m = c ln(4K/δ_m), δ_m = 1/(K ζ_m), ζ_m = (m+4) 4^(m+4) ln K
        zeta = math.log(epoch + 4.0) + (epoch + 4.0) * math.log(4.0)
        zeta += math.log(math.log(max(2.0, float(arms))))
        factor *= math.log(4.0 * arms * arms) + zeta
    total = 0.0
    for a in range(arms):
        state.planned[a] = factor / (state.gaps[a] * state.gaps[a])
        total += state.planned[a]
    if state.trust:
        length = math.ceil(arms * factor * math.pow(4.0, epoch - 1.0))
        state.planned[best] += max(0.0, length - total)
        total = max(total, length)
    else:
        length = math.ceil(total)
    state.diary[LENGTH] = length
    before = 0.0
    for a in range(arms):
        # A whole number of rounds: what is expected of an arm is rounded up with the epoch.
        state.planned[a] *= length / total
        before += state.planned[a] / length
        state.cumulative[a] = min(1.0, before)
    state.cumulative[arms - 1] = 1.0
