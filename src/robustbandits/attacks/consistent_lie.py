"""ConsistentLie: rewards of another theta, in which a worse arm is the best one."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OMNISCIENT, knows
from robustbandits.game.parameters import Count, Positive
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats


class Lie(NamedTuple):
    """By how much the mean of each arm is changed, and what that is estimated to cost."""

    shifts: Floats  # (arms,)
    price: float


@knows(OMNISCIENT)
class ConsistentLieState(NamedTuple):
    """What ConsistentLie remembers."""

    shifts: Floats  # (arms,) 0 if there is no lie

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        return reward + self.shifts[arm]


@dataclass(frozen=True)
class ConsistentLie(AttackRecipe):
    """Show the rewards of another theta, in which a worse arm is the best.

    All means change by ``x·z`` for one vector ``z``, so what the policy sees fits a linear model
    exactly. The target's own rewards are not changed, so the attack costs nothing once the policy
    prefers the target. Among all such lies it uses a cheapest one, the solution of a linear program
    (docs/attacks.md). It needs the same arms in every round, and knows their means. If no lie fits,
    it changes nothing.

    The attack is ours, like the limit that it is derived from (docs/limits.md). The program needs
    to know how often the policy will choose each arm while it is being deceived. It assumes that
    this is proportional to one over the squared gap, as for an optimistic policy, with the gaps of
    the lie itself, which a few iterations find.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote; None for the one with the least cost per unit of regret.
    margin
        By how much the target should look better than every other arm.
    iterations
        How often the program is solved, each time with the choices expected under the previous lie.

    References
    ----------
    Garcelon et al. (2020) and He, Zhou, Zhang, Gu (2022), for the bounds; Wang, Xu, Wang (2022),
    for lies that leave the target as it is.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "the mean rewards and the contexts of fixed arms",
        timing="after the choice",
        knowledge=OMNISCIENT,
        goal="promote a target",
        cost="1, after linear programs at the start",
    )

    _: KW_ONLY
    target: ArmIndex | None = None
    margin: Positive = 0.05
    iterations: Count = 5

    def start(self, problem: Problem) -> ConsistentLieState:
        require_arms(problem, self.name)
        if problem.fixed_arms is False:
            raise UnsupportedProblem(
                f"{self.name} needs the same arms in every round: use another attack, such as "
                f"OracleTarget, or an environment with fixed arms"
            )
        if self.target is not None:
            check_arm("target", self.target, problem)
        return ConsistentLieState(np.zeros(problem.arms))

    def prepare(self, state: ConsistentLieState, contexts: Floats, means: Floats) -> None:
        """Find the lie for the arms of the first round: contexts (dim, arms), means (arms,)."""
        gaps = means.max() - means
        targets = np.flatnonzero(gaps > 0.0) if self.target is None else [self.target]
        best_rate = math.inf
        for target in targets:
            lie = cheapest_lie(contexts, means, int(target), self.margin, self.iterations)
            if lie is None:
                continue
            rate = lie.price / max(gaps[target], 1e-12)
            if rate < best_rate:
                best_rate = rate
                state.shifts[:] = lie.shifts


def cheapest_lie(
    contexts: Floats, means: Floats, target: int, margin: float, iterations: int
) -> Lie | None:
    """Return the cheapest lie in which the target is the best arm; None if no lie fits.

    It minimises ``Σ n_a |x_a·z|`` over z, subject to ``x_target·z = 0`` and, for all other arms,
    ``0 <= mean_a + x_a·z <= mean_target - margin``. Here n_a is how often the policy is expected to
    choose arm a in the faked world, up to a common factor.
    """
    highest = means[target] - margin
    others = np.arange(len(means)) != target
    choices = np.where(others, 1.0, 0.0)
    shifts: Floats | None = None
    for _ in range(iterations):
        found = _solve(contexts, means, target, highest, choices)
        if found is None:
            return None
        shifts = found
        gaps = np.maximum(means[target] - (means + shifts), margin)
        expected = np.where(others, 1.0 / gaps**2, 0.0)
        choices = 0.5 * (choices / choices.sum() + expected / expected.sum())
    assert shifts is not None
    gaps = np.maximum(means[target] - (means + shifts), margin)
    return Lie(shifts, float((np.abs(shifts) / gaps**2)[others].sum()))


def _solve(
    contexts: Floats, means: Floats, target: int, highest: float, choices: Floats
) -> Floats | None:
    """Solve the program over z and upper bounds of ``|x_a·z|``; return ``x_a·z`` for each arm."""
    from scipy.optimize import linprog  # imported when needed: it takes a third of a second

    dim, arms = contexts.shape
    rows, units = contexts.T, np.eye(arms)
    others = np.arange(arms) != target
    zeros = np.zeros((arms, arms))
    upper = np.block([[rows, -units], [-rows, -units], [rows, zeros], [-rows, zeros]])
    limits = np.concatenate([np.zeros(2 * arms), highest - means, np.maximum(means, 0.0)])
    is_needed = np.concatenate([np.full(2 * arms, True), others, others])
    result = linprog(
        np.concatenate([np.zeros(dim), choices]),
        A_ub=upper[is_needed],
        b_ub=limits[is_needed],
        A_eq=np.concatenate([rows[target], np.zeros(arms)])[np.newaxis],
        b_eq=[0.0],
        bounds=[(None, None)] * dim + [(0.0, None)] * arms,
    )
    if result.status != 0:
        return None
    shifts: Floats = rows @ result.x[:dim]
    shifts[target] = 0.0
    return shifts
