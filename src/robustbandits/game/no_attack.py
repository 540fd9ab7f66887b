"""No attack: the game as nature plays it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from robustbandits.game.facts import AttackFacts
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe


class NoAttackState(NamedTuple):
    """Nothing to remember, nothing to propose."""

    nothing: float


@dataclass(frozen=True, kw_only=True)
class NoAttack(Recipe):
    """Leave the game alone: the baseline that every attacked game is compared with."""

    facts: ClassVar[AttackFacts] = AttackFacts("nothing", "nothing")

    budget: ClassVar[float] = 0.0
    purse: ClassVar[str] = "truncate"

    def start(self, problem: Problem) -> NoAttackState:
        """Return a fresh state."""
        return NoAttackState(0.0)
