"""RobustLinUCB: LinUCB that explores more, to cover a known attack budget.

The paper's Theorem 1 (Ding, Hsieh, Sharpnack 2022), with three smaller bonuses that are derived
here.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.policies.linear._linear import Bonus, LinearRecipe
from robustbandits.policies.linear.linucb import LinUCBState


@dataclass(frozen=True)
class RobustLinUCB(LinearRecipe):
    """LinUCB with exploration enlarged for a known attack budget (the paper's Theorem 1).

    The score of an arm is ``x·θ̂ + β_t ‖x‖`` plus a bonus, which bounds what ``budget`` units of
    corruption can do to the estimate of that arm. With ``budget=0`` this is LinUCB, bit for bit.

    Parameters
    ----------
    budget
        C', at least the attacker's budget.
    bonus
        ``"tight"``: C'·h(x), where h(x) is the largest |xᵀV⁻¹x_s| over the contexts x_s that were
        learned. On a catalogue it is exact and shrinks like 1/N for an arm pulled N times; if
        contexts change, a ball around them is used (docs/tight.md). The others are κ‖x‖ and shrink
        like 1/√N. ``"paper"``: κ = γ_t·C', as in Theorem 1. ``"l1"``: κ = C'. ``"l2"``:
        κ = min(C', √(C'·max_corruption)). Each is a valid bound on the harm; all but ``"paper"``
        are derived here. None, the default, is ``"tight"``, or ``"l2"`` if there are infinitely
        many arms, which the tight bonus does not support.
    max_corruption
        For ``"l2"``: largest change of a single reward; 1 when rewards lie in [0, 1]. Attacks on
        contexts may change the mean reward of a context by 2LS (L and S are the bounds of contexts
        and theta), which is 2 by default. With any bonus, C' then counts S for each unit that a
        context is moved.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022), Theorem 1.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("budget",),
        adversary="strong, rewards or contexts",
        regret="d√T + C Σh, which is KC for orthogonal arms, derived here; d(C+1)√T in the paper",
        cost="Kd²; K²d on a catalogue",
        provenance=PAPER,
        reference="Ding, Hsieh, Sharpnack (2022), Theorem 1",
        infinite_arms=True,
    )

    budget: NonNegative
    _: KW_ONLY
    bonus: Bonus | None = None
    max_corruption: Positive = 1.0

    def start(self, problem: Problem) -> LinUCBState:
        bonus = self.bonus or ("l2" if problem.infinite else "tight")
        optimist = self.start_optimist(problem, bonus=bonus, max_corruption=self.max_corruption)
        return LinUCBState(optimist=optimist, level=self.budget)
