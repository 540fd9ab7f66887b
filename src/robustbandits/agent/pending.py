"""Pending decisions: those without a reward."""

from __future__ import annotations

import os
import warnings
import weakref
from time import time_ns
from typing import Any

import numpy as np

from robustbandits.agent import ids
from robustbandits.agent.file_format import SnapshotError
from robustbandits.agent.ids import Id
from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

#: The chosen arm, and an array of its memo and context.
Entry = tuple[int, Floats]


class Pending(dict[Id, Entry]):
    """Entries by id, oldest first; if there are too many, the oldest are forgotten."""

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
        """Let the ids from now on differ from those of every other agent, and of copies."""
        self.next = max(self.next, ids.MIN_NUMBER)
        oldest = ids.number_of(next(iter(self))) if self else self.next
        self._random = ids.begin_session(self.sessions, self.next, oldest)
        _LIVE[id(self)] = self

    def add(self, entry: Entry) -> str:
        """Add an entry, and return its id."""
        number = time_ns() // 1000
        if number < self.next:
            number = self.next
        self.next = number + 1
        decision_id = hex(number)[2:] + self._random
        self[decision_id] = entry
        self.decisions += 1
        if len(self) > self.capacity:
            self._forget_oldest()
        return decision_id

    def _forget_oldest(self) -> None:
        oldest = next(iter(self))
        del self[oldest]
        self.last_forgotten = ids.number_of(oldest)
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
            unless = ", or was never issued" if isinstance(decision_id, int) else ""
            return KeyError(f"decision {decision_id} already has its reward{unless}")
        return KeyError(
            f"decision {decision_id} already has its reward, or was forgotten: only the newest "
            f"{self.capacity} decisions without a reward are remembered; set a larger pending"
        )

    # ------------------------------------------------------------------------------ in a file

    def to_rows(self, size: int) -> Floats:
        """Return rows: number of the id, arm, and ``size`` numbers of memo and context."""
        rows = np.empty((len(self), 2 + size))
        if len(rows):
            rows[:, 0] = [ids.number_of(decision_id) for decision_id in self]
            rows[:, 1] = [arm for arm, _ in self.values()]
            rows[:, 2:] = [memo_and_context for _, memo_and_context in self.values()]
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
        keys = [ids.id_of(int(number), self.sessions) for number in numbers]
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
