"""OracleLinUCB: a reference that knows what the attacker has spent, and when it is over."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import CODE, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import observe, reset_ridge
from robustbandits.policies.linear._linear import (
    BONUSES,
    LinearRecipe,
    Optimist,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)

# Fields of what it was told: what the attacker has spent, and whether the attack is `ON`, was the
# last one (`ENDS`: what was learned under it is about to be forgotten), or is `OVER`.
SPENT, ATTACK = range(2)
ON, ENDS, OVER = range(3)


class OracleLinUCBState(NamedTuple):
    """What OracleLinUCB remembers, and what it was told."""

    optimist: Optimist
    heard: Floats  # (2,) what the attacker has spent, and whether that is all

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound."""
        return optimistic_arm(self.optimist, contexts, _factor(self), rng)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression; forget everything when the attack has ended."""
        observe(self.optimist.ridge, context, reward, 1.0)
        if self.heard[ATTACK] == ENDS:
            reset_ridge(self.optimist.ridge)
            self.heard[ATTACK] = OVER

    @kernel
    def overhear(self, spent: float, over: bool) -> None:
        """Note what the attacker has spent; without money left there will be no more lies."""
        self.heard[SPENT] = spent
        if over and spent > 0.0 and self.heard[ATTACK] == ON:
            self.heard[ATTACK] = ENDS

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus."""
        optimistic_scores(self.optimist, contexts, _factor(self), means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        optimistic_shares(self.optimist, contexts, _factor(self), out)


@kernel
def _factor(state: OracleLinUCBState) -> float:
    """β_t, enlarged for what was spent while the attack lasts."""
    level = state.heard[SPENT] if state.heard[ATTACK] == ON else 0.0
    return width_factor(state.optimist, level)


@dataclass(frozen=True)
class OracleLinUCB(LinearRecipe):
    """LinUCB that knows what the attacker has spent, and when it is over: a reference.

    While the attack lasts it explores more, for what was really spent so far, as
    :class:`~robustbandits.policies.RobustLinUCB` does for a budget it is told. When the attacker
    has no money left it forgets everything and starts anew as LinUCB. Nobody could run it: only a
    game can tell it. In an agent nobody does, and it is LinUCB.

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
    )

    _: KW_ONLY
    bonus: str = "l2"
    max_corruption: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            bonus=require.one_of("bonus", self.bonus, BONUSES),
            max_corruption=require.positive("max_corruption", self.max_corruption),
        )

    def start(self, problem: Problem) -> OracleLinUCBState:
        """Return a fresh state."""
        optimist = self.start_optimist(
            problem, bonus=self.bonus, max_corruption=self.max_corruption
        )
        return OracleLinUCBState(optimist=optimist, heard=np.zeros(2))
