"""Fast-slow active arm elimination: a race of two layers, for a known budget."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import refuse_changing_arms
from robustbandits.policies.arms._elimination import RaceState, start_race
from robustbandits.policies.arms._recipe import ArmsRecipe


@dataclass(frozen=True)
class FastSlowElimination(ArmsRecipe):
    """Two eliminations race: a fast one that trusts its rewards, a slow one that sees few of them.

    With Λ = ln(8KT/δ), each round belongs to the slow layer with probability min(1, 1/C), else to
    the fast one; the layer plays the arm that it has seen least. Widths are √(Λ/n) in the fast
    layer and √(Λ/n) + 2Λ/n in the slow one, which sees about one unit of the attacker's budget C.
    A layer drops an arm whose interval lies below another's; what the slow layer drops, the fast
    one drops too. A fast layer without arms borrows one of the slow layer's, and learns nothing.
    Rewards are taken to lie in [0, 1]. The bound is for an attacker who does not see which layer
    is drawn; every attack here sees the arm.

    It has no practical preset. Its theory leaves exploration within 10⁶ rounds. Smaller widths help
    only where there are many arms: among few, a few lies make the fast layer drop the best one, and
    the slow layer cannot call it back in time (``docs/presets.md``). For shorter games take
    :class:`~robustbandits.policies.SuccessiveElimination`.

    The specification is reconstructed from memory (the structure surely, the constants 8 and 2
    probably the paper's); the paper was not at hand.

    Parameters
    ----------
    budget
        C, at least what the attacker has.
    delta
        Probability with which the guarantee may fail.
    width_scale
        Multiplies all widths. 1 is the theory's, for any rewards in [0, 1]. Noise of standard
        deviation σ needs √2 σ only, as far as the noise is concerned.

    References
    ----------
    Lykouris, Mirrokni, Paes Leme (STOC 2018), known corruption.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("budget", "horizon"),
        adversary="weak, rewards",
        regret="Σ 1/Δ, or KC Σ 1/Δ",
        cost="K",
        provenance=RECONSTRUCTION,
        reference="Lykouris, Mirrokni, Paes Leme (2018)",
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

    def start(self, problem: Problem) -> RaceState:
        """Return a fresh state."""
        refuse_changing_arms(problem, self.name)
        doubt = math.log(8.0 * problem.arms * problem.horizon(self.name) / self.delta)
        wide = self.width_scale * 2.0 * doubt
        if self.budget <= 1.0:  # every round is the slow layer's
            chances, harm = [1.0], [wide]
        else:
            chances, harm = [1.0 - 1.0 / self.budget, 1.0 / self.budget], [0.0, wide]
        noise = np.full(len(chances), self.width_scale * math.sqrt(doubt))
        return start_race(problem.arms, np.array(chances), noise, np.array(harm))
