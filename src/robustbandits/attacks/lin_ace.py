"""LinACE: lower the rewards of other arms by an estimate of their lead over a target."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.attacks._regression import radius, width
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, knows
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import start_regression
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats, copy_column, dot
from robustbandits.kernels.ridge import Ridge, observe


@knows(BLACK_BOX)
class LinACEState(NamedTuple):
    """What LinACE remembers."""

    ridge: Ridge  # of the clean rewards
    target: int
    sigma: float
    delta: float
    margin: float

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        context = np.empty(scene.contexts.shape[0])
        copy_column(scene.contexts, arm, context)
        observe(self.ridge, context, reward, 1.0)
        if arm == self.target:
            return reward
        for i in range(context.shape[0]):
            context[i] -= scene.contexts[i, self.target]
        return reward - max(0.0, _lead(self, context) + self.margin)


@kernel
def _lead(state: LinACEState, difference: Floats) -> float:
    """Return an upper confidence bound on the mean reward of a difference of two contexts."""
    ridge = state.ridge
    factor = radius(ridge, state.sigma, state.delta)
    direction = np.empty(difference.shape[0])
    return dot(difference, ridge.theta) + factor * width(ridge.inverse, difference, direction)


@dataclass(frozen=True)
class LinACE(AttackRecipe):
    """Estimate how much better the chosen arm is than the target, and lower its reward by that.

    It knows only what an outsider sees: contexts, chosen arms and their rewards. It fits a ridge
    regression to the clean rewards and lowers the reward of another arm by an upper confidence
    bound on its lead over the target. This is the attack by constant estimation of Liu and Shroff
    (2019) for arms with a shared theta, in the manner of Garcelon et al. (2020). The confidence
    bound on the *difference* of two arms, which is tighter than the difference of their bounds, is
    ours.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote.
    sigma, delta, ridge
        Noise level, error probability and penalty of the attack's own regression.
    margin
        How far below the target the other arms should look.

    References
    ----------
    Liu, Shroff (2019); Garcelon et al. (2020).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "contexts, the chosen arm and its reward",
        timing="after the choice",
        knowledge=BLACK_BOX,
        goal="promote a target",
        cost="d²",
    )

    _: KW_ONLY
    target: ArmIndex = 0
    sigma: NonNegative = 0.1
    delta: Probability = 0.05
    ridge: Positive = 0.1
    margin: NonNegative = 0.0

    def start(self, problem: Problem) -> LinACEState:
        require_arms(problem, self.name)
        target = check_arm("target", self.target, problem)
        ridge = start_regression(problem, self.ridge)
        return LinACEState(ridge, target, self.sigma, self.delta, self.margin)
