"""ContextDilation: lengthen the contexts of good arms, so that theta is underestimated."""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from robustbandits.attacks._base import (
    BestArmsAttack,
    count_top,
    expected_choice,
    is_among_best,
    require_contexts,
)
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OMNISCIENT
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

Factor = Annotated[float, functools.partial(require.at_least, low=1.0)]


class ContextDilationState(NamedTuple):
    """Parameters of ContextDilation in a game."""

    top: int
    factor: float
    bound: float
    writable: int  # coordinates that may change: the first ones
    every: bool  # whether all of the best arms are attacked, not only the chosen one

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        if self.every:
            for a in range(wanted.shape[1]):
                if is_among_best(scene.means, a, self.top):
                    _dilate(self, wanted, a)
            return
        arm = expected_choice(policy, scene.contexts, rng)
        if is_among_best(scene.means, arm, self.top):
            _dilate(self, wanted, arm)


@kernel
def _dilate(state: ContextDilationState, wanted: Floats, arm: int) -> None:
    """Lengthen the writable part of one context, as far as the bound allows."""
    free = 0.0
    fixed = 0.0
    for i in range(wanted.shape[0]):
        square = wanted[i, arm] * wanted[i, arm]
        if i < state.writable:
            free += square
        else:
            fixed += square
    if free == 0.0:
        return
    room = max(0.0, state.bound * state.bound - fixed)
    stretch = min(state.factor, math.sqrt(room / free))
    if stretch > 1.0:
        for i in range(state.writable):
            wanted[i, arm] *= stretch


@dataclass(frozen=True)
class ContextDilation(BestArmsAttack):
    """Lengthen the context of the arm that the policy is about to choose, if it is a good one.

    A linear policy still chooses that arm, but then estimates that large features earn little. The
    attack knows the mean rewards, and calls the policy's ``choose`` with random numbers of its own
    to see what it would choose. A constant last coordinate is not changed. The paper does not say
    how much longer contexts become; a factor of 2, limited by their bound, is our reading.

    Parameters
    ----------
    budget, purse, top
        See :class:`~robustbandits.attacks._base.BestArmsAttack`.
    factor
        How many times longer a context becomes, within the bound.
    which
        ``"chosen"``: the arm that the policy would choose. ``"every"``: all arms among the best.

    References
    ----------
    Garcelon et al. (2020); Ding, Hsieh, Sharpnack (2022), source of section 5.1.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "contexts",
        "the mean rewards, and the arm about to be chosen",
        timing="before the choice",
        knowledge=OMNISCIENT,
        goal="demote the best arms",
        cost="one choice of the policy",
    )

    _: KW_ONLY
    factor: Factor = 2.0
    which: Literal["chosen", "every"] = "chosen"

    def start(self, problem: Problem) -> ContextDilationState:
        require_contexts(problem, self.name)
        return ContextDilationState(
            top=count_top(self.top, problem.arms),
            factor=self.factor,
            bound=problem.context_bound,
            writable=problem.writable,
            every=self.which == "every",
        )
