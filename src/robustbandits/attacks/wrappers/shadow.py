"""Shadow: run an attack with estimates in place of what an outsider cannot see."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import require_arms
from robustbandits.attacks._regression import learn_arm, radius, width
from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, AttackAround, inner_shifts
from robustbandits.compiled.jit import kernel
from robustbandits.game.committed import watch
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, knows
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import start_regression
from robustbandits.game.verbs import Scene, propose_contexts, propose_reward
from robustbandits.kernels.linalg import Floats, copy_column, dot, products
from robustbandits.kernels.ridge import Ridge


class SurrogateState(NamedTuple):
    """A LinUCB of the attack's own: what it asks instead of the policy."""

    ridge: Ridge  # of the clean rewards
    sigma: float
    delta: float

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        dim, arms = contexts.shape
        context = np.empty(dim)
        direction = np.empty(dim)
        factor = radius(self.ridge, self.sigma, self.delta)
        best, highest = 0, -math.inf
        for a in range(arms):
            copy_column(contexts, a, context)
            score = dot(context, self.ridge.theta) + factor * width(
                self.ridge.inverse, context, direction
            )
            if score > highest:
                best, highest = a, score
        return best


# The wrapped attack is not called `inner`, so that its level of knowledge does not count: see
# game/knowledge.py.


@knows(BLACK_BOX)
class ShadowRewards(NamedTuple):
    """An attack on rewards that is given estimates."""

    wrapped: Any
    surrogate: SurrogateState
    estimates: Floats  # (arms,) of the mean rewards

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        estimated = _estimated(self.surrogate, scene, self.estimates)
        return propose_reward(self.wrapped, self.surrogate, estimated, arm, reward, rng)

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        learn_arm(self.surrogate.ridge, scene, arm, reward)
        watch(self.wrapped, _with_means(scene, self.estimates), arm, reward)


@knows(BLACK_BOX)
class ShadowShifts(NamedTuple):
    """An attack that commits to its changes before the choice, and is given estimates."""

    wrapped: Any
    surrogate: SurrogateState
    estimates: Floats  # (arms,) of the mean rewards

    @kernel
    def propose_shifts(self, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
        inner_shifts(self.wrapped, _estimated(self.surrogate, scene, self.estimates), shifts, rng)

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        learn_arm(self.surrogate.ridge, scene, arm, reward)
        watch(self.wrapped, _with_means(scene, self.estimates), arm, reward)


@knows(BLACK_BOX)
class ShadowContexts(NamedTuple):
    """An attack on contexts that is given estimates."""

    wrapped: Any
    surrogate: SurrogateState
    estimates: Floats  # (arms,) of the mean rewards

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        estimated = _estimated(self.surrogate, scene, self.estimates)
        propose_contexts(self.wrapped, self.surrogate, estimated, wanted, rng)

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        learn_arm(self.surrogate.ridge, scene, arm, reward)
        watch(self.wrapped, _with_means(scene, self.estimates), arm, reward)


@kernel
def _estimated(surrogate: SurrogateState, scene: Scene, estimates: Floats) -> Scene:
    """Return the scene with estimated mean rewards."""
    products(surrogate.ridge.theta, scene.contexts, estimates)
    return _with_means(scene, estimates)


@kernel
def _with_means(scene: Scene, means: Floats) -> Scene:
    return Scene(scene.round, scene.contexts, means, scene.spent, scene.budget)


_SHADOWS = {"contexts": ShadowContexts, "shifts": ShadowShifts, "rewards": ShadowRewards}


@dataclass(frozen=True)
class Shadow(AttackAround):
    """Run an attack with estimates in place of what an outsider cannot see.

    It sees what a black-box attack sees: contexts, chosen arms and their clean rewards. It fits a
    ridge regression to them, and shows the wrapped attack its predictions instead of the mean
    rewards. If that attack asks what the policy would choose, a LinUCB on the same regression
    answers. So the difference in regret to the attack itself is what its knowledge is worth. The
    estimates are those of LinACE, after Liu and Shroff (2019); to wrap other attacks this way is
    ours.

    Parameters
    ----------
    attack
        Recipe of the attack to run. It must not plan with the mean rewards before the game, as
        ConsistentLie does.
    sigma, delta, ridge
        Noise level, error probability and penalty of the regression.

    References
    ----------
    Liu, Shroff (2019).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK,
        "contexts, the chosen arm and its reward",
        OF_THE_ATTACK,
        BLACK_BOX,
        OF_THE_ATTACK,
        "Kd + d² more",
    )

    _: KW_ONLY
    sigma: NonNegative = 0.1
    delta: Probability = 0.05
    ridge: Positive = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        attack = self.attack
        while isinstance(attack, AttackAround):
            attack = attack.attack
        if hasattr(attack, "prepare"):
            raise ValueError(
                f"attack must not plan with the mean rewards before the game, as {attack.name} "
                f"does: use another, such as OracleTarget"
            )
        if self.reads_policy:
            raise ValueError(
                f"attack must not read the policy's state, as {attack.name} does: use one that "
                f"only asks what the policy would choose"
            )

    def start(self, problem: Problem) -> Any:
        inner = self.attack.start(problem)
        require_arms(problem, self.name)
        surrogate = SurrogateState(start_regression(problem, self.ridge), self.sigma, self.delta)
        surface = self.surface_of(inner)
        if surface not in _SHADOWS:
            raise TypeError(
                f"{self.name} needs an attack on rewards or contexts; {self.attack.name} changes "
                f"{surface}: run it without {self.name}, because it knows no more than a shadow"
            )
        return _SHADOWS[surface](inner, surrogate, np.zeros(problem.arms))
