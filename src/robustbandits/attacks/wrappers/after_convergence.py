"""AfterConvergence: wait until the policy has found the best arm, then attack."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import require_arms
from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, Schedule
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OMNISCIENT, knows
from robustbandits.game.parameters import Count, Share
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

# Positions in an account.
AVERAGE, HAS_BEGUN = range(2)


@knows(OMNISCIENT)
class ConvergenceGate(NamedTuple):
    """How often the policy has lately chosen the best arm."""

    share: float
    step: float  # weight of the latest round in the moving average
    account: Floats  # (2,) moving average; 1 once the attack has begun

    @kernel
    def allowance(self, scene: Scene, arm: int) -> float:
        return math.inf if self.account[HAS_BEGUN] != 0.0 else 0.0

    @kernel
    def note(self, scene: Scene, arm: int) -> None:
        best = scene.means[arm]
        for a in range(scene.means.shape[0]):
            best = max(best, scene.means[a])
        is_best = 1.0 if scene.means[arm] == best else 0.0
        self.account[AVERAGE] += self.step * (is_best - self.account[AVERAGE])
        if self.account[AVERAGE] > self.share:
            self.account[HAS_BEGUN] = 1.0


@dataclass(frozen=True)
class AfterConvergence(Schedule):
    """Wait until the policy nearly always chooses the best arm, then run an attack.

    It watches a moving average of how often the best arm was chosen, so it knows the mean rewards.
    Late attacks do little harm to policies that average all rewards, and more to those that
    forget, or to alarms that were set on clean data. The schedule is ours.

    Parameters
    ----------
    attack
        See :class:`~robustbandits.attacks.wrappers._schedule.Schedule`.
    share
        The attack begins when the moving average exceeds this.
    window
        In the moving average, the latest round has a weight of ``1 / window``.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK, "also the mean rewards", OF_THE_ATTACK, OMNISCIENT, OF_THE_ATTACK, "K more"
    )

    _: KW_ONLY
    share: Share = 0.9
    window: Count = 100

    def start_gate(self, problem: Problem) -> ConvergenceGate:
        require_arms(problem, self.name)
        return ConvergenceGate(self.share, 1.0 / self.window, np.zeros(2))
