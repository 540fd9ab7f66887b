"""OracleTarget: lower the rewards of all arms but one to just below that arm's mean."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OMNISCIENT, knows
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene


@knows(OMNISCIENT)
class OracleTargetState(NamedTuple):
    """Parameters of OracleTarget in a game."""

    target: int  # -1: the worst arm of each round
    margin: float

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        target = self.target
        if target < 0:
            target = 0
            for a in range(1, scene.means.shape[0]):
                if scene.means[a] < scene.means[target]:
                    target = a
        if arm == target:
            return reward
        return reward - max(0.0, scene.means[arm] - scene.means[target] + self.margin)


@dataclass(frozen=True)
class OracleTarget(AttackRecipe):
    """Lower the reward of every arm but the target until the target looks best.

    It knows the mean rewards. It lowers the reward of any other arm by as much as the mean of that
    arm exceeds the target's mean minus a margin. It never raises a reward, and never changes those
    of the target. This is the oracle attack of Jun et al. (2018) with rewards kept in [0, 1]; the
    choice of the worst arm of each round as the target is ours, for contexts that change.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote; None for the worst arm of each round.
    margin
        How far below the target the other arms should look.

    References
    ----------
    Jun, Li, Ma, Zhu (2018).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "the mean rewards",
        timing="after the choice",
        knowledge=OMNISCIENT,
        goal="promote a target",
        cost="K",
    )

    _: KW_ONLY
    target: ArmIndex | None = None
    margin: NonNegative = 0.01

    def start(self, problem: Problem) -> OracleTargetState:
        require_arms(problem, self.name)
        target = -1 if self.target is None else check_arm("target", self.target, problem)
        return OracleTargetState(target, self.margin)
