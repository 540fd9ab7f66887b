"""Decision: what an agent chose, and how it scored the arms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, overload

from robustbandits.agent.compiled_steps import BONUSES, MEANS, PROBABILITIES, Integers
from robustbandits.agent.ids import id_from
from robustbandits.kernels.linalg import Floats


class Scores:
    """How an agent scores a set of contexts.

    Scores are not random: a randomized policy draws its choice from them.
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

    __slots__ = ("_context", "arm", "id_suffix", "label", "number")

    def __init__(
        self,
        number: int,
        id_suffix: str,
        arm: int,
        table: Floats,
        context: Floats,
        label: Any = None,
    ):
        self.number = number  # the two parts of the id
        self.id_suffix = id_suffix
        self.arm = arm
        self.label = label
        self._table = table
        self._context = context

    @property
    def id(self) -> str:
        """32 hexadecimal digits, unique and sortable by time."""
        return id_from(self.number, self.id_suffix)

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


class Decisions(Sequence[Decision]):
    """A list of decisions; each :class:`Decision` is made when it is asked for.

    ``arms`` is an array of the chosen arms, and ``labels`` a list of their labels, or None.
    """

    __slots__ = ("_contexts", "_first", "_starts", "_tables", "arms", "id_suffix", "labels")

    def __init__(
        self,
        first: int,
        id_suffix: str,
        arms: Integers,
        contexts: Floats,
        starts: Integers,
        tables: Floats,
        labels: list[Any] | None,
    ):
        self._first = first
        self.id_suffix = id_suffix
        self.arms = arms
        self.labels = labels
        self._contexts = contexts
        self._starts = starts
        self._tables = tables

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def numbers(self) -> range:
        """Numbers of the ids."""
        return range(self._first, self._first + len(self))

    @property
    def ids(self) -> list[str]:
        """Ids of the decisions."""
        return [id_from(number, self.id_suffix) for number in self.numbers]

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> list[Decision]: ...
    def __getitem__(self, index: int | slice) -> Decision | list[Decision]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        k = range(len(self))[index]
        table = self._tables[3 * self._starts[k] : 3 * self._starts[k + 1]].reshape(3, -1)
        label = None if self.labels is None else self.labels[k]
        arm = int(self.arms[k])
        return Decision(self._first + k, self.id_suffix, arm, table, self._contexts[k], label)

    def __repr__(self) -> str:
        return f"Decisions(arms={self.arms})"
