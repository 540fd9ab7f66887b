"""RobustUCB: optimism with a median or a trimmed mean in the place of the mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.policies._fixed_arms import refuse_changing_arms
from robustbandits.policies.arms._elimination import ENDLESS
from robustbandits.policies.arms._histogram import (
    add_reward,
    bin_of,
    largest_step,
    start_sketch,
    sum_of_smallest,
)
from robustbandits.policies.arms._recipe import ArmsRecipe

ESTIMATORS = ("median", "trimmed")
MAX_BINS = 1 << 16


class RobustUCBState(NamedTuple):
    """What RobustUCB remembers."""

    tree: Floats  # (arms, bins + 1, 2) a sketch of each arm's rewards
    counts: Floats  # (arms,) rewards learned
    means: Floats  # (arms,) robust estimates
    uppers: Floats  # (arms,) upper confidence bounds; endless for an arm never played
    low: float  # where the first bin begins
    width: float  # of a bin
    step: int  # largest power of two within the number of bins
    trim: float  # share cut off at each end; 1/2 leaves the median
    radius: float  # bounds are mean + radius / √n

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound, those never played first."""
        return largest(self.uppers, rng, False)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add a reward to the arm's sketch, and estimate its mean anew."""
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
        """Write each arm's estimate and bonus; one never played has the bonus of one reward."""
        for a in range(self.means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = self.radius / math.sqrt(max(1.0, self.counts[a]))

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        for a in range(self.uppers.shape[0]):
            out[a] = 0.0
        share_of_largest(self.uppers, False, 1.0, out)

    def check(self, memos: Floats) -> None:
        """Refuse a sketch that no rewards can have left: a file may hold anything."""
        if not (np.all(self.counts >= 0.0) and np.all(self.counts % 1.0 == 0.0)):
            raise ValueError("its counts are not whole numbers")
        if not np.all((self.tree[:, 1:, 0] >= 0.0) & (self.tree[:, 1:, 0] % 1.0 == 0.0)):
            raise ValueError("its histograms do not hold whole numbers")


@dataclass(frozen=True, kw_only=True)
class RobustUCB(ArmsRecipe):
    """UCB with a median or trimmed mean, which few corrupted rewards cannot move far (rUCB-MAB).

    The bound of an arm with n rewards is ``estimate + width_scale·σ·√(ln T / n)``. The robust
    estimates tolerate an attacker who changes a share of each arm's rewards, by any amount; the
    regret then keeps a term that is this share times T. (The paper's bonus has another term in that
    share, the same for every arm, which cannot change the choice.)

    Memory does not grow with time: the rewards of each arm are kept as a histogram of ``bins``
    equal bins from ``low`` to ``high``, and each counts as the middle of its bin. An estimate is
    therefore off by half a bin at most (0.001 by default), and arms closer than that cannot be told
    apart by their median. Rewards outside count in the first or last bin.

    The median is the mean only of rewards that are spread evenly around it. Of clicks, which are 0
    or 1, it is 0 for every arm that earns less than one half, and tells nothing: take another
    policy for those.

    The specification is reconstructed from memory: the estimators and the form of the bonus are
    the paper's, ``width_scale=2`` is ours. (The median of n normal rewards has a standard deviation
    of √(π/2) σ/√n, so 2 covers √2·√(π/2) = 1.77.)

    Parameters
    ----------
    estimator
        ``"median"`` (default) or ``"trimmed"``: the mean without the smallest and largest.
    trim
        Share that the trimmed mean leaves out at each end: what the attacker may change.
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

    estimator: str = "median"
    trim: float = 0.1
    sigma: float = 0.1
    width_scale: float = 2.0
    low: float = -0.5
    high: float = 1.5
    bins: int = 1024

    def __post_init__(self) -> None:
        self._set(
            estimator=require.one_of("estimator", self.estimator, ESTIMATORS),
            trim=require.between("trim", self.trim, 0.0, 0.5),
            sigma=require.at_least("sigma", self.sigma, 0.0),
            width_scale=require.positive("width_scale", self.width_scale),
            low=require.real("low", self.low),
            high=require.real("high", self.high),
            bins=require.count("bins", self.bins, low=2),
        )
        if not self.low < self.high:
            raise ValueError(f"high must be above low={self.low:g}, got {self.high!r}")
        if self.bins > MAX_BINS:
            raise ValueError(f"bins must be <= {MAX_BINS}, got {self.bins!r}")

    def start(self, problem: Problem) -> RobustUCBState:
        """Return a fresh state."""
        refuse_changing_arms(problem, self.name)
        doubt = math.log(problem.horizon(self.name))
        return RobustUCBState(
            tree=start_sketch(problem.arms, self.bins),
            counts=np.zeros(problem.arms),
            means=np.zeros(problem.arms),
            uppers=np.full(problem.arms, ENDLESS),
            low=self.low,
            width=(self.high - self.low) / self.bins,
            step=largest_step(self.bins),
            trim=0.5 if self.estimator == "median" else self.trim,
            radius=self.width_scale * self.sigma * math.sqrt(doubt),
        )
