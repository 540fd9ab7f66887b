"""Promote: raise the rewards of one arm, and lower those of all others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, knows
from robustbandits.game.parameters import Share
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

# Positions in an account.
LOWERED, SPENT_BEFORE, IS_LOWERING = range(3)


@knows(BLACK_BOX)
class PromoteState(NamedTuple):
    """What Promote remembers."""

    target: int
    share: float  # of the budget, for lowering the rewards of other arms
    # (3,) spent on lowering; all that was spent before the last proposal; 1 if that one lowered
    account: Floats

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        account = self.account
        if account[IS_LOWERING] != 0.0:
            account[LOWERED] += scene.spent - account[SPENT_BEFORE]
        account[SPENT_BEFORE] = scene.spent
        account[IS_LOWERING] = 0.0
        if arm == self.target:
            return max(reward, 1.0)
        if self.share == 0.0 or account[LOWERED] >= self.share * scene.budget:
            return reward
        account[IS_LOWERING] = 1.0
        left = self.share * scene.budget - account[LOWERED]
        return max(min(reward, 0.0), reward - left)


@dataclass(frozen=True)
class Promote(AttackRecipe):
    """Show the largest reward for one arm, and the smallest for all others.

    It sees only which arm was chosen. A part of the budget is kept for the rewards of the target,
    because a target whose own rewards are poor cannot be promoted by lowering the others alone
    (Zeng et al. 2026). With ``lowering=0`` the attack cannot begin if the policy never chooses the
    target. The rule, and how the budget is divided, are ours.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote.
    lowering
        Share of the budget that may be spent on lowering the rewards of other arms.

    References
    ----------
    Zeng et al. (2026).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "the chosen arm",
        timing="after the choice",
        knowledge=BLACK_BOX,
        goal="promote a target",
        cost="1",
    )

    _: KW_ONLY
    target: ArmIndex = 0
    lowering: Share = 0.5

    def start(self, problem: Problem) -> PromoteState:
        require_arms(problem, self.name)
        return PromoteState(check_arm("target", self.target, problem), self.lowering, np.zeros(3))
