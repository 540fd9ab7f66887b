"""ActionSwap: play a bad arm in place of the policy's choice."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.attacks._regression import learn_arm, radius, width
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, knows
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import start_regression
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import copy_column, dot
from robustbandits.kernels.ridge import Ridge


@knows(BLACK_BOX)
class ActionSwapState(NamedTuple):
    """What ActionSwap remembers."""

    ridge: Ridge  # of the rewards of the arms that were played
    target: int
    sigma: float
    delta: float

    @kernel
    def propose_arm(self, policy: Any, scene: Scene, arm: int, rng: np.random.Generator) -> int:
        if arm == self.target:
            return arm
        dim, arms = scene.contexts.shape
        context = np.empty(dim)
        direction = np.empty(dim)
        factor = radius(self.ridge, self.sigma, self.delta)
        worst, lowest = arm, math.inf
        for a in range(arms):
            copy_column(scene.contexts, a, context)
            bound = dot(context, self.ridge.theta) - factor * width(
                self.ridge.inverse, context, direction
            )
            if a != self.target and bound < lowest:
                worst, lowest = a, bound
        return worst

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        learn_arm(self.ridge, scene, arm, reward)


@dataclass(frozen=True)
class ActionSwap(AttackRecipe):
    """Play the arm that looks worst whenever the policy does not choose the target.

    The policy is not told: it takes the reward of the bad arm for that of its own choice, so that
    every arm but the target seems bad. Which arm is worst is judged by the lowest lower confidence
    bound, as in Liu and Lai (2020), here of a ridge regression on contexts instead of one average
    per arm. Never playing the target in place of another arm is ours. A swap costs 1, and is not
    made if less is left. The attack works only if the target is better than the worst arm.

    Regret counts the arms that are played. ``costs["swap_regret"]`` of the ledger says how much of
    it the swaps cause directly; ``pulls`` counts the policy's choices.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote.
    sigma, delta, ridge
        Noise level, error probability and penalty of the attack's own regression.

    References
    ----------
    Liu, Lai (2020).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "the arm that is played",
        "contexts, the chosen arm, and the rewards of the arms that were played",
        timing="after the choice",
        knowledge=BLACK_BOX,
        goal="promote a target",
        cost="Kd²",
    )

    _: KW_ONLY
    target: ArmIndex = 0
    sigma: NonNegative = 0.1
    delta: Probability = 0.05
    ridge: Positive = 0.1

    def start(self, problem: Problem) -> ActionSwapState:
        require_arms(problem, self.name)
        target = check_arm("target", self.target, problem)
        ridge = start_regression(problem, self.ridge)
        return ActionSwapState(ridge, target, self.sigma, self.delta)
