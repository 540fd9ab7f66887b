"""Burst: run an attack in one window of rounds."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, Schedule, rounds_of
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene


def _length(name: str, value: Any) -> float:
    return math.inf if value == math.inf else require.at_least(name, value, low=0.0)


Length = Annotated[float, _length]


@knows(OBLIVIOUS)
class BurstGate(NamedTuple):
    """The window of a burst."""

    first: float
    end: float
    triangle: bool

    @kernel
    def allowance(self, scene: Scene, arm: int) -> float:
        if scene.round < self.first or scene.round >= self.end:
            return 0.0
        if not self.triangle:
            return math.inf
        middle = 0.5 * (self.first + self.end)
        return 1.0 - abs(scene.round + 0.5 - middle) / (0.5 * (self.end - self.first))

    @kernel
    def note(self, scene: Scene, arm: int) -> None:
        pass


@dataclass(frozen=True)
class Burst(Schedule):
    """Run an attack in one window of rounds only.

    A late start is a sleeper, a window at the start is cold-start poisoning, and a short window is
    a coordinated burst. Bogunovic et al. (2021) start late against phased elimination; the rest is
    ours.

    Parameters
    ----------
    attack
        See :class:`~robustbandits.attacks.wrappers._schedule.Schedule`.
    start_at
        First round of the window, counted from 0; a number between 0 and 1 is a share of the
        horizon.
    length
        Number of rounds, or a share of the horizon; infinite by default.
    shape
        ``"box"``, or ``"triangle"``: the most that a round may cost rises from 0 to 1 in the middle
        of the window and falls to 0 again.

    References
    ----------
    Bogunovic, Losalka, Krause, Scarlett (2021).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK, OF_THE_ATTACK
    )

    _: KW_ONLY
    start_at: NonNegative = 0.5
    length: Length = math.inf
    shape: Literal["box", "triangle"] = "box"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shape == "triangle" and self.length == math.inf:
            raise ValueError("length must be finite if shape is 'triangle', got inf")

    def start_gate(self, problem: Problem) -> BurstGate:
        first = rounds_of("start_at", self.start_at, problem, self.name)
        length = rounds_of("length", self.length, problem, self.name)
        return BurstGate(first, first + length, self.shape == "triangle")
