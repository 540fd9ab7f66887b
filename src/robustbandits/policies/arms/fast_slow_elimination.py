"""FastSlowElimination: two layers of arm elimination, for a known attack budget.

Lykouris, Mirrokni, Paes Leme (2018). The slow layer sees few rounds and so little of the
corruption; the fast layer drops every arm that the slow layer drops.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms._elimination import RaceState, start_elimination


@dataclass(frozen=True)
class FastSlowElimination(ArmsRecipe):
    """Eliminate arms in two layers: one fast, one slow that sees few rounds and little corruption.

    With Λ = ln(8KT/δ), each round belongs to the slow layer with probability min(1, 1/C), else to
    the fast one; the layer plays the arm that it has played least. Widths are √(Λ/n) in the fast
    layer and √(Λ/n) + 2Λ/n in the slow one, which sees about one unit of the attacker's budget C.
    A layer drops an arm whose interval lies below another's; the fast layer also drops every arm
    that the slow layer drops. If the fast layer has no arms left, it borrows one from the slow
    layer, and neither learns. Rewards are assumed to lie in [0, 1]. The bound is for an attacker
    who does not see which layer is drawn. Most attacks here see the arm first; WeakVector does not.

    It has no practical preset. With the theory's widths it stops exploring within 10⁶ rounds.
    Smaller widths help only if there are many arms. If there are few, a few corrupted rewards make
    the fast layer drop the best one, and the slow layer cannot correct this in time
    (``docs/presets.md``). For shorter games use
    :class:`~robustbandits.policies.SuccessiveElimination`.

    The specification is reconstructed from memory, because we could not read the paper. The
    structure is certainly the paper's; the constants 8 and 2 probably are.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    delta
        Probability with which the guarantee may fail.
    width_scale
        Multiplies all widths. 1 is the theory's, for any rewards in [0, 1]. To cover the noise
        alone, √2 σ is enough if its standard deviation is σ.

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

    budget: NonNegative
    _: KW_ONLY
    delta: Probability = 0.01
    width_scale: Positive = 1.0

    def start(self, problem: Problem) -> RaceState:
        refuse_changing_arms(problem, self.name)
        log_term = math.log(8.0 * problem.arms * problem.horizon(self.name) / self.delta)
        slow_harm = self.width_scale * 2.0 * log_term
        if self.budget <= 1.0:  # every round belongs to the slow layer
            probabilities, harm = [1.0], [slow_harm]
        else:
            probabilities, harm = [1.0 - 1.0 / self.budget, 1.0 / self.budget], [0.0, slow_harm]
        noise = np.full(len(probabilities), self.width_scale * math.sqrt(log_term))
        return start_elimination(problem.arms, np.array(probabilities), noise, np.array(harm))
