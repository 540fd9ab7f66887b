"""EXP3: exponential weights, for rewards that may be chosen by an adversary.

Auer, Cesa-Bianchi, Freund, Schapire (2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Share
from robustbandits.game.problem import Problem
from robustbandits.policies._exp3 import exp3_alpha
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms._sampling import LotteryState, start_sampling


@dataclass(frozen=True, kw_only=True)
class EXP3(ArmsRecipe):
    """Draw arms with exponential weights of their estimated rewards, mixed with uniform play.

    The probability p_i of arm i is (1-α) w_i / Σw + α/K, and a reward r of arm i multiplies w_i by
    exp(α r / (K p_i)); weights are kept as logarithms. The policy assumes nothing about the rewards
    except that they do not depend on the arm just drawn. In return, its regret grows as √T even
    without an attack. Most attacks here see the arm first; WeakVector does not. An attack that sees
    the arm may add more regret than it spends. The policy clips the rewards that it learns from to
    [0, 1].

    Parameters
    ----------
    alpha
        Share of uniform play; None for the theory's min(1, √(K ln K / ((e-1) T))), which needs the
        horizon.

    References
    ----------
    Auer, Cesa-Bianchi, Freund, Schapire (2002), Section 3 and Corollary 3.2.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("horizon",),
        adversary="adversarial rewards",
        regret="√(KT) + C",
        cost="K",
        provenance=PAPER,
        reference="Auer, Cesa-Bianchi, Freund, Schapire (2002)",
    )

    alpha: Share | None = None

    def start(self, problem: Problem) -> LotteryState:
        refuse_changing_arms(problem, self.name)
        alpha = self.alpha
        if alpha is None:
            alpha = exp3_alpha(problem.arms, problem.horizon(self.name))
        return start_sampling(problem.arms, alpha=alpha, tsallis=False)
