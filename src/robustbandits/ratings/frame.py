"""read_frame_ratings: from a data frame of pandas or Polars to a RatingTable."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from robustbandits.game import require
from robustbandits.ratings._columns import Array, without_duplicates
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.read import DUPLICATES, ON_ERROR
from robustbandits.ratings.table import RatingTable


def read_frame_ratings(
    frame: Any,
    *,
    user: str,
    item: str,
    rating: str,
    duplicates: str = "error",
    on_error: str = "raise",
    name: str = "ratings",
) -> RatingTable:
    """Make a table of ratings from a data frame of pandas or Polars.

    Anything whose columns are ``frame[name]`` is accepted, also a dictionary of lists.

    Parameters
    ----------
    frame
        The ratings, one row each.
    user, item, rating
        Names of the columns. Ids may be whole numbers or text; ratings are finite numbers.
    duplicates, on_error
        As for :func:`~robustbandits.environments.read_csv_ratings`. A row that cannot be read is
        one with a missing value.
    name
        Where the ratings are from.

    Examples
    --------
    >>> import robustbandits as rb
    >>> frame = {"who": ["ann", "bob"], "what": [7, 7], "stars": [4.5, 3.0]}
    >>> rb.environments.read_frame_ratings(frame, user="who", item="what", rating="stars")
    RatingTable(ratings: 2 ratings, 2 users, 1 items)
    """
    require.one_of("duplicates", duplicates, DUPLICATES)
    require.one_of("on_error", on_error, ON_ERROR)
    values, who, what = (_column(frame, name) for name in (rating, user, item))
    try:
        ratings = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the column {rating!r} must hold numbers: {error}") from None
    bad = ~np.isfinite(ratings) | _missing(who) | _missing(what)
    skipped = int(bad.sum())
    if skipped:
        message = f"{skipped:,} rows have no user, no item, or no finite rating"
        if on_error == "raise":
            raise DataError(f"{message}; pass on_error='skip' to leave them out")
        warnings.warn(f"left out: {message}", stacklevel=2)
    user_ids, users = np.unique(_ids(who[~bad]), return_inverse=True)
    item_ids, items = np.unique(_ids(what[~bad]), return_inverse=True)
    if not len(users):
        raise DataError("there are no ratings")
    users, items, ratings = without_duplicates(
        (users.astype(np.int32), items.astype(np.int32), ratings[~bad]),
        user_ids,
        item_ids,
        duplicates,
    )
    return RatingTable(users, items, ratings, user_ids, item_ids, name=name, skipped=skipped)


def _column(frame: Any, name: str) -> Array:
    known = list(getattr(frame, "columns", frame))
    if name not in known:
        raise DataError(f"the frame has no column {name!r}; its columns are {known}")
    return np.asarray(frame[name])


def _missing(column: Array) -> Array:
    """Return where a column has no value: None, NaN, or empty text."""
    if column.dtype.kind == "f":
        return ~np.isfinite(column)
    if column.dtype.kind in "iu":
        return np.zeros(len(column), np.bool_)
    return np.array([value is None or value != value or value == "" for value in column], np.bool_)


def _ids(column: Array) -> Array:
    """Return ids as whole numbers if all of them are, otherwise as text."""
    if column.dtype.kind in "iu":
        return column.astype(np.int64)
    if column.dtype.kind == "f" and np.all(column == np.floor(column)):  # had missing values
        return column.astype(np.int64)
    return np.array([str(value) for value in column])
