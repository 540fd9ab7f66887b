"""Pending decisions: those without a reward."""

from __future__ import annotations

import numpy as np

from robustbandits.agent.file_format import SnapshotError
from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

#: Ids are saved as float64, which represents every whole number up to this one.
MAX_ID = 1 << 53

#: The chosen arm, and an array of its memo and context.
Entry = tuple[int, Floats]


class Pending(dict[int, Entry]):
    """Entries by id, oldest first; if there are too many, the oldest are forgotten."""

    def __init__(self, capacity: int):
        super().__init__()
        self.capacity = require.count("pending", capacity)
        self.next = 0
        self.forgotten = -1  # largest id that was forgotten without a reward

    def add(self, entry: Entry) -> int:
        """Add an entry, and return its id."""
        decision_id = self.next
        self.next = decision_id + 1
        self[decision_id] = entry
        if len(self) > self.capacity:
            self.forgotten = next(iter(self))
            del self[self.forgotten]
        return decision_id

    def error_for(self, decision_id: int) -> KeyError:
        """Return the error for an id that has no entry."""
        if not 0 <= decision_id < self.next:
            return KeyError(
                f"this agent never made decision {decision_id}: it has made {self.next} decisions"
            )
        if decision_id > self.forgotten:
            return KeyError(f"decision {decision_id} already has its reward")
        return KeyError(
            f"decision {decision_id} already has its reward, or was forgotten: only the newest "
            f"{self.capacity} decisions without a reward are remembered; set a larger pending"
        )

    # ------------------------------------------------------------------------------ in a file

    def to_rows(self, size: int) -> Floats:
        """Return a row for each entry: id, arm, and ``size`` numbers of memo and context."""
        rows = np.empty((len(self), 2 + size))
        if len(rows):
            rows[:, 0] = list(self)
            rows[:, 1] = [arm for arm, _ in self.values()]
            rows[:, 2:] = [memo_and_context for _, memo_and_context in self.values()]
        return rows

    def take_rows(self, rows: Floats, size: int, next_id: int, forgotten: int) -> None:
        """Restore entries from :meth:`to_rows`, and the two counters."""
        self.next = require.count("next", next_id, low=0)
        self.forgotten = require.count("forgotten", forgotten, low=-1)
        if rows.shape != (len(rows), 2 + size):
            raise SnapshotError(
                f"its pending decisions do not fit its header: their shape is {rows.shape}"
            )
        if not np.isfinite(rows).all():
            raise SnapshotError("its pending decisions hold numbers that are not finite")
        ids, arms = rows[:, 0], rows[:, 1]
        order = np.diff(ids, prepend=self.forgotten, append=self.next)
        if self.next > MAX_ID or np.any(ids % 1) or np.any(order <= 0):
            raise SnapshotError("the ids of its pending decisions are out of order")
        if np.any(arms % 1) or np.any((arms < 0) | (arms >= MAX_ID)):
            raise SnapshotError("its pending decisions chose arms that do not exist")
        if len(rows) > self.capacity:
            raise SnapshotError(f"it has {len(rows)} pending decisions, more than its capacity")
        memos_and_contexts = (row.copy() for row in rows[:, 2:])
        entries = zip(arms.astype(np.int64).tolist(), memos_and_contexts, strict=True)
        self.update(zip(ids.astype(np.int64).tolist(), entries, strict=True))
