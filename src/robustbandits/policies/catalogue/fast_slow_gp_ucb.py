"""FastSlowGPUCB: two Gaussian processes, for a known attack budget.

Bogunovic, Krause, Scarlett (AISTATS 2020). The slow process sees few rounds and so little of the
corruption; its upper bounds limit those of the fast one.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.policies.catalogue._layers import LayeredRecipe


@dataclass(frozen=True)
class FastSlowGPUCB(LayeredRecipe):
    """Two Gaussian processes, one of which sees few rounds and so little corruption.

    With probability 1/C the slow process is drawn, otherwise the fast one; only the one drawn
    learns. The slow one scores arms by its own upper bound, whose bonus covers a constant
    corruption, ``(3 + B₀ ln(5/δ)) s(x)/√λ`` beside GP-UCB's own; the fast one by the smaller of the
    two upper bounds. With a budget of at most 1 there is only the slow process.

    This is a reconstruction: the structure is surely the paper's, its constants 3, 5 and the share
    δ/5 of each event are from memory.

    It is proved against an attacker who moves before the layer is drawn. One who waits for the
    choice can corrupt the fast process alone: in ``docs/policies.md`` its regret is about LinUCB's,
    without an attack and under Garcelon.

    Needs the same arms in every round. Time and memory do not grow with the rounds.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    max_corruption
        B₀, the largest change of a single reward.
    kernel, lengthscale, smoothness, norm_bound, ridge, delta, sigma, bonus_scale, ties
        As for every policy with a Gaussian process, see
        :class:`~robustbandits.policies.catalogue._layers.LayeredRecipe`.

    References
    ----------
    Bogunovic, Krause, Scarlett (AISTATS 2020), Fast-Slow GP-UCB.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("budget",),
        adversary="weak, rewards",
        regret="(1 + C) γ_T √T; γ_T is d if the kernel is linear",
        cost="Kd² (linear), K² (other kernels)",
        provenance=RECONSTRUCTION,
        reference="Bogunovic, Krause, Scarlett (2020)",
    )

    budget: NonNegative
    _: KW_ONLY
    max_corruption: Positive = 1.0

    def start(self, problem: Problem) -> Any:
        extra = 3.0 + self.max_corruption * math.log(5.0 / self.delta)
        delta = self.delta / 5.0
        if self.budget <= 1.0:
            return self.start_layers(problem, [1.0], [extra], delta=delta)
        slow = 1.0 / self.budget
        return self.start_layers(problem, [1.0 - slow, slow], [0.0, extra], delta=delta)
