"""FlipTheta: show rewards as if theta had the opposite sign."""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import AttackRecipe
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, OMNISCIENT, knows
from robustbandits.game.parameters import Real
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene

FORMS = ("reflect", "mean", "origin")
ORIGIN = FORMS.index("origin")

Form = Annotated[str, functools.partial(require.one_of, choices=FORMS)]
FirstRounds = Annotated[int, functools.partial(require.count, low=0)]


@knows(BLACK_BOX)
class FlipThetaState(NamedTuple):
    """Parameters of FlipTheta in a game."""

    form: int
    center: float
    last: float  # first round that is not attacked

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        if scene.round >= self.last:
            return reward
        if self.form == ORIGIN:
            return -reward
        return 2.0 * self.center - reward


@knows(OMNISCIENT)
class FlipMeanState(NamedTuple):
    """Parameters of FlipTheta in a game, if it mirrors the mean reward."""

    center: float
    last: float  # first round that is not attacked

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        if scene.round >= self.last:
            return reward
        return 2.0 * self.center - scene.means[arm] + (reward - scene.means[arm])


@dataclass(frozen=True)
class FlipTheta(AttackRecipe):
    """Mirror every reward, as if theta were -theta.

    With mean rewards ``(x·theta + 1)/2``, -theta instead of theta turns a mean into one minus the
    mean. The paper names this attack in a comment of its source, without a formula; the reflection
    is our reading, and the only one that stays inside [0, 1]. The attack needs no knowledge of the
    environment, unless ``form="mean"``.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    center
        The value at which rewards are mirrored.
    form
        ``"reflect"`` mirrors the reward. ``"mean"`` mirrors its mean, and keeps the noise.
        ``"origin"`` mirrors the reward at zero, for environments without an offset.
    rounds
        How many rounds to attack, from the first on (He et al. 2022); None for all.

    References
    ----------
    Bogunovic, Losalka, Krause, Scarlett (2021); He, Zhou, Zhang, Gu (2022).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "the reward (form='mean': also the mean rewards)",
        timing="after the choice",
        knowledge=BLACK_BOX,
        goal="falsify the rewards of all arms",
        cost="1",
    )

    _: KW_ONLY
    center: Real = 0.5
    form: Form = "reflect"
    rounds: FirstRounds | None = None

    def start(self, problem: Problem) -> FlipThetaState | FlipMeanState:
        last = math.inf if self.rounds is None else float(self.rounds)
        if self.form == "mean":
            return FlipMeanState(self.center, last)
        return FlipThetaState(FORMS.index(self.form), self.center, last)
