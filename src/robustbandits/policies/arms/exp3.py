"""EXP3: exponential weights for rewards chosen by an adversary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies._exp3 import exp3_alpha
from robustbandits.policies._fixed_arms import refuse_changing_arms
from robustbandits.policies.arms._recipe import ArmsRecipe
from robustbandits.policies.arms._sampling import LotteryState, start_lottery


@dataclass(frozen=True, kw_only=True)
class EXP3(ArmsRecipe):
    """Draw arms with exponential weights of their estimated rewards, mixed with uniform play.

    The probability of arm i is (1-α) w_i / Σw + α/K, and a reward r of arm i multiplies w_i by
    exp(α r / (K p_i)); weights are kept as logarithms. It assumes nothing of how rewards are
    made, as long as they do not depend on the arm just drawn; the price is a regret that grows as
    √T even when nobody attacks. Every attack here sees the arm first: such lies cost more than they
    change. Rewards are clipped to [0, 1] in its own copy.

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

    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            self._set(alpha=require.between("alpha", self.alpha, 0.0, 1.0))

    def start(self, problem: Problem) -> LotteryState:
        """Return a fresh state."""
        refuse_changing_arms(problem, self.name)
        alpha = self.alpha
        if alpha is None:
            alpha = exp3_alpha(problem.arms, problem.horizon(self.name))
        return start_lottery(problem.arms, alpha=alpha, tsallis=False)
