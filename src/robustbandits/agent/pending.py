"""Pending decisions: those without a reward."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Iterable
from time import time_ns
from typing import Any, NamedTuple

import numpy as np

from robustbandits.agent import ids
from robustbandits.agent.decision import Decision, Decisions
from robustbandits.agent.file_format import SnapshotError
from robustbandits.agent.ids import Id
from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

#: The chosen arm, and an array of its memo and context.
Entry = tuple[int, Floats]
#: How many decisions of a batch share memory, which is freed when all of them have their reward.
CHUNK = 32


class Chunk(NamedTuple):
    """Entries of consecutive numbers."""

    first: int  # smallest number
    arms: list[int]
    memos_and_contexts: Floats  # one row for each entry


class Pending(dict[int, Entry | Chunk]):
    """Entries by the number of their id, oldest first.

    If there are more than ``capacity``, the oldest are forgotten. A chunk stands for the entry of
    each of its numbers: see :meth:`entry`.
    """

    def __init__(self, capacity: int):
        super().__init__()
        self.capacity = require.count("pending", capacity)
        self.decisions = 0  # made so far
        self.forgotten = 0  # of these, forgotten without a reward
        self.last_forgotten = -1  # largest number of the id of a forgotten decision
        self.next = 0  # smallest number that the next id may have
        self.sessions: list[ids.Session] = []
        self.begin_session()

    def begin_session(self) -> None:
        """Begin a session, so that new ids differ from those of every other agent and copy."""
        self.next = max(self.next, ids.MIN_NUMBER)
        oldest = next(iter(self), self.next)
        self.id_suffix = ids.begin_session(self.sessions, self.next, oldest)
        _LIVE[id(self)] = self

    def add(self, entry: Entry) -> int:
        """Add an entry, and return its number."""
        number = time_ns() // 1000
        if number < self.next:
            number = self.next
        self.next = number + 1
        self[number] = entry
        self.decisions += 1
        if len(self) > self.capacity:
            self._forget_oldest()
        return number

    def add_many(self, arms: list[int], memos_and_contexts: Floats) -> int:
        """Add entries with consecutive numbers, and return the first number."""
        first = max(time_ns() // 1000, self.next)
        self.next = first + len(arms)
        for start in range(0, len(arms), CHUNK):
            stop = min(len(arms), start + CHUNK)
            chunk = Chunk(first + start, arms[start:stop], memos_and_contexts[start:stop].copy())
            self |= dict.fromkeys(range(first + start, first + stop), chunk)
        self.decisions += len(arms)
        while len(self) > self.capacity:
            self._forget_oldest()
        return first

    def entry(self, number: int) -> Entry:
        """Return the entry of a number."""
        value = self[number]
        if type(value) is Chunk:
            index = number - value.first
            return value.arms[index], value.memos_and_contexts[index]
        return value  # type: ignore[return-value]

    def find(self, decision: Decision | Id) -> int:
        """Return the number of a pending decision; raise KeyError for any other."""
        if isinstance(decision, Decision):
            if decision.id_suffix == self.id_suffix and decision.number in self:
                return decision.number
            decision = decision.id
        decision_id = ids.check_id(decision)
        try:
            number = ids.number_of(decision_id)
            if number in self and ids.id_of(number, self.sessions) == decision_id:
                return number
        except ValueError:  # not an id
            pass
        raise self.error_for(decision_id)

    def find_many(self, decisions: Any) -> list[int]:
        """Return the numbers of pending decisions, which must differ."""
        if isinstance(decisions, Decisions):
            if decisions.id_suffix == self.id_suffix and all(
                map(self.__contains__, decisions.numbers)
            ):
                return list(decisions.numbers)
            decisions = decisions.ids
        if isinstance(decisions, str) or not isinstance(decisions, Iterable):
            raise TypeError(f"decisions must be a list of decisions or ids, got {decisions!r}")
        numbers = [self.find(decision) for decision in decisions]
        if len(set(numbers)) < len(numbers):
            twice = next(number for number in numbers if numbers.count(number) > 1)
            twice_id = ids.id_of(twice, self.sessions)
            raise ValueError(f"decision {twice_id} is given twice, but a decision has one reward")
        return numbers

    def _forget_oldest(self) -> None:
        oldest = next(iter(self))
        del self[oldest]
        self.last_forgotten = oldest
        self.forgotten += 1
        if self.forgotten == 1:
            warnings.warn(
                f"this agent has forgotten a decision, because more than pending={self.capacity} "
                f"were waiting for a reward; the rewards of forgotten decisions are refused, and "
                f"agent.forgotten counts them: learn a reward for every decision, or set a larger "
                f"pending",
                stacklevel=4,
            )

    def error_for(self, decision_id: Id) -> KeyError:
        """Return the error for an id that has no entry."""
        foreign = ids.why_foreign(decision_id, self.sessions, self.next)
        if foreign is not None:
            return KeyError(f"this agent does not know decision {decision_id}: probably {foreign}")
        if ids.number_of(decision_id) > self.last_forgotten:
            alternative = ", or was never issued" if isinstance(decision_id, int) else ""
            return KeyError(f"decision {decision_id} already has its reward{alternative}")
        return KeyError(
            f"decision {decision_id} already has its reward, or was forgotten: only the newest "
            f"{self.capacity} decisions without a reward are remembered; set a larger pending"
        )

    # ------------------------------------------------------------------------------ in a file

    def to_rows(self, size: int) -> Floats:
        """Return rows: number of the id, arm, and ``size`` numbers of memo and context."""
        rows = np.empty((len(self), 2 + size))
        if len(rows):
            entries = [self.entry(number) for number in self]
            rows[:, 0] = list(self)
            rows[:, 1] = [arm for arm, _ in entries]
            rows[:, 2:] = [memo_and_context for _, memo_and_context in entries]
        return rows

    def take_rows(self, rows: Floats, sessions: Floats, size: int, header: dict[str, Any]) -> None:
        """Restore entries, sessions and counters, and begin a new session."""
        self.next = require.count("next", header["next"], low=0)
        self.last_forgotten = require.count("last_forgotten", header["last_forgotten"], low=-1)
        self.decisions = require.count("decisions", header["decisions"], low=len(rows))
        self.forgotten = require.count("forgotten", header["forgotten"], low=0)
        self.sessions = ids.sessions_from_rows(sessions, self.next)
        if rows.shape != (len(rows), 2 + size):
            raise SnapshotError(
                f"its pending decisions do not fit its header: their shape is {rows.shape}"
            )
        if not np.isfinite(rows).all():
            raise SnapshotError("its pending decisions hold numbers that are not finite")
        numbers, arms = rows[:, 0], rows[:, 1]
        order = np.diff(numbers, prepend=self.last_forgotten, append=self.next)
        if np.any(numbers % 1) or np.any(order <= 0):
            raise SnapshotError("the ids of its pending decisions are out of order")
        if np.any(arms % 1) or np.any((arms < 0) | (arms >= ids.MAX_NUMBER)):
            raise SnapshotError("its pending decisions chose arms that do not exist")
        if len(rows) > self.capacity:
            raise SnapshotError(f"it has {len(rows)} pending decisions, more than its capacity")
        keys = [int(number) for number in numbers]
        for key in keys:
            ids.id_of(key, self.sessions)  # raises an error if it belongs to no session
        memos_and_contexts = (row.copy() for row in rows[:, 2:])
        entries = zip(arms.astype(np.int64).tolist(), memos_and_contexts, strict=True)
        self.update(zip(keys, entries, strict=True))
        self.begin_session()


#: All objects of this process by their address: after a fork, the child begins new sessions.
_LIVE: weakref.WeakValueDictionary[int, Pending] = weakref.WeakValueDictionary()


def _begin_sessions() -> None:
    for pending in list(_LIVE.values()):
        pending.begin_session()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_sessions)
