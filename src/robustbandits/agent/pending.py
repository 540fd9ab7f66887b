"""Decisions that wait for their reward."""

from __future__ import annotations

import numpy as np

from robustbandits.agent.file import SnapshotError
from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

#: Ids are saved as float64, which holds every whole number up to here.
MAX_ID = 1 << 53

#: The arm that was chosen; memo and context in one array.
Entry = tuple[int, Floats]


class Pending(dict[int, Entry]):
    """Entries by id, oldest first; beyond its capacity the oldest are forgotten."""

    def __init__(self, capacity: int):
        super().__init__()
        self.capacity = require.count("pending", capacity)
        self.next = 0
        self.forgotten = -1  # largest id that was dropped unrewarded

    def add(self, entry: Entry) -> int:
        """Keep an entry; return its id."""
        number = self.next
        self.next = number + 1
        self[number] = entry
        if len(self) > self.capacity:
            self.forgotten = next(iter(self))
            del self[self.forgotten]
        return number

    def unknown(self, number: int) -> KeyError:
        """Say why there is no such entry."""
        if not 0 <= number < self.next:
            return KeyError(
                f"decision {number} was never made by this agent, which has made {self.next}"
            )
        if number > self.forgotten:
            return KeyError(f"decision {number} has its reward already; it cannot have another")
        return KeyError(
            f"decision {number} has its reward already, or is no longer remembered: only the "
            f"newest {self.capacity} without a reward are kept; give Agent a larger pending"
        )

    # ------------------------------------------------------------------------------ in a file

    def to_rows(self, size: int) -> Floats:
        """One row for each entry: id, arm, memo and context, which are of this size together."""
        rows = np.empty((len(self), 2 + size))
        if len(rows):
            rows[:, 0] = list(self)
            rows[:, 1] = [arm for arm, _ in self.values()]
            rows[:, 2:] = [note for _, note in self.values()]
        return rows

    def take_rows(self, rows: Floats, size: int, following: int, forgotten: int) -> None:
        """Take in what :meth:`to_rows` gave, and the two counters."""
        self.next = require.count("next", following, low=0)
        self.forgotten = require.count("forgotten", forgotten, low=-1)
        if rows.shape != (len(rows), 2 + size):
            raise SnapshotError(f"its pending decisions do not fit its header: {rows.shape}")
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
        notes = (row.copy() for row in rows[:, 2:])
        entries = zip(arms.astype(np.int64).tolist(), notes, strict=True)
        self.update(zip(ids.astype(np.int64).tolist(), entries, strict=True))
