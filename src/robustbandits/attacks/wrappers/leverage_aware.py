"""LeverageAware: attack only arms that are already well known, or only those that are not."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from robustbandits.attacks._base import require_arms
from robustbandits.attacks._regression import width
from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, Schedule
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, knows
from robustbandits.game.parameters import Positive
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.ridge_limit import refuse_small_ridge
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats, add_outer, copy_column, dot, multiply


@knows(BLACK_BOX)
class LeverageGate(NamedTuple):
    """The inverse of V: the penalty plus the sum of x xᵀ over the contexts of the chosen arms."""

    inverse: Floats  # (dim, dim)
    width: float
    above: bool  # whether arms above that width are attacked, not those below

    @kernel
    def allowance(self, scene: Scene, arm: int) -> float:
        context = np.empty(self.inverse.shape[0])
        direction = np.empty(self.inverse.shape[0])
        copy_column(scene.contexts, arm, context)
        is_above = width(self.inverse, context, direction) > self.width
        return math.inf if is_above == self.above else 0.0

    @kernel
    def note(self, scene: Scene, arm: int) -> None:
        context = np.empty(self.inverse.shape[0])
        direction = np.empty(self.inverse.shape[0])
        copy_column(scene.contexts, arm, context)
        multiply(self.inverse, context, direction)
        add_outer(self.inverse, direction, -1.0 / (1.0 + dot(context, direction)))


@dataclass(frozen=True)
class LeverageAware(Schedule):
    """Run an attack on rewards only if the chosen arm is already well known, or only if it is not.

    The width of an arm is √(xᵀ V⁻¹ x), where V is the penalty plus the sum of x xᵀ over the arms
    chosen so far, which the attack computes itself. Policies that give uncertain arms less weight,
    such as CautiousLinUCB, learn with nearly full weight where the width is small: the same change
    moves their estimate more there. Plain regression moves most where the width is large
    (``attack_where="above"``). The attack is ours.

    Parameters
    ----------
    attack
        An attack on rewards that are changed after the choice.
    width
        The width that separates well-known arms from others.
    attack_where
        ``"below"`` or ``"above"`` that width.
    ridge
        Penalty of the attack's own V.
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK,
        "also contexts and chosen arms",
        "after the choice",
        "at least black-box",
        OF_THE_ATTACK,
        "d² more",
    )

    _: KW_ONLY
    width: Positive = 0.1
    attack_where: Literal["below", "above"] = "below"
    ridge: Positive = 0.1

    def start_gate(self, problem: Problem) -> LeverageGate:
        require_arms(problem, self.name)
        if not hasattr(self.attack.start(problem), "propose_reward"):
            raise UnsupportedProblem(
                f"{self.name} needs an attack that changes rewards after the choice, such as "
                f"Garcelon; got {self.attack.name}"
            )
        refuse_small_ridge(problem, self.ridge)
        return LeverageGate(
            np.eye(problem.dim) / self.ridge, self.width, self.attack_where == "above"
        )
