"""ContextMirror: show the context of a good arm with the opposite sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import (
    BestArmsAttack,
    count_top,
    expected_choice,
    is_among_best,
    require_contexts,
)
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OMNISCIENT, knows
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats


@knows(OMNISCIENT)
class ContextMirrorState(NamedTuple):
    """Parameters of ContextMirror in a game."""

    top: int
    writable: int  # coordinates that may change: the first ones

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        arm = expected_choice(policy, scene.contexts, rng)
        if is_among_best(scene.means, arm, self.top):
            for i in range(self.writable):
                wanted[i, arm] = -wanted[i, arm]


@dataclass(frozen=True)
class ContextMirror(BestArmsAttack):
    """Mirror the context of the arm that the policy is about to choose, if it is a good one.

    The policy then chooses another arm, or learns a good reward for the opposite features. The
    change is always legal, because it keeps the length of a context, and costs twice that length. A
    constant last coordinate is not changed. It knows the mean rewards, and asks the policy what it
    would choose, with random numbers of its own. The attack is ours.

    Parameters
    ----------
    budget, purse, top
        See :class:`~robustbandits.attacks._base.BestArmsAttack`.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "contexts",
        "the mean rewards, and the arm about to be chosen",
        timing="before the choice",
        knowledge=OMNISCIENT,
        goal="demote the best arms",
        cost="one choice of the policy",
    )

    def start(self, problem: Problem) -> ContextMirrorState:
        require_contexts(problem, self.name)
        top = count_top(self.top, problem.arms)
        return ContextMirrorState(top, problem.writable)
