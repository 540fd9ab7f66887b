"""Periodic: run an attack in a part of each period only."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, Schedule
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.parameters import Count, Positive, Share
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene


@knows(OBLIVIOUS)
class PeriodicGate(NamedTuple):
    """The rounds of each period in which the attack runs: the first ones."""

    period: int
    active: int
    cap: float

    @kernel
    def allowance(self, scene: Scene, arm: int) -> float:
        return self.cap if scene.round % self.period < self.active else 0.0

    @kernel
    def note(self, scene: Scene, arm: int) -> None:
        pass


@dataclass(frozen=True)
class Periodic(Schedule):
    """Run an attack in a part of each period only, for example at night.

    A long period is a time of the day. A short one is a share of the visitors: with ``period=20``
    and ``active=0.05``, every twentieth visitor is a bot. The schedule is ours.

    Parameters
    ----------
    attack
        See :class:`~robustbandits.attacks.wrappers._schedule.Schedule`.
    period
        Number of rounds of a period.
    active
        Share of each period in which the attack runs: its first rounds, and at least one.
    cap
        Most that a round may cost; None for no limit.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK
    )

    _: KW_ONLY
    period: Count = 1000
    active: Share = 0.25
    cap: Positive | None = None

    def start_gate(self, problem: Problem) -> PeriodicGate:
        active = max(1, round(self.active * self.period))
        return PeriodicGate(self.period, active, math.inf if self.cap is None else self.cap)
