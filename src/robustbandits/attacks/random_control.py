"""RandomControl: random changes, the control that every attack must beat at an equal budget."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from robustbandits.attacks._base import AttackRecipe, require_contexts
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, WEAK, knows
from robustbandits.game.parameters import NonNegative, Share
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats


@knows(OBLIVIOUS)
class RandomRewardsState(NamedTuple):
    """Parameters of RandomControl on rewards in a game."""

    probability: float
    size: float

    @kernel
    def propose_shifts(self, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
        draw = rng.random()
        shift = self.size * (2.0 * rng.random() - 1.0)
        if draw < self.probability:
            for a in range(shifts.shape[0]):
                shifts[a] = shift


@knows(WEAK)
class RandomContextsState(NamedTuple):
    """Parameters of RandomControl on contexts in a game."""

    probability: float
    size: float
    writable: int  # coordinates that may change: the first ones

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        draw = rng.random()
        arm = int(rng.random() * wanted.shape[1])
        square = 0.0
        direction = np.empty(self.writable)
        for i in range(self.writable):
            direction[i] = rng.standard_normal()
            square += direction[i] * direction[i]
        if draw < self.probability and square > 0.0:
            scale = self.size / math.sqrt(square)
            for i in range(self.writable):
                wanted[i, arm] += scale * direction[i]


@dataclass(frozen=True)
class RandomControl(AttackRecipe):
    """Change rewards or contexts at random: the control that a real attack must beat.

    In a random part of the rounds it adds a number drawn uniformly from [-size, size] to the
    reward, or moves the context of a random arm by ``size`` in a random direction. It does not
    look at anything. The idea of an equal-budget control, and both forms, are ours.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    probability
        Probability that a round is attacked.
    size
        Largest change of a reward, or length of the change of a context.
    surface
        ``"rewards"`` or ``"contexts"``.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "nothing (surface='contexts': the contexts that it moves)",
        timing="before the choice",
        knowledge=OBLIVIOUS,
        goal="none: a control",
        cost="1",
    )

    _: KW_ONLY
    probability: Share = 0.05
    size: NonNegative = 0.5
    surface: Literal["rewards", "contexts"] = "rewards"

    def start(self, problem: Problem) -> RandomRewardsState | RandomContextsState:
        if self.surface == "rewards":
            return RandomRewardsState(self.probability, self.size)
        require_contexts(problem, self.name)
        return RandomContextsState(self.probability, self.size, problem.writable)
