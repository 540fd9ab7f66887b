"""OracleLinUCB: a reference policy that knows what the attacker has spent and when the attack ends.

It shows how much of a robust policy's regret is caused by not knowing this. It is not in the paper
of Ding, Hsieh, Sharpnack (2022), but in its authors' code.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import CODE, PolicyFacts
from robustbandits.game.parameters import Positive
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.policies.linear._linear import (
    Bonus,
    LinearRecipe,
    Optimist,
    forget_all,
    learn_reward,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)

# Fields of `heard`: what the attacker has spent, and one of the phases below.
SPENT, ATTACK = range(2)
# The phases: the attack goes on; its last round has been played but not learned; it is over, and
# everything was forgotten.
ON, ENDS, OVER = range(3)


class OracleLinUCBState(NamedTuple):
    """What OracleLinUCB remembers and what the game has told it."""

    optimist: Optimist
    heard: Floats  # (2,) what the attacker has spent; phase of the attack

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        level = _level(self)
        factor = width_factor(self.optimist, level)
        return optimistic_arm(self.optimist, contexts, factor, level, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation; forget everything once the attack has ended."""
        learn_reward(self.optimist, arm, context, reward)
        if self.heard[ATTACK] == ENDS:
            forget_all(self.optimist)
            self.heard[ATTACK] = OVER

    @kernel
    def overhear(self, spent: float, over: bool) -> None:
        """Record what the attacker has spent, and whether the attack is over."""
        self.heard[SPENT] = spent
        if over and spent > 0.0 and self.heard[ATTACK] == ON:
            self.heard[ATTACK] = ENDS

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        level = _level(self)
        factor = width_factor(self.optimist, level)
        optimistic_scores(self.optimist, contexts, factor, level, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        level = _level(self)
        factor = width_factor(self.optimist, level)
        optimistic_shares(self.optimist, contexts, factor, level, out)


@kernel
def _level(state: OracleLinUCBState) -> float:
    """Return the amount spent, while the attack lasts."""
    return state.heard[SPENT] if state.heard[ATTACK] == ON else 0.0


@dataclass(frozen=True)
class OracleLinUCB(LinearRecipe):
    """LinUCB that knows what the attacker has spent and when the attack ends: a reference.

    While the attack lasts, it explores as :class:`~robustbandits.policies.RobustLinUCB` does, with
    the amount spent so far in place of a given budget. When the attacker's budget is used up, it
    forgets everything and starts again as LinUCB. It cannot be used in practice: what was spent is
    known only in a simulated game. In an agent it is LinUCB.

    Parameters
    ----------
    bonus, max_corruption
        As for :class:`~robustbandits.policies.RobustLinUCB`. The authors' code has
        ``bonus="paper"``.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022): not in the paper, but in its authors' code, which this follows.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("what was spent",),
        adversary="nothing proved",
        regret="none",
        cost="Kd²",
        provenance=CODE,
        reference="Ding, Hsieh, Sharpnack (2022), authors' code",
        infinite_arms=True,
    )

    _: KW_ONLY
    bonus: Bonus = "l2"
    max_corruption: Positive = 1.0

    def start(self, problem: Problem) -> OracleLinUCBState:
        optimist = self.start_optimist(
            problem, bonus=self.bonus, max_corruption=self.max_corruption
        )
        return OracleLinUCBState(optimist=optimist, heard=np.zeros(2))
