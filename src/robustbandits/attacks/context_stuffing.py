"""ContextStuffing: one change of a context, chosen once and made in every round."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import (
    ArmIndex,
    AttackRecipe,
    check_arm,
    require_contexts,
)
from robustbandits.attacks._regression import learn_arm
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import WEAK, knows
from robustbandits.game.parameters import Count, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, Ridge, start_ridge


@knows(WEAK)
class ContextStuffingState(NamedTuple):
    """What ContextStuffing remembers."""

    ridge: Ridge  # of the clean rewards before the launch
    target: int
    size: float
    launch: int
    change: Floats  # (writable,) what is added to the target's context; zeros before the launch

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        for i in range(self.change.shape[0]):
            wanted[i, self.target] += self.change[i]

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        if self.ridge.tally[COUNT] >= self.launch:
            return
        learn_arm(self.ridge, scene, arm, reward)
        if self.ridge.tally[COUNT] < self.launch:
            return
        square = 0.0
        for i in range(self.change.shape[0]):
            square += self.ridge.theta[i] * self.ridge.theta[i]
        if square > 0.0:
            scale = self.size / math.sqrt(square)
            for i in range(self.change.shape[0]):
                self.change[i] = scale * self.ridge.theta[i]


@dataclass(frozen=True)
class ContextStuffing(AttackRecipe):
    """Add the same vector to the target's context in every round, like keywords in a description.

    The attack watches the first rounds, estimates theta with a ridge regression, and from then on
    moves the target's context by ``size`` in the direction of that estimate, whether or not the
    target is chosen. It asks the policy nothing. The attack is ours.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote.
    size
        Length of the change.
    launch
        Number of rounds that are watched before the change is chosen.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "contexts",
        "contexts, and the arms and rewards of earlier rounds",
        timing="before the choice",
        knowledge=WEAK,
        goal="promote a target",
        cost="d, and d² before the launch",
    )

    _: KW_ONLY
    target: ArmIndex = 0
    size: Positive = 0.2
    launch: Count = 100

    def start(self, problem: Problem) -> ContextStuffingState:
        require_contexts(problem, self.name)
        return ContextStuffingState(
            ridge=start_ridge(problem.dim, 0.1),
            target=check_arm("target", self.target, problem),
            size=self.size,
            launch=self.launch,
            change=np.zeros(problem.writable),
        )
