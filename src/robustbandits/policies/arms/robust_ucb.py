"""RobustUCB: UCB with the median (rUCB-MAB) or a trimmed mean (crUCB) of each arm's rewards.

Kapoor, Patel, Kar (2019); Niss, Tewari (2020). A small share of corrupted rewards cannot move these
estimates far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import CODE, PolicyFacts
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
    sum_between,
)

MAX_BINS = 1 << 16
# Fields of the tally: rewards learned; arms never played.
LEARNED, UNPLAYED = range(2)


class RobustUCBState(NamedTuple):
    """What RobustUCB remembers."""

    tree: Floats  # (arms, bins + 1, 2) histogram of each arm's rewards, see _histogram.py
    counts: Floats  # (arms,) rewards learned
    means: Floats  # (arms,) robust estimates
    uppers: Floats  # (arms,) upper confidence bounds; HUGE for an arm never played
    roots: Floats  # (arms,) 1/√n; 0 for an arm never played
    tally: Floats  # (2,) rewards learned, arms never played
    low: float  # where the first bin begins
    width: float  # of a bin
    step: int  # largest power of two that is not above the number of bins
    trim: float  # share left out at each end; 1/2 leaves the median
    radius: float  # bounds are mean + radius √(ln t / n)
    horizon: float  # t; 0 if t is the number of rewards learned

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound; arms without rewards come first."""
        return largest(self.uppers, rng, False)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add a reward to the arm's histogram, and estimate its mean again."""
        number = bin_of((reward - self.low) / self.width, self.tree.shape[1] - 1)
        add_reward(self.tree, arm, number)
        self.counts[arm] += 1.0
        count = self.counts[arm]
        cut = min(math.ceil(self.trim * count), math.floor((count - 1.0) / 2.0))
        total = sum_between(self.tree, arm, float(cut), count - cut, self.step)
        self.means[arm] = self.low + self.width * (total / (count - 2.0 * cut) + 0.5)
        self.roots[arm] = 1.0 / math.sqrt(count)
        self.tally[LEARNED] += 1.0
        if count == 1.0:
            self.tally[UNPLAYED] -= 1.0
        _update_bounds(self)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimate and bonus; an arm never played has the bonus of one reward."""
        unit = _unit_bonus(self)
        for a in range(self.means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = unit * (self.roots[a] if self.counts[a] > 0.0 else 1.0)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        out[:] = 0.0
        share_of_largest(self.uppers, False, 1.0, out)

    def check(self, memos: Floats) -> None:
        check_counts("counts", self.counts)
        check_counts("tally", self.tally)
        check_counts("histogram entries", self.tree[:, 1:, COUNT])


@kernel
def _unit_bonus(state: RobustUCBState) -> float:
    """Return the bonus of an arm with one reward; that of an arm with n is divided by √n."""
    t = state.horizon if state.horizon > 0.0 else state.tally[LEARNED]
    return state.radius * math.sqrt(math.log(max(1.0, t)))


@kernel
def _update_bounds(state: RobustUCBState) -> None:
    """Compute the upper bounds of all arms that were played, because t has grown."""
    unit = _unit_bonus(state)
    arms = state.counts.shape[0]
    if state.tally[UNPLAYED] > 0.0:
        for a in range(arms):
            if state.counts[a] > 0.0:
                state.uppers[a] = state.means[a] + unit * state.roots[a]
    else:  # without a condition in the loop, the compiler vectorizes it
        for a in range(arms):
            state.uppers[a] = state.means[a] + unit * state.roots[a]


@dataclass(frozen=True, kw_only=True)
class RobustUCB(ArmsRecipe):
    """UCB with a median or trimmed mean, which a few corrupted rewards cannot move far.

    After t rewards, n of them from an arm, its bound is ``estimate + w·√(ln t / n)``. With the
    median this is rUCB-MAB, and w = ``width_scale·σ``. With the trimmed mean it is crUCB, and w is
    that divided by 1 - 2·``trim``: ⌈``trim``·n⌉ rewards are left out at each end, as long as one or
    two remain. Both begin by playing each arm once.

    crUCB is for an attacker who at every time has changed, by any amount, at most a share ``trim``
    of each arm's rewards. rUCB-MAB is for Gaussian rewards, each of which is corrupted with the
    same probability η, independently of the others. The regret has a term that is this share times
    T. (The bonus of rUCB-MAB has another term in η, which is left out here: it is the same for
    every arm, so it cannot change the choice.)

    Memory does not grow with time: the rewards of each arm are kept as a histogram of ``bins``
    equal bins from ``low`` to ``high``, and each reward counts as the middle of its bin. This
    changes an estimate by at most half a bin (0.001 by default), and arms closer than that cannot
    be told apart by their median. Rewards outside count in the first or last bin.

    The median equals the mean only for rewards that are distributed symmetrically around it. For
    clicks, which are 0 or 1, it is 0 for every arm that earns less than one half: use another
    policy for those.

    The rule of rUCB-MAB is that of its authors' code, where ``width_scale·σ`` is a parameter √ρ
    without a default; our 2 covers the median of normal rewards, whose standard deviation is
    √(π/2) σ/√n (√2·√(π/2) = 1.77). crUCB is the paper's, with its 2. The histogram and random ties
    are ours, and so is the median of an even number of rewards: the mean of the middle two, where
    the code takes the larger.

    Parameters
    ----------
    estimator
        ``"median"`` (default) or ``"trimmed"``: the mean without the smallest and largest.
    trim
        Share that the trimmed mean leaves out at each end, below one half: the share that the
        attacker may change.
    sigma
        Standard deviation of the noise.
    width_scale
        Multiplies the bonus.
    low, high, bins
        The histogram; memory is ``16·arms·bins`` bytes.
    clock
        What t is: ``"rewards"``, the number learned so far, as in the code and the paper; or
        ``"horizon"``, the number of rounds of the whole game, for more exploration early on.

    References
    ----------
    Kapoor, Patel, Kar (Machine Learning 108, 2019). Specification: the authors' code; we could not
    read the text. For trimming: Niss, Tewari (UAI 2020), the paper.
    """

    version: ClassVar[int] = 2

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("noise", "share of rewards changed, to trim"),
        adversary="a random share η of rewards (median), a share of each arm's rewards (trimmed)",
        regret="√(KT) + ηT (trimmed: η < ¼)",
        cost="K + log B",
        provenance=CODE,
        reference="Kapoor, Patel, Kar (2019); Niss, Tewari (2020)",
    )

    estimator: Literal["median", "trimmed"] = "median"
    trim: float = 0.1
    sigma: NonNegative = 0.1
    width_scale: Positive = 2.0
    low: float = -0.5
    high: float = 1.5
    bins: int = 1024
    clock: Literal["rewards", "horizon"] = "rewards"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            trim=require.between("trim", self.trim, 0.0, 0.5),
            low=require.real("low", self.low),
            high=require.real("high", self.high),
            bins=require.count("bins", self.bins, low=2),
        )
        if self.estimator == "trimmed" and self.trim == 0.5:
            raise ValueError(f"trim must be < 0.5, got {self.trim!r}: use estimator='median'")
        if not self.low < self.high:
            raise ValueError(f"high must be above low={self.low:g}, got {self.high!r}")
        if self.bins > MAX_BINS:
            raise ValueError(f"bins must be <= {MAX_BINS}, got {self.bins!r}")

    def start(self, problem: Problem) -> RobustUCBState:
        refuse_changing_arms(problem, self.name)
        median = self.estimator == "median"
        return RobustUCBState(
            tree=start_histograms(problem.arms, self.bins),
            counts=np.zeros(problem.arms),
            means=np.zeros(problem.arms),
            uppers=np.full(problem.arms, HUGE),
            roots=np.zeros(problem.arms),
            tally=np.array([0.0, problem.arms]),
            low=self.low,
            width=(self.high - self.low) / self.bins,
            step=largest_step(self.bins),
            trim=0.5 if median else self.trim,
            radius=self.width_scale * self.sigma / (1.0 if median else 1.0 - 2.0 * self.trim),
            horizon=float(problem.horizon(self.name)) if self.clock == "horizon" else 0.0,
        )

    @staticmethod
    def upgrade_file(arrays: dict[str, Floats]) -> dict[str, Floats]:
        """Return the arrays of an agent file in the present layout.

        Older files lack the fields that can be computed from the counts. Their upper bounds keep
        the values of the older formulas until the next reward, and the trimmed mean of an arm keeps
        its value until the next reward of that arm.
        """
        if "state.roots" in arrays:
            return arrays
        counts = arrays["state.counts"]
        played = counts > 0.0
        roots = np.zeros(counts.shape)
        roots[played] = 1.0 / np.sqrt(counts[played])
        tally = np.array([counts.sum(), np.count_nonzero(~played)])
        return {**arrays, "state.roots": roots, "state.tally": tally}
