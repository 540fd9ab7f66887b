"""Garcelon: show rewards of good arms as noise around zero."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from robustbandits.attacks._base import BestArmsAttack, Top, choose_top, imitated_noise, is_top
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OMNISCIENT
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene


class GarcelonState(NamedTuple):
    """Parameters of Garcelon in a game."""

    top: Top
    noise: float

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        fake = self.noise * rng.standard_normal()
        return fake if is_top(scene.means, arm, self.top) else reward


@dataclass(frozen=True)
class Garcelon(BestArmsAttack):
    """Replace the reward of a good arm with noise around zero.

    It knows the mean rewards, and attacks whenever the chosen arm is among the best. A reward that
    is lower than the noise is raised.

    Parameters
    ----------
    budget, purse, top
        See :class:`~robustbandits.attacks._base.BestArmsAttack`.
    replace
        ``"noise"`` around zero, as in the paper, or ``"floor"``: exactly zero.
    noise
        Standard deviation of the fake reward; None for the environment's.

    References
    ----------
    Garcelon et al. (2020); Ding, Hsieh, Sharpnack (2022), section 5.1.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "the mean rewards",
        timing="after the choice",
        knowledge=OMNISCIENT,
        goal="demote the best arms",
        cost="K",
    )

    _: KW_ONLY
    replace: Literal["noise", "floor"] = "noise"
    noise: NonNegative | None = None

    def start(self, problem: Problem) -> GarcelonState:
        top = choose_top(self.top, problem, self.name)
        if self.replace == "floor":
            return GarcelonState(top, 0.0)
        return GarcelonState(top, imitated_noise(self.noise, problem, self.name))
