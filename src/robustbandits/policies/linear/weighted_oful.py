"""WeightedOFUL: weighted linear regression with a radius for a known attack budget.

Robust weighted OFUL of Zhao, Zhou, Gu (2021). The state and :class:`WeightedRecipe` are shared with
MultiLevelWeightedOFUL, which is for an unknown budget. There each round is assigned to a level at
random; level ℓ gets one round in 2^ℓ and has a regression of its own, besides the regression of all
rounds. If the attacker cannot foresee the draw, level ℓ sees no more than about C / 2^ℓ of the
corruption.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import CODE, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import refuse_small_ridge
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, Ridges, observe, ridge_at, start_ridges
from robustbandits.kernels.sampling import draw
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies._infinite_arms import refuse_infinite_arms
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.linear._linear import (
    LinearRecipe,
    largest_sum,
    share_of_largest_sum,
    theory_ridge,
    widths_to_bonuses,
)

# Field of the memo: the level of the round; 0 without levels.
MEMO_LEVEL = 0


class Band(NamedTuple):
    """Constants of the confidence radius of Zhao, Zhou, Gu (2021)."""

    reach: float  # A² / ((R + 1)² λ)
    prior: float  # √λ B
    delta: float
    scale: float  # 1 in theory


class LevelledState(NamedTuple):
    """What WeightedOFUL and MultiLevelWeightedOFUL remember."""

    ridges: Ridges  # the regression of all rounds first, then one for each level
    chances: Floats  # (levels,) probability of each level; without levels one unused entry
    band: Band
    levels: int
    budget: float  # corruption covered when there are no levels
    weight: float  # 1 / σ̄², of every observation
    first: bool  # among equal scores choose the first arm

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw a level and play the arm with the largest score for that level."""
        level = 0
        if self.levels > 0:
            level = 1
            if self.levels > 1:
                level += draw(self.chances, rng)
        memo[MEMO_LEVEL] = level
        means = np.empty(contexts.shape[1])
        bonuses = np.empty(contexts.shape[1])
        _level_scores(self, level, contexts, means, bonuses)
        return largest_sum(means, bonuses, rng, self.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation to the regression of all rounds and to that of its level."""
        level = int(memo[MEMO_LEVEL])
        observe(ridge_at(self.ridges, 0), context, reward, self.weight)
        if level > 0:
            observe(ridge_at(self.ridges, level), context, reward, self.weight)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus for the decision's level, or for the first level."""
        level = int(memo[MEMO_LEVEL])
        if level < 0:
            level = min(1, self.levels)
        _level_scores(self, level, contexts, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the level."""
        means = np.empty(contexts.shape[1])
        bonuses = np.empty(contexts.shape[1])
        out[:] = 0.0
        for j in range(max(1, self.levels)):
            _level_scores(self, j + 1 if self.levels > 0 else 0, contexts, means, bonuses)
            share_of_largest_sum(means, bonuses, self.first, self.chances[j], out)

    def check(self, memos: Floats) -> None:
        check_index("level", memos[:, MEMO_LEVEL], min(1, self.levels), self.levels + 1)


def level_probabilities(levels: int) -> Floats:
    """Return 2^-ℓ for the levels ℓ = 2, 3, ..., the rest for level 1; a single 1 without levels."""
    probabilities: Floats = 0.5 ** np.arange(1.0, max(1, levels) + 1.0)
    probabilities[0] = 1.0 - probabilities[1:].sum()
    return probabilities


@kernel
def _band_at(band: Band, dim: int, t: float, count: float, slack: float) -> float:
    """Radius at round t for one of ``count`` regressions, plus √d times ``slack``."""
    tail = math.log(4.0 * t * t * count / band.delta)
    noise = 8.0 * math.sqrt(dim * math.log(1.0 + t * band.reach) * tail)
    root = math.sqrt(dim)
    return band.scale * (noise + 4.0 * root * tail + band.prior + root * slack)


@kernel
def _level_scores(
    state: LevelledState, level: int, contexts: Floats, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's mean and bonus from the regression with the smaller upper bound.

    The two regressions are that of all rounds and that of the level.
    """
    ridges = state.ridges
    dim, arms = contexts.shape
    t = ridges.tally[0, COUNT] + 1.0
    slack = state.budget if level == 0 else math.ldexp(1.0, level)
    score_columns(ridges.inverse[0], ridges.theta[0], contexts, means, bonuses)
    widths_to_bonuses(bonuses, _band_at(state.band, dim, t, 1.0, slack))
    if level > 0:
        level_means = np.empty(arms)
        level_bonuses = np.empty(arms)
        share = math.log(2.0 * level * level / state.band.delta) + 3.0
        radius = _band_at(state.band, dim, t, float(state.levels), share)
        score_columns(
            ridges.inverse[level], ridges.theta[level], contexts, level_means, level_bonuses
        )
        widths_to_bonuses(level_bonuses, radius)
        for a in range(arms):
            if level_means[a] + level_bonuses[a] < means[a] + bonuses[a]:
                means[a] = level_means[a]
                bonuses[a] = level_bonuses[a]


@dataclass(frozen=True, kw_only=True)
class WeightedRecipe(LinearRecipe):
    """Parameters of the two policies of Zhao, Zhou, Gu (2021).

    Parameters
    ----------
    ridge
        λ; None for the theory's 1/B², where B is the bound of theta.
    sigma
        Standard deviation of the noise, the same in every round. (The paper's policies are told the
        variance of each reward.)
    noise_bound
        R, largest absolute noise of a reward. No reward weighs more than d/(R+1)².
    radius_scale
        Factor on the whole radius; 1 is the theory's.
    delta, ties
        As for every linear policy, see :class:`LinearRecipe`; ``radius`` has no effect.
    """

    ridge: Positive | None = None  # type: ignore[assignment]
    noise_bound: NonNegative = 1.0
    radius_scale: Positive = 1.0

    def start_levels(self, problem: Problem, levels: int, budget: float = 0.0) -> LevelledState:
        """Return a fresh state with this many levels; without levels it covers the budget."""
        refuse_infinite_arms(problem, self.name)
        ridge = self.ridge
        if ridge is None:
            ridge = theory_ridge(problem, 1.0, "1 / theta_bound²")
        floor = (self.noise_bound + 1.0) / math.sqrt(problem.dim)
        weight = max(self.sigma, floor) ** -2
        refuse_small_ridge(problem, ridge, weight)
        return LevelledState(
            ridges=start_ridges(1 + levels, problem.dim, ridge),
            chances=level_probabilities(levels),
            band=Band(
                reach=(problem.context_bound / (self.noise_bound + 1.0)) ** 2 / ridge,
                prior=math.sqrt(ridge) * problem.theta_bound,
                delta=self.delta,
                scale=self.radius_scale,
            ),
            levels=levels,
            budget=budget,
            weight=weight,
            first=self.ties == "first",
        )


@dataclass(frozen=True)
class WeightedOFUL(WeightedRecipe):
    """Optimism with rewards weighted by their variance and a radius for a known budget.

    An observation has the weight 1/σ̄², σ̄ = max(σ, (R+1)/√d); the score of an arm is
    ``x·θ̂ + β_t(C)‖x‖`` with, for contexts up to A, theta up to B and corruptions up to 1 a round,

    ``β_t(C) = 8√(d ln(1 + tA²/((R+1)²λ)) ln(4t²/δ)) + 4√d ln(4t²/δ) + √λ B + C√d``.

    The radius is about 500 times LinUCB's: with it the policy still explores after a million
    rounds. In practice use :meth:`practical`.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    ridge, sigma, noise_bound, radius_scale, delta, ties
        As for :class:`~robustbandits.policies.linear.weighted_oful.WeightedRecipe`.

    Notes
    -----
    The radius is that of the authors' experiment code, except for these differences:

    - The code takes another square root of ln(1 + tA²/((R+1)²λ)), presumably by mistake. Without
      it the first term is larger, about twice as large at a million rounds.
    - σ̄ has a lower limit here, and none in the code. With the same σ in every round the limit only
      changes the unit of the weights.
    - The code multiplies the radius by 0.6, a constant tuned by hand.
    - The code has 2C√d, where C counts corrupted rounds and each changes a reward by up to 2. Here
      C is the sum of the changes.

    References
    ----------
    Zhao, Zhou, Gu, "Linear contextual bandits with adversarial corruptions" (2021). Specification:
    the authors' code; we could not read the text.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("budget",),
        adversary="weak, rewards",
        regret="d√T + dC√T",
        cost="Kd²",
        provenance=CODE,
        reference="Zhao, Zhou, Gu (2021)",
    )

    budget: NonNegative
    _: KW_ONLY

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Use a hundredth of the theory's radius.

        Of the scales in ``docs/presets.md`` it has the smallest worst case, with ``budget=100``.
        There, an attack on a quarter of the arms harms it a little, and succeeds at the next
        smaller scale.
        """
        return cls(budget, **{"radius_scale": 0.01, **changes})

    def start(self, problem: Problem) -> LevelledState:
        return self.start_levels(problem, 0, self.budget)
