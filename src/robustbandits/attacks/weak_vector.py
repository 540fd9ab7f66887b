"""WeakVector: lower the rewards of the arms that look best, decided before the policy chooses."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import BestArmsAttack, count_top, is_among_best, require_arms
from robustbandits.attacks._regression import learn_arm
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import WEAK, knows
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import start_regression
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats, products
from robustbandits.kernels.ridge import Ridge


@knows(WEAK)
class WeakVectorState(NamedTuple):
    """What WeakVector remembers."""

    ridge: Ridge  # of the clean rewards
    top: int
    size: float
    estimates: Floats  # (arms,)

    @kernel
    def propose_shifts(self, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
        products(self.ridge.theta, scene.contexts, self.estimates)
        for a in range(shifts.shape[0]):
            if is_among_best(self.estimates, a, self.top):
                shifts[a] = -self.size

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        learn_arm(self.ridge, scene, arm, reward)


@dataclass(frozen=True)
class WeakVector(BestArmsAttack):
    """Lower the rewards of the arms that have looked best so far, before an arm is chosen.

    This is the weak adversary of Lykouris et al. (2018): it decides on the change of every arm
    before it knows which arm is chosen, from the rewards of earlier rounds. It estimates the mean
    rewards with a ridge regression. In that paper the budget pays for the largest change over all
    arms; here, as for every attack, for the change of the chosen arm. Which arms it lowers is ours.

    Parameters
    ----------
    budget, purse, top
        See :class:`~robustbandits.attacks._base.BestArmsAttack`.
    size
        By how much rewards are lowered.
    ridge
        Penalty of the attack's own regression.

    References
    ----------
    Lykouris, Mirrokni, Paes Leme (2018); Gupta, Koren, Talwar (2019); Zhao, Zhou, Gu (2021).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "contexts, and the arms and rewards of earlier rounds",
        timing="before the choice",
        knowledge=WEAK,
        goal="demote the best arms",
        cost="Kd + K² + d²",
    )

    _: KW_ONLY
    size: NonNegative = 1.0
    ridge: Positive = 0.1

    def start(self, problem: Problem) -> WeakVectorState:
        require_arms(problem, self.name)
        top = count_top(self.top, problem.arms)
        ridge = start_regression(problem, self.ridge)
        return WeakVectorState(ridge, top, self.size, np.zeros(problem.arms))
