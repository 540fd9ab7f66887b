"""WeightedOFUL: robust weighted optimism for a known attack budget."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import start_ridges
from robustbandits.policies.linear._levels import Band, LevelledState, level_chances
from robustbandits.policies.linear._linear import LinearRecipe, refuse_spread, theory_ridge


@dataclass(frozen=True, kw_only=True)
class WeightedRecipe(LinearRecipe):
    """Parameters of the two policies of Zhao, Zhou, Gu (2021).

    Parameters
    ----------
    ridge
        λ; None for the theory's 1/B², B being the bound of theta.
    sigma
        Standard deviation of the noise, the same in every round: nobody tells a policy here the
        variance of a single reward, which the paper lets it know.
    noise_bound
        R, largest absolute noise of a reward. No reward weighs more than d/(R+1)².
    radius_scale
        Factor of the whole radius; 1 is the theory's.
    delta, ties
        As for every linear policy, see :class:`LinearRecipe`;
        ``radius`` has no part in it.
    """

    ridge: float | None = None  # type: ignore[assignment]
    noise_bound: float = 1.0
    radius_scale: float = 1.0

    def __post_init__(self) -> None:
        given = self.ridge
        if given is None:
            self._set(ridge=1.0)  # for the checks of the others
        super().__post_init__()
        self._set(
            ridge=None if given is None else self.ridge,
            noise_bound=require.at_least("noise_bound", self.noise_bound, 0.0),
            radius_scale=require.positive("radius_scale", self.radius_scale),
        )

    def start_levels(self, problem: Problem, levels: int, budget: float = 0.0) -> LevelledState:
        """Return a fresh state with so many levels; without any it covers the budget."""
        bound, ridge = problem.theta_bound, self.ridge
        if ridge is None:
            ridge = theory_ridge(problem, 1.0, "1 / theta_bound²")
        refuse_spread(problem, ridge)
        reach = (problem.context_bound / (self.noise_bound + 1.0)) ** 2 / ridge
        floor = (self.noise_bound + 1.0) / math.sqrt(problem.dim)
        return LevelledState(
            ridges=start_ridges(1 + levels, problem.dim, ridge),
            chances=level_chances(levels),
            band=Band(
                reach=reach,
                prior=math.sqrt(ridge) * bound,
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
    """Optimism with rewards weighed by their variance, its radius enlarged for a known budget.

    An observation has the weight 1/σ̄², σ̄ = max(σ, (R+1)/√d); the score of an arm is
    ``x·θ̂ + β_t(C)‖x‖`` with, for contexts up to A, theta up to B and corruptions up to 1 a round,

    ``β_t(C) = 8√(d ln(1 + tA²/((R+1)²λ)) ln(4t²/δ)) + 4√d ln(4t²/δ) + √λ B + C√d``.

    The radius is some 500 times LinUCB's: with it the policy still explores after a million rounds.
    :meth:`practical` is meant for play.

    Parameters
    ----------
    budget
        C, at least what the attacker has.
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

    budget: float
    _: KW_ONLY

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(budget=require.at_least("budget", self.budget, 0.0))

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Take a hundredth of the theory's radius.

        Of the scales in ``docs/presets.md`` the one with the smallest worst case, with
        ``budget=100``. Lies about a quarter of the arms harm it a little there, and win at the next
        smaller one.
        """
        return cls(budget, **{"radius_scale": 0.01, **changes})

    def start(self, problem: Problem) -> LevelledState:
        """Return a fresh state."""
        return self.start_levels(problem, 0, self.budget)
