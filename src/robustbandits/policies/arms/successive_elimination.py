"""SuccessiveElimination: successive elimination with wide radii (SE-WR), for a known attack budget.

Wang, Liu, Zuo, Liu, Lui, Hajiesmaili (ICLR 2025). It withstands an attacker who sees the arm before
acting.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms._elimination import RaceState, start_elimination


@dataclass(frozen=True)
class SuccessiveElimination(ArmsRecipe):
    """Play active arms in turn; drop arms that cannot be best even under an attack of C (SE-WR).

    Widths are √(ln(2KT/δ)/n) + C/n: an attacker who spends C in total cannot move a mean of n
    rewards by more than C/n, even after seeing the arm. So the guarantee holds against a strong
    adversary; that of policies that draw layers at random does not. With ``budget=0`` this is plain
    successive elimination. Rewards are assumed to lie in [0, 1].

    The specification is reconstructed from the paper's abstract and reviews; the constant inside
    the logarithm is from memory.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    delta
        Probability with which the guarantee may fail.
    width_scale
        Multiplies the first term of the width, but not C/n. 1 is the theory's, for any rewards in
        [0, 1]; for noise of standard deviation σ, √2 σ is enough.

    References
    ----------
    Wang, Liu, Zuo, Liu, Lui, Hajiesmaili (ICLR 2025), SE-WR.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("budget", "horizon"),
        adversary="strong, rewards",
        regret="Σ 1/Δ + KC",
        cost="K",
        provenance=RECONSTRUCTION,
        reference="Wang et al. (2025)",
    )

    budget: NonNegative
    _: KW_ONLY
    delta: Probability = 0.01
    width_scale: Positive = 1.0

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Multiply noise widths by 0.15, which covers noise of 0.1: √2 σ = 0.14.

        The budget is covered in full, so with noise of 0.1 the guarantee holds. In
        ``docs/presets.md`` smaller widths do somewhat better. Most of the remaining regret comes
        from the term C/n, which delays the elimination of every arm.
        """
        return cls(**{"budget": budget, "width_scale": 0.15, **changes})

    def start(self, problem: Problem) -> RaceState:
        refuse_changing_arms(problem, self.name)
        log_term = math.log(2.0 * problem.arms * problem.horizon(self.name) / self.delta)
        return start_elimination(
            problem.arms,
            probabilities=np.ones(1),
            noise=np.array([self.width_scale * math.sqrt(log_term)]),
            harm=np.array([self.budget]),
        )
