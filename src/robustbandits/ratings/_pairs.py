"""Pairs of indices: which occur more than once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import program


@program
def mark_repeats(
    rows: npt.NDArray[np.int32],
    columns: npt.NDArray[np.signedinteger[Any]],
    counts: npt.NDArray[np.int64],
    last: bool,
) -> npt.NDArray[np.bool_]:
    """Mark the entries to drop so that each (row, column) stays once: its last entry, or its first.

    ``counts`` has the number of rows, then that of columns. Entries are sorted by column with
    counting; then each column's rows are stamped. Time and memory are linear in the entries.
    """
    size = len(rows)
    starts = np.zeros(counts[1] + 1, np.int64)
    for k in range(size):
        starts[columns[k] + 1] += 1
    for j in range(counts[1]):
        starts[j + 1] += starts[j]
    order = np.empty(size, np.int32)
    for k in range(size):
        j = columns[k]
        order[starts[j]] = k
        starts[j] += 1
    marked = np.zeros(size, np.bool_)
    stamp = np.full(counts[0], -1, np.int32)
    for step in range(size):
        k = order[size - 1 - step] if last else order[step]
        if stamp[rows[k]] == columns[k]:
            marked[k] = True
        stamp[rows[k]] = columns[k]
    return marked
