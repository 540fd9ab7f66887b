"""ContextNudge: the smallest change of one context that makes the policy choose that arm."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import (
    ArmIndex,
    AttackRecipe,
    check_arm,
    expected_choice,
    require_contexts,
)
from robustbandits.attacks._regression import learn_arm
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import WHITE_BOX, knows
from robustbandits.game.parameters import Count, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.purse import Rule
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import Ridge, start_ridge


@knows(WHITE_BOX)
class ContextNudgeState(NamedTuple):
    """What ContextNudge remembers."""

    ridge: Ridge  # of the clean rewards, for the direction
    target: int
    steps: int
    reach: float
    writable: int  # coordinates that may change: the first ones
    bound: float
    trial: Floats  # (dim, arms) contexts to ask the policy about

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        if expected_choice(policy, wanted, rng) == self.target:
            return
        size = 0.0
        for i in range(self.writable):
            size += self.ridge.theta[i] * self.ridge.theta[i]
        if size == 0.0:
            return
        scale = 1.0 / math.sqrt(size)
        for i in range(wanted.shape[0]):
            for a in range(wanted.shape[1]):
                self.trial[i, a] = wanted[i, a]
        _nudge(self, wanted, scale * self.reach)
        if expected_choice(policy, self.trial, rng) != self.target:
            return
        too_short, enough = 0.0, self.reach
        for _ in range(self.steps):
            middle = 0.5 * (too_short + enough)
            _nudge(self, wanted, scale * middle)
            if expected_choice(policy, self.trial, rng) == self.target:
                enough = middle
            else:
                too_short = middle
        _nudge(self, wanted, scale * enough)
        for i in range(self.writable):
            wanted[i, self.target] = self.trial[i, self.target]

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        learn_arm(self.ridge, scene, arm, reward)


@kernel
def _nudge(state: ContextNudgeState, clean: Floats, step: float) -> None:
    """Write the target's context, moved by ``step`` times theta, into ``trial``.

    It is shortened to the bound, as the purse would do.
    """
    target = state.target
    fixed = 0.0
    free = 0.0
    for i in range(clean.shape[0]):
        if i < state.writable:
            moved = clean[i, target] + step * state.ridge.theta[i]
            state.trial[i, target] = moved
            free += moved * moved
        else:
            fixed += clean[i, target] * clean[i, target]
    room = max(0.0, state.bound * state.bound - fixed)
    if free > room:
        shrink = math.sqrt(room / free)
        for i in range(state.writable):
            state.trial[i, target] *= shrink


@dataclass(frozen=True)
class ContextNudge(AttackRecipe):
    """Move the target's context just far enough that the policy chooses the target.

    It asks the policy, with random numbers of its own, what it would choose for contexts that it
    makes up, and finds the smallest change by bisection. The context moves in the direction of the
    attack's own estimate of theta, in which the target's estimated mean rises fastest. If the
    largest change is not enough, nothing is changed. Garcelon et al. (2020) solve a program for
    one context that all arms share; the direction and the bisection for one context per arm are
    ours.

    Parameters
    ----------
    budget
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    purse
        As there, but ``"skip"`` by default, because half a nudge changes no choice.
    target
        Index of the arm to promote.
    steps
        Steps of the bisection; each asks the policy once.
    reach
        Length of the largest change that is tried.

    References
    ----------
    Garcelon et al. (2020).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "contexts",
        "what the policy would choose for any contexts, and all rewards",
        timing="before the choice",
        knowledge=WHITE_BOX,
        goal="promote a target",
        cost="2 + steps choices of the policy, d²",
    )

    _: KW_ONLY
    purse: Rule = "skip"
    target: ArmIndex = 0
    steps: Count = 8
    reach: Positive = 2.0

    def start(self, problem: Problem) -> ContextNudgeState:
        require_contexts(problem, self.name)
        return ContextNudgeState(
            ridge=start_ridge(problem.dim, 0.1),
            target=check_arm("target", self.target, problem),
            steps=self.steps,
            reach=self.reach,
            writable=problem.writable,
            bound=problem.context_bound,
            trial=np.zeros((problem.dim, problem.arms)),
        )
