"""Tsallis-INF: nearly optimal for stochastic and for adversarial rewards (Zimmert, Seldin 2019).

Arms are drawn with probabilities that follow from their estimated losses; there are no parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms._sampling import LotteryState, start_sampling


@dataclass(frozen=True, kw_only=True)
class TsallisINF(ArmsRecipe):
    """Follow the leader, regularized by Tsallis entropy with power 1/2; it has no parameters.

    Losses are 1 - r. The loss of the arm that was drawn is divided by the arm's probability and
    added to its total L. With η = 2/√t, arm i is drawn with probability p_i = 4 (η (L_i - x))^-2,
    where x makes the probabilities sum to 1; t is one more than the rewards learned. The policy is
    optimal up to constants when rewards are adversarial and when they are stochastic. In between,
    an attacker with budget C adds a regret of √(C Σ log T/Δ) if the attack comes before the arm is
    drawn. Most attacks here see the arm first, and may add more; WeakVector does not. No horizon
    and no budget are needed. The policy clips the rewards that it learns from to [0, 1].

    The paper writes the same probabilities as (η (L_i - x))^-2 with η = 1/√t. The bound with C is
    that of the paper's longer version (JMLR 2021).

    References
    ----------
    Zimmert, Seldin (AISTATS 2019), Algorithm 1 with α = 1/2 and Theorem 2. Specification: the
    paper.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=(),
        adversary="weak, rewards; adversarial",
        regret="Σ 1/Δ + √(C Σ 1/Δ)",
        cost="K",
        provenance=PAPER,
        reference="Zimmert, Seldin (2019, 2021)",
    )

    def start(self, problem: Problem) -> LotteryState:
        refuse_changing_arms(problem, self.name)
        return start_sampling(problem.arms, alpha=0.0, tsallis=True)
