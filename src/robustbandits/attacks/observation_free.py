"""ObservationFree: a fixed plan of fake rewards, made without observing anything."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

#: A shift that moves any reward to the end of its range.
TO_THE_END = 1e3
#: Rounds of each phase for one unit of budget: the paper's 34 : 66 at a mean price of 0.6.
STARVE, FEED = 0.57, 1.1


@knows(OBLIVIOUS)
class ObservationFreeState(NamedTuple):
    """Parameters of ObservationFree in a game."""

    target: int
    first: float  # rounds of the first phase
    last: float  # rounds of both phases

    @kernel
    def propose_shifts(self, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
        if scene.round >= self.last:
            return
        for a in range(shifts.shape[0]):
            shifts[a] = -TO_THE_END
        if scene.round >= self.first:
            shifts[self.target] = TO_THE_END


@dataclass(frozen=True)
class ObservationFree(AttackRecipe):
    """Show the smallest reward at first, then the largest for one arm only, then the truth.

    It observes nothing, so it needs no access to the policy or to its rewards. In the first phase
    all arms collect bad rewards; in the second only the target recovers. The plan is that of Xu et
    al. (2021), who count attacked rounds and use 34 and 66 of them against UCB. The numbers of
    rounds that follow from the budget are ours.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote.
    starve
        Rounds of the first phase; None for 0.57 per unit of budget.
    feed
        Rounds of the second phase; None for 1.1 per unit of budget.

    References
    ----------
    Xu, Kumar, Abernethy (2021).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "nothing",
        timing="before the choice",
        knowledge=OBLIVIOUS,
        goal="promote a target",
        cost="K",
    )

    _: KW_ONLY
    target: ArmIndex = 0
    starve: NonNegative | None = None
    feed: NonNegative | None = None

    def start(self, problem: Problem) -> ObservationFreeState:
        require_arms(problem, self.name)
        first = STARVE * self.budget if self.starve is None else self.starve
        second = FEED * self.budget if self.feed is None else self.feed
        target = check_arm("target", self.target, problem)
        return ObservationFreeState(target, first, first + second)
