"""ContextDilation: a good arm looks larger than it is, so its reward teaches too small a theta."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import AttackRecipe, check_top, count_top, is_among_best
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, Scene, choose
from robustbandits.kernels.linalg import Floats


class ContextDilationState(NamedTuple):
    """What ContextDilation needs to know."""

    top: int
    factor: float
    bound: float
    writable: int  # coordinates that may change: the first ones
    every: bool

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        """Dilate the arm that the policy would choose, or all the good ones."""
        if self.every:
            for a in range(wanted.shape[1]):
                if is_among_best(scene.means, a, self.top):
                    _dilate(self, wanted, a)
            return
        # A peek: choosing changes nothing, the dice are the attacker's own, and so is the copy.
        memo = np.zeros(MEMO)
        arm = choose(policy, scene.contexts.copy(), rng, memo)
        if is_among_best(scene.means, arm, self.top):
            _dilate(self, wanted, arm)


@kernel
def _dilate(state: ContextDilationState, wanted: Floats, arm: int) -> None:
    """Stretch the writable part of one context, as far as the bound allows."""
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
class ContextDilation(AttackRecipe):
    """Stretch the context of the arm that is about to be chosen, when it is a good one.

    A linear policy still chooses the stretched arm, but learns from it that large features earn
    little. Omniscient, with a peek at the policy: for a randomised policy the peek is a fresh draw
    with the attacker's own dice. A constant last coordinate is left alone. The paper names this
    attack without giving the factor: 2, capped by the bound on contexts, is our reading.

    Parameters
    ----------
    budget, purse
        As for every attack, see :class:`~robustbandits.attacks._base.AttackRecipe`.
    top
        Which arms are attacked: the best share of them (one at least), ``"best"`` or
        ``"all-but-worst"``.
    factor
        How much longer a context becomes, if it stays within the bound.
    which
        ``"chosen"``: the arm that the policy would choose. ``"every"``: all arms among the best.

    References
    ----------
    Garcelon et al. (2020); Ding, Hsieh, Sharpnack (2022), source of section 5.1.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "contexts", "the mean rewards, and the arm about to be chosen"
    )

    _: KW_ONLY
    top: float | str = 0.5
    factor: float = 2.0
    which: str = "chosen"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            top=check_top(self.top),
            factor=require.at_least("factor", self.factor, 1.0),
            which=require.one_of("which", self.which, ("chosen", "every")),
        )

    def start(self, problem: Problem) -> ContextDilationState:
        """Return a fresh state."""
        return ContextDilationState(
            top=count_top(self.top, problem.arms),
            factor=self.factor,
            bound=problem.context_bound,
            writable=problem.dim - int(problem.intercept),
            every=self.which == "every",
        )
