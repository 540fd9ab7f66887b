"""OracleLinUCB: a reference that knows what the attacker has spent."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits._jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import OURS, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import observe
from robustbandits.policies.optimism import (
    BONUSES,
    LinearRecipe,
    Optimist,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)


class OracleLinUCBState(NamedTuple):
    """What OracleLinUCB remembers, and what it was told."""

    optimist: Optimist
    heard: Floats  # (1,) what the attacker has spent

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound."""
        factor = width_factor(self.optimist, self.heard[0])
        return optimistic_arm(self.optimist, contexts, factor, rng)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression."""
        observe(self.optimist.ridge, context, reward, 1.0)

    @kernel
    def overhear(self, spent: float) -> None:
        """Note what the attacker has spent."""
        self.heard[0] = spent

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus."""
        factor = width_factor(self.optimist, self.heard[0])
        optimistic_scores(self.optimist, contexts, factor, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        factor = width_factor(self.optimist, self.heard[0])
        optimistic_shares(self.optimist, contexts, factor, out)


@dataclass(frozen=True)
class OracleLinUCB(LinearRecipe):
    """RobustLinUCB whose budget is, in each round, what the attacker has really spent so far.

    A reference for comparisons, not a policy that anybody could run: only a game can tell it. In an
    agent nobody does, and it is LinUCB.

    Parameters
    ----------
    bonus, max_corruption
        As for :class:`~robustbandits.policies.robust_linucb.RobustLinUCB`.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`~robustbandits.policies.optimism.LinearRecipe`.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022): the bonus of Theorem 1. The reference itself is ours.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("what was spent",),
        adversary="nothing proved",
        regret="none",
        cost="Kd²",
        provenance=OURS,
        reference="Ding, Hsieh, Sharpnack (2022), Theorem 1",
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
        return OracleLinUCBState(optimist=optimist, heard=np.zeros(1))
