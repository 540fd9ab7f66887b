"""read_ratings and read_csv_ratings: from files of ratings to a RatingTable."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from robustbandits.game import require
from robustbandits.ratings._columns import RatingColumns
from robustbandits.ratings._lines import BadLines
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import ANY_NUMBER, USER_ITEM, Format, open_text, recognize
from robustbandits.ratings.table import RatingTable
from robustbandits.ratings.titles import read_titles

Progress = Callable[[int, int], None]
#: What to do when a user has rated an item more than once.
DUPLICATES = ("error", "first", "last")
#: What to do with a line that cannot be read.
ON_ERROR = ("raise", "skip")
DELIMITERS = (",", ";", "\t", "|")


def read_ratings(
    path: str | Path,
    *,
    titles: bool = True,
    duplicates: str = "error",
    on_error: str = "raise",
    progress: Progress | None = None,
) -> RatingTable:
    """Read ratings from a file or a folder; the format is recognized by its content.

    MovieLens: ``u.data`` (tabs), ``ratings.dat`` (``::``), ``ratings.csv``. Netflix: the folder
    ``training_set`` of ``mv_*.txt``, one such file, ``combined_data_*.txt`` (one or all), or CSV
    lines ``movie,user,rating[,date]``. Any CSV whose header names user, movie and rating. Ratings
    are from 0.5 to 5 in half stars, or 1 to 5 in whole ones where the format has no halves. For
    other ratings, or other column names, see :func:`read_csv_ratings`.

    The text is read block by block: 100 million ratings take at most about 1.4 GB while reading,
    and 0.7 GB afterwards. If the size is exactly that of a known data set, the table has its name;
    otherwise it has that of the file.

    Parameters
    ----------
    path
        A file, or a folder with the files of one data set.
    titles
        Read titles too, where there is a file of titles beside the ratings.
    duplicates
        What to do when a user has rated an item more than once: ``"error"``, or keep the
        ``"first"`` or the ``"last"`` rating in the order of the file.
    on_error
        What to do with a line that cannot be read: ``"raise"`` a DataError, or ``"skip"`` it. The
        table's attribute ``skipped`` counts the lines left out, and a warning names the first.
    progress
        Called from time to time with the number of bytes read and the total number of bytes.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    DataError
        No ratings, a line that cannot be read (with file, line number and reason), duplicates.
    """
    require.one_of("duplicates", duplicates, DUPLICATES)
    require.one_of("on_error", on_error, ON_ERROR)
    path = _checked_path(path)
    found = recognize(path)
    columns, skipped = _read_files(found.files, found.format, on_error, progress)
    names = read_titles(found.titles) if titles and found.titles else None
    return columns.to_table(path, duplicates, names, skipped)


def _checked_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"path must be the path of a file or a folder, got {type(path).__name__}: for a data "
            f"frame use read_frame_ratings"
        )
    return Path(path)


def _read_files(
    files: Sequence[Path], form: Format, on_error: str, progress: Progress | None = None
) -> tuple[RatingColumns, int]:
    """Return the ratings of all files, and the number of lines left out."""
    columns = RatingColumns()
    done, total = 0, sum(file.stat().st_size for file in files)
    try:
        for file in files:
            columns.read(file, form, _over_all_files(progress, done, total))
            done += file.stat().st_size
    except DataError:
        if on_error == "raise":
            raise
    else:
        return columns, 0
    columns, bad = RatingColumns(), BadLines()
    for file in files:
        columns.read_good_lines(file, form, bad)
    warnings.warn(
        f"left out {bad.count:,} {'line' if bad.count == 1 else 'lines'} that cannot be read; the "
        f"first is {bad.first}",
        stacklevel=3,
    )
    return columns, bad.count


def _over_all_files(
    progress: Progress | None, before: int, total: int
) -> Callable[[int], None] | None:
    """Return a function that reports the bytes read of one file as progress over all files."""
    if progress is None:
        return None
    return lambda done: progress(before + done, total)


def read_csv_ratings(
    path: str | Path,
    *,
    user: str,
    item: str,
    rating: str,
    duplicates: str = "error",
    on_error: str = "raise",
    encoding: str = "utf-8",
) -> RatingTable:
    """Read your own ratings from a CSV file with a header.

    Fields are separated by commas, semicolons, tabs or ``|``, and may be quoted. Ids may be
    any text; if all ids of a column are whole numbers, they become numbers. Ratings may be any
    finite numbers.

    Parameters
    ----------
    path
        The file.
    user, item, rating
        Names of the columns.
    duplicates
        What to do when a user has rated an item more than once: ``"error"``, or keep the
        ``"first"`` or the ``"last"`` rating in the order of the file.
    on_error
        What to do with a line that cannot be read: see :func:`read_ratings`.
    encoding
        Encoding of the text, such as ``"latin-1"``.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    DataError
        A column is missing, a line cannot be read (with its number), duplicates.

    Examples
    --------
    >>> import robustbandits as rb
    >>> rb.environments.read_csv_ratings(
    ...     "orders.csv", user="customer", item="sku", rating="stars"
    ... )  # doctest: +SKIP
    RatingTable(orders: 61,204 ratings, 9,411 users, 530 items)
    """
    require.one_of("duplicates", duplicates, DUPLICATES)
    require.one_of("on_error", on_error, ON_ERROR)
    path = _checked_path(path)
    form = _csv_format(path, (user, item, rating), encoding)
    columns, skipped = _read_files([path], form, on_error)
    return columns.to_table(path, duplicates, skipped=skipped)


def _csv_format(path: Path, names: tuple[str, str, str], encoding: str) -> Format:
    """Find the delimiter and the columns with these names."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.is_dir():
        raise DataError(f"{path} is a folder: pass the path of one file")
    longest: list[str] = []
    for delimiter in DELIMITERS:
        with open_text(path, encoding) as file:
            reader = csv.reader(file, delimiter=delimiter)
            header = next((row for row in reader if row), [])
        longest = max(longest, header, key=len)
        if len(set(names)) == 3 and all(header.count(name) == 1 for name in names):
            roles = dict(zip(names, USER_ITEM, strict=True))
            fields = tuple(roles.get(name, "") for name in header)
            return Format(
                "CSV",
                fields,
                delimiter,
                header_lines=reader.line_num,
                scale=ANY_NUMBER,
                quotes=True,
                text_ids=True,
                encoding=encoding,
            )
    if not longest:
        raise DataError(f"{path} is empty")
    missing = [name for name in names if name not in longest]
    if not missing:
        raise DataError(f"{path}: user, item and rating must be three columns, got {names}")
    columns = ", ".join(repr(name) for name in longest[:30])
    raise DataError(f"{path} has no column {missing[0]!r}; its columns are {columns}")
