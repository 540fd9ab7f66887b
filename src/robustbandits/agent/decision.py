"""Decision: what an agent chose, and why."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robustbandits.agent.compiled_steps import BONUSES, MEANS, PROBABILITIES
from robustbandits.kernels.linalg import Floats


class Scores:
    """What an agent thinks of a set of contexts.

    Attributes
    ----------
    means, bonuses
        Estimated mean reward of each arm, and what is added for exploring it. Deterministic: for a
        randomised policy they are what a choice is drawn from.
    scores
        Their sum.
    probabilities
        Probability of each arm given what the agent knows; None where it has no closed form.
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
        """Exploration bonus of each arm."""
        return self._table[BONUSES]

    @property
    def scores(self) -> Floats:
        """Mean plus bonus of each arm."""
        total: Floats = self._table[MEANS] + self._table[BONUSES]
        return total

    @property
    def probabilities(self) -> Floats | None:
        """Probability of each arm, or None."""
        row = self._table[PROBABILITIES]
        return None if math.isnan(row[0]) else row

    def __repr__(self) -> str:
        return f"Scores(means={self.means}, bonuses={self.bonuses})"


class Decision(Scores):
    """What an agent chose, and why.

    Attributes
    ----------
    id
        Number of the decision, by which its reward can be reported.
    arm
        Index of the chosen arm.
    score, probability
        The chosen arm's entries of ``scores`` and ``probabilities``.
    """

    __slots__ = ("arm", "id")

    def __init__(self, number: int, arm: int, table: Floats):
        self.id = number
        self.arm = arm
        self._table = table

    @property
    def score(self) -> float:
        """Mean plus bonus of the chosen arm."""
        return float(self._table[MEANS, self.arm] + self._table[BONUSES, self.arm])

    @property
    def probability(self) -> float | None:
        """Probability of the chosen arm, or None: what off-policy evaluation calls propensity."""
        chance = float(self._table[PROBABILITIES, self.arm])
        return None if math.isnan(chance) else chance

    def __repr__(self) -> str:
        return f"Decision(id={self.id}, arm={self.arm}, score={self.score:.6g})"


def id_of(decision: Any) -> int:
    """Return the number of a decision, which is given itself or by its number."""
    if isinstance(decision, Decision):
        return decision.id
    if type(decision) is int or isinstance(decision, np.integer):
        return int(decision)
    raise TypeError(f"decision must be a Decision or its id, a whole number; got {decision!r}")
