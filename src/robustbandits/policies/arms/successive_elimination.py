"""Successive elimination with wide radii (SE-WR): for an attacker who sees the arm first."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import refuse_changing_arms
from robustbandits.policies.arms._elimination import RaceState, start_race
from robustbandits.policies.arms._recipe import ArmsRecipe


@dataclass(frozen=True)
class SuccessiveElimination(ArmsRecipe):
    """Play the arms left in turn; drop one when even C in lies could not make it the best (SE-WR).

    Widths are √(ln(2KT/δ)/n) + C/n: an attacker who spends C in all cannot move a mean of n rewards
    by more than C/n, whatever he sees before he acts. So this holds against the strong adversary,
    where policies that draw layers at random do not. With ``budget=0`` it is plain successive
    elimination. Rewards are taken to lie in [0, 1].

    The specification is reconstructed from the paper's abstract and reviews; the constant inside
    the logarithm is from memory.

    Parameters
    ----------
    budget
        C, at least what the attacker has.
    delta
        Probability with which the guarantee may fail.
    width_scale
        Multiplies the first term of the width, never the budget's. 1 is the theory's, for any
        rewards in [0, 1]; noise of standard deviation σ needs √2 σ only.

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

    budget: float
    _: KW_ONLY
    delta: float = 0.01
    width_scale: float = 1.0

    def __post_init__(self) -> None:
        self._set(
            budget=require.at_least("budget", self.budget, 0.0),
            delta=require.fraction("delta", self.delta),
            width_scale=require.positive("width_scale", self.width_scale),
        )

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Noise widths times 0.15, which covers noise of 0.1: √2 σ = 0.14.

        The budget is covered in full, so with noise of 0.1 the guarantee stands. In
        ``docs/presets.md`` smaller widths do somewhat better. What is left is the price of the
        budget, paid for each arm.
        """
        return cls(**{"budget": budget, "width_scale": 0.15, **changes})

    def start(self, problem: Problem) -> RaceState:
        """Return a fresh state."""
        refuse_changing_arms(problem, self.name)
        doubt = math.log(2.0 * problem.arms * problem.horizon(self.name) / self.delta)
        return start_race(
            problem.arms,
            chances=np.ones(1),
            noise=np.array([self.width_scale * math.sqrt(doubt)]),
            harm=np.array([self.budget]),
        )
