"""read_csv_ratings: users' own ratings, by the names of the columns."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.game import require
from robustbandits.ratings._numbering import DUPLICATES, resolve_duplicates, table_of
from robustbandits.ratings._parse import ITEM, RATING, REST, USER
from robustbandits.ratings._stream import RatingStream
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import Format, layout
from robustbandits.ratings.table import SHORT_ITEMS, RatingTable

Array = npt.NDArray[Any]
DELIMITERS = (",", ";", "\t")
#: How numbers are usually written: 007 and +7 are names, not numbers.
WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")


class Columns(NamedTuple):
    """Where the columns are, and what separates them."""

    user: int
    item: int
    rating: int
    width: int
    delimiter: str


def read_csv_ratings(
    path: str | Path, *, user: str, item: str, rating: str, duplicates: str = "error"
) -> RatingTable:
    """Read your own ratings from a CSV file with a header.

    Fields are separated by commas, semicolons or tabs, and may stand in quotes. Ids may be any
    text; if all of a column are whole numbers, they become numbers. Ratings may be any finite
    numbers. Files of plain numbers (ids up to 2,147,483,647, ratings in half steps from 0 to
    127.5) are read at full speed, ten times faster than the rest.

    Parameters
    ----------
    path
        The file, in UTF-8.
    user, item, rating
        Names of the columns.
    duplicates
        What to do when a user has rated an item twice: ``"error"``, or keep the ``"first"`` or the
        ``"last"`` of the ratings in the order of the file.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    DataError
        A column that is not there, a line that cannot be read (with its number), duplicates.

    Examples
    --------
    >>> import robustbandits as rb
    >>> rb.environments.read_csv_ratings(
    ...     "orders.csv", user="customer", item="sku", rating="stars"
    ... )  # doctest: +SKIP
    RatingTable(orders: 61,204 ratings, 9,411 users, 530 items)
    """
    require.one_of("duplicates", duplicates, DUPLICATES)
    path = Path(path)
    columns = _find_columns(path, (user, item, rating))
    roles = [REST] * columns.width
    roles[columns.user], roles[columns.item], roles[columns.rating] = USER, ITEM, RATING
    shape = layout(roles, columns.delimiter, low=0, high=127.5, halves=True)
    stream = RatingStream(Format("CSV", shape, header=True), quotes=False)
    try:
        stream.read(path)
    except DataError:
        return _read_text(path, columns, duplicates)  # reads anything, or says what is wrong
    return table_of(stream, path, None, duplicates)


def _find_columns(path: Path, names: tuple[str, str, str]) -> Columns:
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.is_dir():
        raise DataError(f"{path} is a folder: name one file")
    header: list[str] = []
    delimiter = ","
    for delimiter in DELIMITERS:
        header = _header(path, delimiter)
        if all(name in header for name in names):
            break
    else:
        header = max((_header(path, one) for one in DELIMITERS), key=len)
        if not header:
            raise DataError(f"{path} is empty")
        missing = next(name for name in names if name not in header)
        there = ", ".join(repr(name) for name in header[:30])
        raise DataError(f"{path} has no column {missing!r}; its columns are {there}")
    if len(set(names)) < 3 or any(header.count(name) > 1 for name in names):
        raise DataError(f"{path}: user, item and rating must be three columns, got {names}")
    user, item, rating = (header.index(name) for name in names)
    return Columns(user, item, rating, len(header), delimiter)


def _header(path: Path, delimiter: str) -> list[str]:
    return next(_rows(path, delimiter), (0, list[str]()))[1]


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with their line numbers; an error names the file and the line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if row:
                    yield reader.line_num, row
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise DataError(
                f"{path} is not UTF-8 text, near line {reader.line_num + 1}: save it as UTF-8"
            ) from None


def _read_text(path: Path, columns: Columns, duplicates: str) -> RatingTable:
    users, items, values = array("q"), array("q"), array("d")
    known_users: dict[str, int] = {}
    known_items: dict[str, int] = {}
    rows = _rows(path, columns.delimiter)
    next(rows)
    for line, row in rows:
        if len(row) != columns.width:
            raise DataError(
                f"{path}, line {line}: {len(row)} fields, the header has {columns.width}"
            )
        user, item = row[columns.user], row[columns.item]
        if not user or not item:
            raise DataError(f"{path}, line {line}: the {'item' if user else 'user'} is empty")
        users.append(known_users.setdefault(user, len(known_users)))
        items.append(known_items.setdefault(item, len(known_items)))
        values.append(_value(path, line, row[columns.rating]))
    if not values:
        raise DataError(f"{path} holds no ratings, only a header")
    found = _sorted_ids(users, known_users), _sorted_ids(items, known_items)
    (user_index, user_ids), (item_index, item_ids) = found
    short = len(item_ids) <= SHORT_ITEMS
    given = (user_index.astype(np.int32), item_index.astype(np.int16 if short else np.int32))
    stars = np.asarray(values)
    if np.all((stars >= 0) & (stars < 256) & (stars == np.floor(stars))):
        stars = stars.astype(np.uint8)
    kept = resolve_duplicates((*given, stars), user_ids, item_ids, duplicates)
    return RatingTable(*kept, user_ids, item_ids, name=path.stem)


def _value(path: Path, line: int, text: str) -> float:
    try:
        value = math.nan if "_" in text else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(
            f"{path}, line {line}: the rating must be a finite number, got {text[:40]!r}"
        )
    return value


def _sorted_ids(indices: array[int], known: dict[str, int]) -> tuple[Array, Array]:
    """Turn indices in order of appearance into indices in order of ids."""
    plain = all(WHOLE.fullmatch(one) for one in known)
    ids = np.array([int(one) for one in known], np.int64) if plain else np.array(list(known))
    order = np.argsort(ids, kind="stable")
    rank = np.empty(len(ids), np.int64)
    rank[order] = np.arange(len(ids))
    return rank[np.asarray(indices)], ids[order]
