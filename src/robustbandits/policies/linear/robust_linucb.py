"""RobustLinUCB: LinUCB that is told how much an attacker can spend."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies.linear._linear import BONUSES, LinearRecipe
from robustbandits.policies.linear.linucb import LinUCBState


@dataclass(frozen=True)
class RobustLinUCB(LinearRecipe):
    """LinUCB with exploration enlarged for a known attack budget (the paper's Theorem 1).

    The score of an arm is ``x·θ̂ + (β_t + κ) ‖x‖``, where κ bounds what ``budget`` units of
    corruption can do to the estimate. With ``budget=0`` this is LinUCB, bit for bit.

    Parameters
    ----------
    budget
        C', at least what the attacker has.
    bonus
        ``"paper"``: κ = γ_t·C', as in Theorem 1. ``"l1"``: κ = C'. ``"l2"``, the default:
        κ = min(C', √(C'·max_corruption)). Each is a valid bound on the harm; the last explores
        least, but for the first few rounds, in which γ_t is below 1. (The last two are derived, not
        in the paper: the hat matrix has no eigenvalue above 1.)
    max_corruption
        Largest change of a single reward; 1 when rewards live in [0, 1]. Attacks on contexts may
        change what a context earns by 2LS (L and S being the bounds of contexts and theta), which
        is 2 by default; C' then counts S for each unit that a context is moved.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022), Theorem 1.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("budget",),
        adversary="strong, rewards; contexts with max_corruption=2",
        regret="d√T + √(dCT), derived here; d(C+1)√T in the paper",
        cost="Kd²",
        provenance=PAPER,
        reference="Ding, Hsieh, Sharpnack (2022), Theorem 1",
    )

    budget: float
    _: KW_ONLY
    bonus: str = "l2"
    max_corruption: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            budget=require.at_least("budget", self.budget, 0.0),
            bonus=require.one_of("bonus", self.bonus, BONUSES),
            max_corruption=require.positive("max_corruption", self.max_corruption),
        )

    def start(self, problem: Problem) -> LinUCBState:
        """Return a fresh state."""
        optimist = self.start_optimist(
            problem, bonus=self.bonus, max_corruption=self.max_corruption
        )
        return LinUCBState(optimist=optimist, level=self.budget)
