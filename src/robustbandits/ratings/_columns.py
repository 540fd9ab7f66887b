"""Columns that grow while ratings are read, and the table made from them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.ratings._lines import (
    BadLines,
    Block,
    bad_line,
    import_pyarrow,
    read_blocks,
    read_good_lines,
)
from robustbandits.ratings.datasets import dataset_of_size
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import Format
from robustbandits.ratings.table import RatingTable, chunks

Array = npt.NDArray[Any]
#: Ids up to here are numbered with a lookup table, however few ratings there are.
LOOKUP_IDS = 1 << 25
#: Pairs of users and items are searched for duplicates in this many parts, one after the other.
PARTS = 16
#: A whole number in its usual notation that fits 64 bits; other ids are text.
NUMBER = re.compile("0|-?[1-9][0-9]{0,17}")


class RatingColumns:
    """The ratings read so far, from one or more files; a rating takes 12 bytes."""

    def __init__(self) -> None:
        self._users, self._items, self._ratings = _IdColumn(), _IdColumn(), array("f")

    def read(
        self, path: Path, form: Format, on_position: Callable[[int], None] | None = None
    ) -> None:
        """Append the ratings of a file; ``on_position`` is called with the bytes read so far."""
        self._append(path, form, read_blocks(path, form, on_position))

    def read_good_lines(self, path: Path, form: Format, bad: BadLines) -> None:
        """Append the ratings of a file without its bad lines, which are counted."""
        self._append(path, form, read_good_lines(path, form, bad))

    def _append(self, path: Path, form: Format, blocks: Iterator[Block]) -> None:
        before = len(self._ratings)
        for block in blocks:
            for column, ids in ((self._users, block.users), (self._items, block.items)):
                if not column.append(ids):
                    raise bad_line(path, form)
            self._ratings.frombytes(block.ratings.astype(np.float32).tobytes())
        if len(self._ratings) == before:
            raise DataError(f"{path} holds no ratings")

    def to_table(
        self,
        path: Path,
        duplicates: str,
        titles: Mapping[int, str] | None = None,
        skipped: int = 0,
    ) -> RatingTable:
        """Return the ratings as a table. Can be called only once, because it frees the columns."""
        import_pyarrow().default_memory_pool().release_unused()
        ratings, step = _in_few_bytes(np.frombuffer(self._ratings, np.float32))
        del self._ratings
        users, user_ids = self._users.numbered()
        items, item_ids = self._items.numbered()
        users, items, ratings = without_duplicates(
            (users, items, ratings), user_ids, item_ids, duplicates
        )
        known = dataset_of_size(len(users), len(user_ids), len(item_ids))
        file_name = path.resolve().name if path.is_dir() else path.stem
        return RatingTable(
            users,
            items,
            ratings,
            user_ids,
            item_ids,
            titles=titles and {k: titles[k] for k in item_ids.tolist() if k in titles},
            name=known.name if known else file_name,
            step=step,
            skipped=skipped,
        )


class _IdColumn:
    """The ids of users or of items: whole numbers, or text as soon as one is not a number."""

    def __init__(self) -> None:
        self._values = array("i")  # the numbers; with text, positions in `_texts`
        self._texts: dict[str, int] | None = None

    def append(self, ids: Any) -> bool:
        """Append an array of numbers or of text; return False if a text is empty."""
        if self._texts is None:
            numbers = ids if isinstance(ids, np.ndarray) else _as_numbers(ids)
            if numbers is not None:
                self._values.frombytes(numbers.tobytes())
                return True
            known = _number_in_place(np.frombuffer(self._values, np.int32))
            self._texts = {str(number): k for k, number in enumerate(known.tolist())}
        texts, block = self._texts, ids.dictionary_encode()
        positions = [texts.setdefault(text, len(texts)) for text in block.dictionary.to_pylist()]
        self._values.frombytes(np.array(positions, np.int32)[block.indices.to_numpy()].tobytes())
        return "" not in texts

    def numbered(self) -> tuple[Array, Array]:
        """Return indices from 0, in ascending order of the ids, and the ids."""
        values = np.frombuffer(self._values, np.int32)
        if self._texts is None:
            return values, _number_in_place(values)
        whole = all(NUMBER.fullmatch(text) for text in self._texts)
        ids = np.array([int(text) for text in self._texts] if whole else list(self._texts))
        order = np.argsort(ids, kind="stable")
        lookup = np.empty(len(ids), np.int32)
        lookup[order] = np.arange(len(ids))
        for chunk in chunks(values):
            chunk[:] = lookup[chunk]
        return values, ids[order]


def _as_numbers(texts: Any) -> npt.NDArray[np.int32] | None:
    """Return text as numbers; None unless all of it is whole numbers in their usual notation."""
    pa = import_pyarrow()
    try:
        numbers = texts.cast(pa.int32())
    except pa.ArrowInvalid:
        return None
    if not numbers.cast(pa.string()).equals(texts):  # 007, 0x7
        return None
    values = numbers.to_numpy()
    return values if values.min(initial=0) >= 0 else None


def _number_in_place(values: Array) -> Array:
    """Replace ids by indices from 0, in ascending order of the ids; return the ids."""
    largest = int(values.max(initial=0))
    if largest > max(LOOKUP_IDS, len(values)):  # a lookup table would take too much memory
        ids = np.unique(values)
        for chunk in chunks(values):
            chunk[:] = np.searchsorted(ids, chunk)
        return ids.astype(np.int64)
    present = np.zeros(largest + 1, np.bool_)
    for chunk in chunks(values):
        present[chunk] = True
    lookup = np.cumsum(present, dtype=np.int32)
    for chunk in chunks(values):
        chunk[:] = lookup[chunk] - 1
    return np.flatnonzero(present)


def _in_few_bytes(ratings: npt.NDArray[np.float32]) -> tuple[Array, float]:
    """Return ratings in units of a step: one byte for whole or half stars, or as they are."""
    for step in (1.0, 0.5):
        codes = np.empty(len(ratings), np.uint8)
        for source, target in zip(chunks(ratings), chunks(codes), strict=True):
            scaled = source / np.float32(step)
            if not np.all((scaled >= 0) & (scaled < 256) & (scaled == np.floor(scaled))):
                break
            target[:] = scaled
        else:
            return codes, step
    return ratings, 1.0


def without_duplicates(
    columns: tuple[Array, Array, Array], user_ids: Array, item_ids: Array, duplicates: str
) -> tuple[Array, Array, Array]:
    """Return users, items and ratings with one rating of each item by each user."""
    users, items, ratings = columns
    drop = _duplicates(users, items, keep_last=duplicates == "last")
    if not len(drop):
        return columns
    if duplicates == "error":
        raise DataError(
            f"user {user_ids[users[drop.min()]]} rated item {item_ids[items[drop.min()]]} more "
            f"than once, and {len(drop):,} ratings in all repeat a pair; pass "
            f"duplicates='last' or 'first' to keep one of them"
        )
    return np.delete(users, drop), np.delete(items, drop), np.delete(ratings, drop)


def _duplicates(users: Array, items: Array, *, keep_last: bool) -> npt.NDArray[np.intp]:
    """Return the positions of ratings to drop so that no pair of user and item is repeated."""
    width = int(users.max()) // PARTS + 1
    parts = np.empty(len(users), np.uint8)
    np.floor_divide(users, width, out=parts, casting="unsafe")
    item_count = int(items.max()) + 1
    kind: Any = np.uint32 if width * item_count < 2**32 else np.uint64  # small types sort faster

    def in_part(part: int) -> npt.NDArray[np.intp]:
        where = np.flatnonzero(parts == part)
        pairs = (users[where] % width).astype(kind)
        pairs *= kind(item_count)
        pairs += items[where].astype(kind)
        ordered = np.sort(pairs)
        if not np.any(ordered[1:] == ordered[:-1]):
            return np.empty(0, np.intp)
        order = np.argsort(pairs, kind="stable")  # equal pairs stay in the order of the file
        same = pairs[order[1:]] == pairs[order[:-1]]
        return where[(order[:-1] if keep_last else order[1:])[same]]

    return np.concatenate([in_part(part) for part in range(PARTS)])
