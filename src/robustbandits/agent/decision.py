"""Decision: what an agent chose, and how it scored the arms."""

from __future__ import annotations

import math
from typing import Any

from robustbandits.agent.compiled_steps import BONUSES, MEANS, PROBABILITIES
from robustbandits.kernels.linalg import Floats


class Scores:
    """How an agent scores a set of contexts.

    Scores are not random: a randomised policy draws its choice from them.
    """

    __slots__ = ("_table",)

    def __init__(self, table: Floats):
        self._table = table

    @property
    def means(self) -> Floats:
        """Estimated mean reward of each arm."""
        return self._table[MEANS]

    @property
    def bonuses(self) -> Floats:
        """What is added to the mean of each arm for exploration."""
        return self._table[BONUSES]

    @property
    def scores(self) -> Floats:
        """Mean plus bonus of each arm."""
        total: Floats = self._table[MEANS] + self._table[BONUSES]
        return total

    @property
    def probabilities(self) -> Floats | None:
        """Probability of each arm, given what the agent has learned; None if not known."""
        row = self._table[PROBABILITIES]
        return None if math.isnan(row[0]) else row

    def __repr__(self) -> str:
        return f"Scores(means={self.means}, bonuses={self.bonuses})"


class Decision(Scores):
    """What an agent chose: the index ``arm``, and the ``id`` for ``agent.learn(id, reward)``.

    ``label`` is the label of the arm, if ``agent.choose`` was given labels, and None otherwise.
    """

    __slots__ = ("_context", "arm", "id", "label")

    def __init__(
        self, decision_id: str, arm: int, table: Floats, context: Floats, label: Any = None
    ):
        self.id = decision_id  # 32 hexadecimal digits, unique, sortable by time
        self.arm = arm
        self.label = label
        self._table = table
        self._context = context

    @property
    def context(self) -> Floats:
        """Context of the chosen arm: the vector to play if the arms are a ball. A copy."""
        return self._context.copy()

    @property
    def score(self) -> float:
        """Mean plus bonus of the chosen arm."""
        return float(self._table[MEANS, self.arm] + self._table[BONUSES, self.arm])

    @property
    def probability(self) -> float | None:
        """Probability of the chosen arm (off-policy evaluation: propensity); None if not known."""
        chance = float(self._table[PROBABILITIES, self.arm])
        return None if math.isnan(chance) else chance

    def __repr__(self) -> str:
        label = "" if self.label is None else f", label={self.label!r}"
        return f"Decision(id={self.id!r}, arm={self.arm}{label}, score={self.score:.6g})"
