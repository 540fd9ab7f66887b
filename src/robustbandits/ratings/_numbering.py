"""From what was read to a table: users and items numbered densely, each pair once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.ratings._pairs import mark_repeats
from robustbandits.ratings._stream import RatingStream
from robustbandits.ratings.datasets import dataset_of_size
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.table import SHORT_ITEMS, RatingTable

Array = npt.NDArray[Any]
#: Ids up to here are looked up in a table of 4 bytes an id, whatever the number of ratings.
TABLE_IDS = 1 << 25
DUPLICATES = ("error", "first", "last")


def table_of(
    stream: RatingStream, path: Path, titles: Mapping[int, str] | None, duplicates: str
) -> RatingTable:
    """Return what a stream has read as a table, users and items numbered densely."""
    user_chunks, item_chunks, rating_chunks = stream.columns()
    # One column at a time, each chunk freed once it is numbered: this bounds the peak memory.
    users, user_ids = numbered(user_chunks)
    items, item_ids = numbered(item_chunks, short=True)
    halves = np.concatenate(rating_chunks)
    del rating_chunks
    whole = not any(np.any(halves[k : k + 2**20] & 1) for k in range(0, len(halves), 2**20))
    if whole:
        halves >>= 1
    columns = resolve_duplicates((users, items, halves), user_ids, item_ids, duplicates)
    known = dataset_of_size(len(columns[0]), len(user_ids), len(item_ids))
    return RatingTable(
        *columns,
        user_ids,
        item_ids,
        titles=titles and {k: titles[k] for k in item_ids.tolist() if k in titles},
        name=known.name if known else _name(path),
        step=1.0 if whole else 0.5,
    )


def _name(path: Path) -> str:
    return path.resolve().name if path.is_dir() else path.stem


def numbered(chunks: list[Array], *, short: bool = False) -> tuple[Array, Array]:
    """Return dense indices from 0, in ascending order of the ids, and the ids.

    ``chunks`` is emptied on the way. ``short``: indices in two bytes if they fit.
    """
    total = sum(len(chunk) for chunk in chunks)
    top = max(int(chunk.max(initial=0)) for chunk in chunks)
    table = None
    if top <= max(TABLE_IDS, total):
        seen = np.zeros(top + 1, np.bool_)
        for chunk in chunks:
            seen[chunk] = True
        ids = np.flatnonzero(seen)
        table = np.zeros(top + 1, np.int32)
        table[ids] = np.arange(len(ids), dtype=np.int32)
    else:  # few ratings with huge ids: sorting costs less than a table of all ids
        ids = np.unique(np.concatenate([np.unique(chunk) for chunk in chunks]))
    indices = np.empty(total, np.int16 if short and len(ids) <= SHORT_ITEMS else np.int32)
    start = 0
    chunks.reverse()
    while chunks:
        chunk = chunks.pop()
        found = np.searchsorted(ids, chunk) if table is None else table[chunk]
        indices[start : start + len(chunk)] = found
        start += len(chunk)
    return indices, ids.astype(np.int64)


def resolve_duplicates(
    columns: tuple[Array, Array, Array], user_ids: Array, item_ids: Array, duplicates: str
) -> tuple[Array, Array, Array]:
    """Return the columns with each pair of user and item once, or refuse them."""
    users, items, ratings = columns
    sizes = np.array([len(user_ids), len(item_ids)], np.int64)
    repeated = mark_repeats(users, items, sizes, duplicates == "last")
    count = int(np.count_nonzero(repeated))
    if not count:
        return columns
    if duplicates == "error":
        k = int(np.argmax(repeated))
        raise DataError(
            f"user {user_ids[users[k]]} rated item {item_ids[items[k]]} more than once, and "
            f"{count:,} ratings in all repeat a pair; pass duplicates='last' or 'first' to keep one"
        )
    keep = ~repeated
    return users[keep], items[keep], ratings[keep]
