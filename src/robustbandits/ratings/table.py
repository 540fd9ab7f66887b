"""RatingTable: ratings of items by users, in a few bytes each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.ratings.errors import DataError

Array = npt.NDArray[Any]
#: Entries handled at a time, where NumPy would otherwise make a large copy of a whole column.
CHUNK = 1 << 20
#: Indices of up to this many items are kept in two bytes.
SHORT_ITEMS = 2**15 - 1
#: Largest number that a 32-bit float can hold.
LARGEST_RATING = float(np.finfo(np.float32).max)


class RatingTable:
    """Ratings of items by users, as three columns in the order of the file.

    Users and items are numbered densely from 0, in the order of their ids. A rating takes 7 bytes:
    4 for the user, 2 for the item (4 if there are more than 32,767 items), 1 for the stars (half
    stars too; any other value takes 4). The columns are read-only.

    Parameters
    ----------
    users, items
        Indices from 0, one entry for each rating.
    ratings
        The ratings: whole numbers from 0 to 255, or any finite numbers, in units of ``step``.
    user_ids, item_ids
        The id of each index, ascending: whole numbers, or text.
    titles
        Titles by item id; not every item needs one.
    name
        Where the ratings are from, such as ``"movielens-100k"``.
    step
        The rating that 1 in ``ratings`` stands for: 0.5 keeps half stars in one byte.
    skipped
        How many ratings were left out, because they could not be read.

    Attributes
    ----------
    users, items, user_ids, item_ids, titles, name, skipped
        As given; ``users`` is int32, ``items`` int16 or int32.
    """

    def __init__(
        self,
        users: Array,
        items: Array,
        ratings: Array,
        user_ids: Array,
        item_ids: Array,
        *,
        titles: Mapping[Any, str] | None = None,
        name: str = "ratings",
        step: float = 1.0,
        skipped: int = 0,
    ):
        self.user_ids = _ids("user_ids", user_ids)
        self.item_ids = _ids("item_ids", item_ids)
        self.users = _indices("users", users, len(self.user_ids), np.int32)
        short = len(self.item_ids) <= SHORT_ITEMS
        self.items = _indices("items", items, len(self.item_ids), np.int16 if short else np.int32)
        self._codes = _codes(ratings)
        self._step = float(step)
        if not len(self.users) == len(self.items) == len(self._codes):
            raise DataError(
                f"users, items and ratings must have the same length, got {len(self.users)}, "
                f"{len(self.items)} and {len(self._codes)}"
            )
        if not len(self.users):
            raise DataError("there are no ratings")
        self.titles = None if titles is None else dict(titles)
        self.name = name
        self.skipped = skipped

    def __len__(self) -> int:
        return len(self.users)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of users and of items."""
        return len(self.user_ids), len(self.item_ids)

    @property
    def ratings(self) -> Array:
        """The ratings: uint8 if all are whole, else float32; half stars are computed each time."""
        if self._step == 1.0:
            return self._codes
        return _read_only(self._codes * np.float32(self._step))

    @property
    def nbytes(self) -> int:
        """Bytes that the ratings take, without ids and titles."""
        return self.users.nbytes + self.items.nbytes + self._codes.nbytes

    @cached_property
    def item_counts(self) -> npt.NDArray[np.int64]:
        """Number of ratings of each item."""
        return _counts(self.items, len(self.item_ids))

    @cached_property
    def user_counts(self) -> npt.NDArray[np.int64]:
        """Number of ratings by each user."""
        return _counts(self.users, len(self.user_ids))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the ratings, in their order, and of the ids; titles and name do not count."""
        digest = hashlib.sha256(f"ratings 1 {len(self)} {self.shape} {self._step}".encode())
        kind = "<f4" if self._codes.dtype.kind == "f" else "u1"
        for column, dtype in ((self.users, "<i4"), (self.items, "<i4"), (self._codes, kind)):
            for chunk in chunks(column):
                digest.update(chunk.astype(dtype, copy=False).tobytes())
        for ids in (self.user_ids, self.item_ids):
            if ids.dtype.kind == "U":  # newlines keep ids of different lengths apart
                digest.update("".join(f"{text}\n" for text in ids).encode())
            else:
                digest.update(ids.astype("<i8").tobytes())
        return digest.hexdigest()

    def title(self, item: int) -> str:
        """Return the title of an item, given its index; its id if it has no title."""
        item_id = self.item_ids[item].item()
        return (self.titles or {}).get(item_id, str(item_id))

    def __repr__(self) -> str:
        users, items = self.shape
        text = f"{self.name}: {len(self):,} ratings, {users:,} users, {items:,} items"
        return f"RatingTable({text}{f', {self.skipped:,} left out' if self.skipped else ''})"


def chunks(column: Array) -> Iterator[Array]:
    """Yield parts of a column, one after the other."""
    for start in range(0, len(column), CHUNK):
        yield column[start : start + CHUNK]


def _ids(name: str, given: Array) -> Array:
    ids = np.asarray(given)
    if ids.ndim != 1 or ids.dtype.kind not in "iuU":
        raise DataError(f"{name} must be a list of whole numbers or of text, got {given!r}")
    if ids.dtype.kind != "U":
        ids = ids.astype(np.int64, copy=False)
    if not np.all(ids[1:] > ids[:-1]):
        raise DataError(f"{name} must be ascending, each id once, got {ids!r}")
    return _read_only(ids)


def _indices(name: str, given: Array, count: int, kind: type[np.signedinteger[Any]]) -> Array:
    indices = np.asarray(given)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise DataError(f"{name} must be a list of whole numbers, got {given!r}")
    if len(indices) and (indices.min() < 0 or indices.max() >= count):
        raise DataError(
            f"{name} must be between 0 and {count - 1}, got {indices.min()} to {indices.max()}"
        )
    return _read_only(np.ascontiguousarray(indices, kind))


def _codes(given: Array) -> Array:
    ratings = np.asarray(given)
    if ratings.ndim != 1 or ratings.dtype.kind not in "iuf":
        raise DataError(f"ratings must be a list of numbers, got {given!r}")
    whole = ratings.dtype.kind != "f" and (
        ratings.dtype == np.uint8 or not len(ratings) or 0 <= ratings.min() <= ratings.max() < 256
    )
    if not whole and not all(np.all(np.abs(part) <= LARGEST_RATING) for part in chunks(ratings)):
        raise DataError(f"ratings must be finite numbers, at most {LARGEST_RATING:g}")
    return _read_only(np.ascontiguousarray(ratings, np.uint8 if whole else np.float32))


def _read_only(array: Array) -> Array:
    """Return a view that cannot be written to; the array itself stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def _counts(indices: Array, size: int) -> npt.NDArray[np.int64]:
    counts = np.zeros(size, np.int64)
    for chunk in chunks(indices):
        counts += np.bincount(chunk, minlength=size)
    return _read_only(counts)
