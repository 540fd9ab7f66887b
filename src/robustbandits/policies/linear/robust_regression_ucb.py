"""RobustRegressionUCB: LinUCB over a regression that leaves out the rewards that fit worst.

rUCB-Lin of Kapoor, Patel, Kar (2019) with the robust regression TORRENT (Bhatia, Jain, Kar 2015),
for an attacker who may replace a fixed fraction of all rewards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Count, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import refuse_small_ridge
from robustbandits.kernels.linalg import Floats, cholesky
from robustbandits.kernels.ridge import LOG_DET, observe, rebuild, refine
from robustbandits.kernels.selection import nth_smallest
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._state_checks import check_counts
from robustbandits.policies.linear._linear import (
    LinearRecipe,
    Optimist,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)

# Fields of the clock: rewards learned; the number of rewards at which to fit again.
LEARNED, NEXT_FIT = range(2)

#: Games that are not longer keep the bits of version 1; rounding errors are small in them.
SHORT_GAME = 2000

#: How many times the ridge of other policies is required, because a fit computes the inverse from
#: the sums: with a fourth of it, theta may be wrong in the sixth digit after a million rounds.
RIDGE_FACTOR = 40.0


class Memory(NamedTuple):
    """The latest observations, and sums over older ones that the last fit did not leave out."""

    contexts: Floats  # (memory, dim)
    rewards: Floats  # (memory,)
    kept: Floats  # (memory,) 0 if the last fit left the observation out, else 1
    old_gram: Floats  # (dim, dim) sum of x xᵀ over older observations
    old_moment: Floats  # (dim,) sum of y x over older observations
    gram_error: Floats  # (dim, dim) what rounding took from old_gram
    moment_error: Floats  # (dim,) what rounding took from old_moment
    clock: Floats  # (2,) rewards learned; when to fit again


class RobustRegressionState(NamedTuple):
    """What RobustRegressionUCB remembers."""

    optimist: Optimist
    memory: Memory
    fraction: float
    growth: float
    passes: int

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        return optimistic_arm(self.optimist, contexts, width_factor(self.optimist, 0.0), 0.0, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation; from time to time fit again without the worst residuals."""
        observe(self.optimist.ridge, context, reward, 1.0)
        if self.fraction > 0.0:
            _remember(self.memory, context, reward)
            if self.memory.clock[LEARNED] >= self.memory.clock[NEXT_FIT]:
                _refit(self)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        factor = width_factor(self.optimist, 0.0)
        optimistic_scores(self.optimist, contexts, factor, 0.0, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        optimistic_shares(self.optimist, contexts, width_factor(self.optimist, 0.0), 0.0, out)

    def check(self, memos: Floats) -> None:
        check_counts("number of rewards learned", self.memory.clock[LEARNED])


@kernel
def _remember(memory: Memory, context: Floats, reward: float) -> None:
    """Replace the oldest observation, which is added to the sums unless it was left out.

    Fits are never further apart than half the memory, so every observation that is replaced has
    been part of a fit.
    """
    size = memory.rewards.shape[0]
    learned = int(memory.clock[LEARNED])
    slot = learned % size
    if learned >= size and memory.kept[slot] > 0.0:
        x = memory.contexts[slot]
        for i in range(x.shape[0]):
            _add(memory.old_moment, memory.moment_error, i, memory.rewards[slot] * x[i])
            for j in range(x.shape[0]):
                _add(memory.old_gram[i], memory.gram_error[i], j, x[i] * x[j])
    for i in range(context.shape[0]):
        memory.contexts[slot, i] = context[i]
    memory.rewards[slot] = reward
    memory.kept[slot] = 1.0
    memory.clock[LEARNED] += 1.0


@kernel
def _add(sums: Floats, errors: Floats, i: int, value: float) -> None:
    """Add to a sum, and the rounding error to its error: Neumaier's summation.

    Without it the errors of a million sums are as large as a small ridge.
    """
    total = sums[i] + value
    if abs(sums[i]) >= abs(value):
        errors[i] += (sums[i] - total) + value
    else:
        errors[i] += (value - total) + sums[i]
    sums[i] = total


@program
def _refit(state: RobustRegressionState) -> None:
    """Alternate between fitting and leaving out the worst residuals; update the regression."""
    memory = state.memory
    ridge = state.optimist.ridge
    dim = ridge.theta.shape[0]
    learned = memory.clock[LEARNED]
    size = min(int(learned), memory.rewards.shape[0])
    for turn in range(state.passes):
        if not _leave_out(memory, ridge.theta, size, state.fraction) and turn > 0:
            break
        _sum_up(memory, size, ridge.penalty, ridge.gram, ridge.moment)
        rebuild(ridge)
        if learned > SHORT_GAME:
            refine(ridge)
    factor = np.empty((dim, dim))
    if cholesky(ridge.gram, factor):
        ridge.tally[LOG_DET] = -dim * math.log(ridge.penalty)
        for i in range(dim):
            ridge.tally[LOG_DET] += 2.0 * math.log(factor[i, i])
    step = max(1.0, min(state.growth * learned, 0.5 * memory.rewards.shape[0]))
    memory.clock[NEXT_FIT] = learned + step


@kernel
def _leave_out(memory: Memory, theta: Floats, size: int, fraction: float) -> bool:
    """Mark the ``fraction`` with the largest residuals; return whether any mark changed."""
    residuals = np.empty(size)
    copies = np.empty(size)
    for s in range(size):
        mean = 0.0
        for i in range(theta.shape[0]):
            mean += theta[i] * memory.contexts[s, i]
        residuals[s] = abs(memory.rewards[s] - mean)
        copies[s] = residuals[s]  # nth_smallest reorders its argument
    limit = nth_smallest(copies, size, size - 1 - int(fraction * size))
    changed = False
    for s in range(size):
        mark = 1.0 if residuals[s] <= limit else 0.0
        if mark != memory.kept[s]:
            memory.kept[s] = mark
            changed = True
    return changed


@kernel
def _sum_up(memory: Memory, size: int, penalty: float, gram: Floats, moment: Floats) -> None:
    """Write the Gram matrix and the moment of all observations that are kept.

    The older sums are added last, because they are large and would round every other term.
    """
    dim = moment.shape[0]
    moment[:] = 0.0
    gram[:] = 0.0
    for i in range(dim):
        gram[i, i] = penalty
    for s in range(size):
        if memory.kept[s] > 0.0:
            x = memory.contexts[s]
            for i in range(dim):
                moment[i] += memory.rewards[s] * x[i]
                for j in range(i + 1):
                    gram[i, j] += x[i] * x[j]
    for i in range(dim):
        moment[i] += memory.old_moment[i] + memory.moment_error[i]
        for j in range(i + 1):
            gram[i, j] += memory.old_gram[i, j] + memory.gram_error[i, j]
            gram[j, i] = gram[i, j]


@dataclass(frozen=True, kw_only=True)
class RobustRegressionUCB(LinearRecipe):
    """LinUCB whose regression leaves out the rewards that fit worst (rUCB-Lin with TORRENT).

    It is for an attacker who may replace a ``fraction`` of the rewards. The regression is fitted,
    the rewards with the largest residuals, this fraction of all, are left out, the rest is fitted
    again, and so on. The score of an arm is LinUCB's, ``x·θ̂ + β_t‖x‖``, with θ̂ and V of the rewards
    that were kept. Its regret bound is linear in the number of rounds, because a constant fraction
    of the rewards stays corrupted.

    Each fit decides again which of the latest ``memory`` observations are left out. For older
    observations the last decision is final. Fits take place when the number of rewards has grown by
    ``growth``, and at least twice while a reward is in memory; between fits new rewards count in
    full. As long as no observation has left the memory, this is the batch method.

    Parameters
    ----------
    fraction
        η, share of the rewards to leave out, below one half. With 0 this is LinUCB.
    memory
        Number of observations held in memory, at least 10.
    growth
        Fit again when the number of rewards has grown by this share.
    passes
        Largest number of fits at a time; there are fewer if nothing changes any more.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    Notes
    -----
    A reconstruction from summaries and from memory. The paper fits on the whole history; the
    bounded memory, the warm start and the schedule of fits are ours.

    References
    ----------
    Kapoor, Patel, Kar, "Corruption-tolerant bandit learning" (Machine Learning, 2019); TORRENT:
    Bhatia, Jain, Kar (NeurIPS 2015).
    """

    version: ClassVar[int] = 2

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("fraction of corrupted rewards",),
        adversary="strong, a fraction of the rewards",
        regret="d√T + ηT",
        cost="Kd², and fits: d² on average",
        provenance=RECONSTRUCTION,
        reference="Kapoor, Patel, Kar (2019)",
        infinite_arms=True,
    )

    fraction: float = 0.1
    memory: int = 2000
    growth: Positive = 0.25
    passes: Count = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        fraction = require.between("fraction", self.fraction, 0.0, 0.5)
        if fraction == 0.5:
            raise ValueError(f"fraction must be below 0.5, got {self.fraction!r}")
        self._set(fraction=fraction, memory=require.count("memory", self.memory, low=10))

    def start(self, problem: Problem) -> RobustRegressionState:
        refuse_small_ridge(problem, self.ridge, RIDGE_FACTOR)
        dim = problem.dim
        check_array_size(self.memory, dim)
        first_fit = min(max(10, 4 * dim), max(1, self.memory // 2))
        return RobustRegressionState(
            optimist=self.start_optimist(problem),
            memory=Memory(
                contexts=np.zeros((self.memory, dim)),
                rewards=np.zeros(self.memory),
                kept=np.ones(self.memory),
                old_gram=np.zeros((dim, dim)),
                old_moment=np.zeros(dim),
                gram_error=np.zeros((dim, dim)),
                moment_error=np.zeros(dim),
                clock=np.array([0.0, float(first_fit)]),
            ),
            fraction=self.fraction,
            growth=self.growth,
            passes=self.passes,
        )

    @staticmethod
    def upgrade_file(arrays: dict[str, Floats]) -> dict[str, Floats]:
        """Return the arrays of an agent file of version 1, which did not keep rounding errors."""
        return arrays | {
            f"state.memory.{part}_error": np.zeros_like(arrays[f"state.memory.old_{part}"])
            for part in ("gram", "moment")
            if f"state.memory.{part}_error" not in arrays
        }
