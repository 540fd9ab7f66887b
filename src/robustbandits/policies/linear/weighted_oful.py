"""WeightedOFUL: weighted linear regression with a radius for a known attack budget.

Robust weighted OFUL of Zhao, Zhou, Gu (2021). :class:`WeightedRecipe` is shared with
MultiLevelWeightedOFUL, for an unknown budget.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridges import start_ridges
from robustbandits.policies.linear._levels import Band, LevelledState, level_chances
from robustbandits.policies.linear._linear import LinearRecipe, refuse_small_ridge, theory_ridge


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
        Factor of the whole radius; 1 is the theory's.
    delta, ties
        As for every linear policy, see :class:`LinearRecipe`; ``radius`` has no effect.
    """

    ridge: Positive | None = None  # type: ignore[assignment]
    noise_bound: NonNegative = 1.0
    radius_scale: Positive = 1.0

    def start_levels(self, problem: Problem, levels: int, budget: float = 0.0) -> LevelledState:
        """Return a fresh state with this many levels; without levels it covers the budget."""
        ridge = self.ridge
        if ridge is None:
            ridge = theory_ridge(problem, 1.0, "1 / theta_bound²")
        refuse_small_ridge(problem, ridge)
        floor = (self.noise_bound + 1.0) / math.sqrt(problem.dim)
        return LevelledState(
            ridges=start_ridges(1 + levels, problem.dim, ridge),
            chances=level_chances(levels),
            band=Band(
                reach=(problem.context_bound / (self.noise_bound + 1.0)) ** 2 / ridge,
                prior=math.sqrt(ridge) * problem.theta_bound,
                delta=self.delta,
                scale=self.radius_scale,
            ),
            levels=levels,
            budget=budget,
            weight=max(self.sigma, floor) ** -2,
            first=self.ties == "first",
        )


@dataclass(frozen=True)
class WeightedOFUL(WeightedRecipe):
    """Optimism with rewards weighted by their variance and a radius for a known budget.

    An observation has the weight 1/σ̄², σ̄ = max(σ, (R+1)/√d); the score of an arm is
    ``x·θ̂ + β_t(C)‖x‖`` with, for contexts up to A, theta up to B and corruptions up to 1 a round,

    ``β_t(C) = 8√(d ln(1 + tA²/((R+1)²λ)) ln(4t²/δ)) + 4√d ln(4t²/δ) + √λ B + C√d``.

    The radius is about 500 times LinUCB's: with it the policy still explores after a million
    rounds. :meth:`practical` is meant for use.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    ridge, sigma, noise_bound, radius_scale, delta, ties
        As for :class:`~robustbandits.policies.linear.weighted_oful.WeightedRecipe`.

    Notes
    -----
    A reconstruction: the formulas are from memory, checked against the structure of the authors'
    experiment code only. That code multiplies each radius by a constant tuned by hand, and has
    2C√d where C√d, as here, is enough.

    References
    ----------
    Zhao, Zhou, Gu, "Linear contextual bandits with adversarial corruptions" (2021).
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("budget",),
        adversary="weak, rewards",
        regret="d√T + dC√T",
        cost="Kd²",
        provenance=RECONSTRUCTION,
        reference="Zhao, Zhou, Gu (2021)",
    )

    budget: NonNegative
    _: KW_ONLY

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Use a hundredth of the theory's radius.

        Of the scales in ``docs/presets.md`` the one with the smallest worst case, with
        ``budget=100``. There, corrupting a quarter of the arms harms it a little, and succeeds at
        the next smaller scale.
        """
        return cls(budget, **{"radius_scale": 0.01, **changes})

    def start(self, problem: Problem) -> LevelledState:
        return self.start_levels(problem, 0, self.budget)
