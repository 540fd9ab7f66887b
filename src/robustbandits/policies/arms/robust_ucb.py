"""RobustUCB: UCB with the median or a trimmed mean of each arm's rewards (rUCB-MAB).

Kapoor, Patel, Kar (2019). A small share of corrupted rewards cannot move these estimates far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies._state_checks import check_counts
from robustbandits.policies.arms._elimination import HUGE
from robustbandits.policies.arms._histogram import (
    COUNT,
    add_reward,
    bin_of,
    largest_step,
    start_histograms,
    sum_of_smallest,
)

MAX_BINS = 1 << 16


class RobustUCBState(NamedTuple):
    """What RobustUCB remembers."""

    tree: Floats  # (arms, bins + 1, 2) histogram of each arm's rewards, see _histogram.py
    counts: Floats  # (arms,) rewards learned
    means: Floats  # (arms,) robust estimates
    uppers: Floats  # (arms,) upper confidence bounds; HUGE for an arm never played
    low: float  # where the first bin begins
    width: float  # of a bin
    step: int  # largest power of two within the number of bins
    trim: float  # share left out at each end; 1/2 leaves the median
    radius: float  # bounds are mean + radius / √n

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound, arms never played first."""
        return largest(self.uppers, rng, False)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add a reward to the arm's histogram, and estimate its mean again."""
        number = bin_of((reward - self.low) / self.width, self.tree.shape[1] - 1)
        add_reward(self.tree, arm, number)
        self.counts[arm] += 1.0
        count = self.counts[arm]
        cut = min(math.floor(self.trim * count), math.floor((count - 1.0) / 2.0))
        total = sum_of_smallest(self.tree, arm, count - cut, self.step)
        total -= sum_of_smallest(self.tree, arm, float(cut), self.step)
        self.means[arm] = self.low + self.width * (total / (count - 2.0 * cut) + 0.5)
        self.uppers[arm] = self.means[arm] + self.radius / math.sqrt(count)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimate and bonus; an arm never played has the bonus of one reward."""
        for a in range(self.means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = self.radius / math.sqrt(max(1.0, self.counts[a]))

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        out[:] = 0.0
        share_of_largest(self.uppers, False, 1.0, out)

    def check(self, memos: Floats) -> None:
        check_counts("counts", self.counts)
        check_counts("histogram entries", self.tree[:, 1:, COUNT])


@dataclass(frozen=True, kw_only=True)
class RobustUCB(ArmsRecipe):
    """UCB with a median or trimmed mean, which few corrupted rewards cannot move far (rUCB-MAB).

    The bound of an arm with n rewards is ``estimate + width_scale·σ·√(ln T / n)``. The robust
    estimates tolerate an attacker who changes a share of each arm's rewards, by any amount; the
    regret then keeps a term that is this share times T. (The paper's bonus has another term in that
    share, the same for every arm, which cannot change the choice.)

    Memory does not grow with time: the rewards of each arm are kept as a histogram of ``bins``
    equal bins from ``low`` to ``high``, and each counts as the middle of its bin. The error of an
    estimate from this is at most half a bin (0.001 by default), and arms closer than that cannot be
    told apart by their median. Rewards outside count in the first or last bin.

    The median equals the mean only for rewards that are distributed symmetrically around it. For
    clicks, which are 0 or 1, it is 0 for every arm that earns less than one half: use another
    policy for those.

    The specification is reconstructed from memory: the estimators and the form of the bonus are
    the paper's, ``width_scale=2`` is ours. (The median of n normal rewards has a standard deviation
    of √(π/2) σ/√n, so 2 covers √2·√(π/2) = 1.77.)

    Parameters
    ----------
    estimator
        ``"median"`` (default) or ``"trimmed"``: the mean without the smallest and largest.
    trim
        Share that the trimmed mean leaves out at each end: the share that the attacker may change.
    sigma
        Standard deviation of the noise.
    width_scale
        Multiplies the bonus.
    low, high, bins
        The histogram; memory is ``16·arms·bins`` bytes.

    References
    ----------
    Kapoor, Patel, Kar (Machine Learning 108, 2019); for trimming also Niss, Tewari (UAI 2020).
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("horizon", "noise", "share of rewards changed, to trim"),
        adversary="strong, a share of each arm's rewards",
        regret="√(KT) + ηT",
        cost="K + log B",
        provenance=RECONSTRUCTION,
        reference="Kapoor, Patel, Kar (2019)",
    )

    estimator: Literal["median", "trimmed"] = "median"
    trim: float = 0.1
    sigma: NonNegative = 0.1
    width_scale: Positive = 2.0
    low: float = -0.5
    high: float = 1.5
    bins: int = 1024

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            trim=require.between("trim", self.trim, 0.0, 0.5),
            low=require.real("low", self.low),
            high=require.real("high", self.high),
            bins=require.count("bins", self.bins, low=2),
        )
        if not self.low < self.high:
            raise ValueError(f"high must be above low={self.low:g}, got {self.high!r}")
        if self.bins > MAX_BINS:
            raise ValueError(f"bins must be <= {MAX_BINS}, got {self.bins!r}")

    def start(self, problem: Problem) -> RobustUCBState:
        refuse_changing_arms(problem, self.name)
        rounds = problem.horizon(self.name)
        return RobustUCBState(
            tree=start_histograms(problem.arms, self.bins),
            counts=np.zeros(problem.arms),
            means=np.zeros(problem.arms),
            uppers=np.full(problem.arms, HUGE),
            low=self.low,
            width=(self.high - self.low) / self.bins,
            step=largest_step(self.bins),
            trim=0.5 if self.estimator == "median" else self.trim,
            radius=self.width_scale * self.sigma * math.sqrt(math.log(rounds)),
        )
