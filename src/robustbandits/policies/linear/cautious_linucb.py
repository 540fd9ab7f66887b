"""CautiousLinUCB: LinUCB's scores on a regression with CW-OFUL's weights.

An observation of an arm that is still uncertain counts less, so that a few corrupted rewards
cannot move the estimate far. The weights are those of He, Zhou, Zhang, Gu (2022); keeping LinUCB's
radius is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from robustbandits.game.facts import OURS, PolicyFacts
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.policies.linear._linear import LinearRecipe
from robustbandits.policies.linear.cw_oful import WeightedState


@dataclass(frozen=True)
class CautiousLinUCB(LinearRecipe):
    """LinUCB with less weight for rewards of arms about which little is known.

    An observation has CW-OFUL's weight ``min(1, α/‖x‖)`` with α = 2√d / ``tolerance``; the score of
    an arm is LinUCB's, ``x·θ̂ + β_t‖x‖``, without any extra bonus. Corruptions of C in total then
    move the estimate of an arm's mean by at most αC‖x‖: with C up to ``tolerance`` that is 2√d‖x‖.
    The bonus does not cover this, so no regret bound is claimed; which attacks the policy
    withstands was measured.

    Parameters
    ----------
    tolerance
        Use about four times the attacker's budget: corrupting one arm alone, the cheapest attack
        that we know, succeeds from about half of the tolerance on (``docs/cautious.md``). Use more
        than four times if ``sigma`` is below 0.1. The larger the tolerance, the more regret the
        policy has without an attack, compared with LinUCB.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    The weights are those of He, Zhou, Zhang, Gu (NeurIPS 2022); keeping LinUCB's bonus is ours.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("tolerance",),
        adversary="nothing proved",
        regret="none",
        cost="Kd²",
        provenance=OURS,
        reference="weights of He, Zhou, Zhang, Gu (2022)",
        infinite_arms=True,
    )

    tolerance: NonNegative = 100.0

    def start(self, problem: Problem) -> WeightedState:
        scale = 2.0 * math.sqrt(problem.dim)
        return WeightedState(
            optimist=self.start_optimist(problem),
            caution=scale / self.tolerance if self.tolerance > 0.0 else math.inf,
            constant=-1.0,
        )
