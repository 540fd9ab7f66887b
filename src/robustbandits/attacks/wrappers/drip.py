"""Drip: run an attack slowly, at a limited rate."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, Schedule
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

# Positions in an account.
TOKENS, SPENT_BEFORE, ROUND = range(3)


@knows(OBLIVIOUS)
class DripGate(NamedTuple):
    """A bucket of tokens, one of which pays for one unit of change."""

    rate: float
    saved: float  # most tokens that the bucket holds
    cap: float
    account: Floats  # (3,) tokens; what had been spent, and the round, when they were counted

    @kernel
    def allowance(self, scene: Scene, arm: int) -> float:
        account = self.account
        paid = scene.spent - account[SPENT_BEFORE]
        waited = scene.round - account[ROUND]
        account[TOKENS] = min(self.saved, account[TOKENS] - paid + self.rate * waited)
        account[SPENT_BEFORE] = scene.spent
        account[ROUND] = scene.round
        return max(0.0, min(self.cap, account[TOKENS]))

    @kernel
    def note(self, scene: Scene, arm: int) -> None:
        pass


@dataclass(frozen=True)
class Drip(Schedule):
    """Run an attack slowly: a round may cost only what was saved up at a small, constant rate.

    A bucket gains ``rate`` in every round and holds at most ``saved``; a round may cost what is in
    it, and at most ``cap``. So no window of n rounds costs more than ``saved + rate · n``. (An
    attack that decides before the choice may exceed this where a clean reward is outside [0, 1],
    and then pauses.) If rewards are clicks, ``saved`` and ``cap`` must be at least 1. The schedule
    is ours.

    Parameters
    ----------
    attack
        See :class:`~robustbandits.attacks.wrappers._schedule.Schedule`.
    rate
        What a round adds to the savings; None to spread the budget evenly over the horizon.
    saved
        Most that can be saved.
    cap
        Most that a round may cost.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK
    )

    _: KW_ONLY
    rate: NonNegative | None = None
    saved: Positive = 1.0
    cap: Positive = 1.0

    def start_gate(self, problem: Problem) -> DripGate:
        rate = self.rate
        if rate is None:
            rate = self.budget / problem.horizon(f"{self.name}(rate=None)")
        rate = min(rate, self.saved)  # finite, also if the budget is not
        account = np.array([rate, 0.0, 0.0])
        return DripGate(rate, self.saved, self.cap, account)
