"""NoAttack: a game without an attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe


@knows(OBLIVIOUS)
class NoAttackState(NamedTuple):
    """NoAttack remembers nothing; a state must have a field."""

    nothing: float


@dataclass(frozen=True, kw_only=True)
class NoAttack(Recipe):
    """Change nothing: the baseline that attacked games are compared with."""

    facts: ClassVar[AttackFacts] = AttackFacts(
        "nothing",
        "nothing",
        timing="never",
        knowledge=OBLIVIOUS,
        goal="none: the baseline",
        cost="0",
    )

    budget: ClassVar[float] = 0.0
    purse: ClassVar[str] = "truncate"

    def start(self, problem: Problem) -> NoAttackState:
        return NoAttackState(0.0)
