"""Oracle: lower the rewards of good arms to just below those of the worst arm."""

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


class OracleState(NamedTuple):
    """Parameters of Oracle in a game."""

    top: Top
    margin: float
    noise: float
    shifts: bool  # whether the form is "shift"

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        noise = self.noise * rng.standard_normal()
        if not is_top(scene.means, arm, self.top):
            return reward
        worst = scene.means[0]
        for a in range(1, scene.means.shape[0]):
            worst = min(worst, scene.means[a])
        faked_mean = worst - self.margin
        if self.shifts:
            return reward - max(0.0, scene.means[arm] - faked_mean)
        return min(reward, faked_mean + noise)


@dataclass(frozen=True)
class Oracle(BestArmsAttack):
    """Lower the reward of a good arm to a margin below the worst arm's mean.

    It knows the mean rewards. It never raises a reward, and spends less in a round than Garcelon.

    Parameters
    ----------
    budget, purse, top
        See :class:`~robustbandits.attacks._base.BestArmsAttack`.
    margin
        How far below the worst arm's mean the faked mean is.
    form
        ``"redraw"``: the smaller of the reward and a new draw around the faked mean, as in the
        paper's source. ``"shift"``: the reward minus the difference of the means (Jun et al.
        2018).
    noise
        Standard deviation of the new draw; None for the environment's.

    References
    ----------
    Jun, Li, Ma, Zhu (2018); Ding, Hsieh, Sharpnack (2022), section 5.1.
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
    margin: NonNegative = 0.01
    form: Literal["redraw", "shift"] = "redraw"
    noise: NonNegative | None = None

    def start(self, problem: Problem) -> OracleState:
        shifts = self.form == "shift"
        noise = 0.0 if shifts else imitated_noise(self.noise, problem, self.name)
        return OracleState(choose_top(self.top, problem, self.name), self.margin, noise, shifts)
