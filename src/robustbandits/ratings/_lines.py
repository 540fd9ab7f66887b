"""Rating files read with pyarrow, block by block, and the bad line named when that fails."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import Format, open_text

if TYPE_CHECKING:
    import pyarrow

BLOCK_BYTES = 1 << 20  # text parsed at a time
LARGEST_ID = 2**31 - 1


class Block(NamedTuple):
    """Some consecutive ratings of a file. Ids are numbers, or text where the format allows it."""

    users: npt.NDArray[np.int32] | pyarrow.StringArray
    items: npt.NDArray[np.int32] | pyarrow.StringArray
    ratings: npt.NDArray[np.float64]


def import_pyarrow() -> Any:
    """Return ``pyarrow`` with its CSV reader."""
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        raise ImportError(
            "reading ratings needs pyarrow: pip install 'robustbandits[data]'"
        ) from None
    return pyarrow


def read_blocks(
    path: Path, form: Format, on_position: Callable[[int], None] | None = None
) -> Iterator[Block]:
    """Yield the ratings of a file, block by block.

    ``on_position`` is called with the number of bytes read so far.

    Raises
    ------
    DataError
        A line cannot be read, or holds something that its format does not allow.
    """
    pa = import_pyarrow()
    movies = _MovieLines()
    try:
        with path.open("rb") as file:
            for batch in _open(pa, file, form, movies):
                block = _block(batch, form, movies)
                if block is None:
                    raise bad_line(path, form)
                yield block
                if on_position is not None:
                    on_position(file.tell())
    except pa.ArrowInvalid as error:
        raise bad_line(path, form, str(error)) from None


def _open(pa: Any, file: Any, form: Format, movies: _MovieLines) -> Any:
    """Return pyarrow's reader of batches, with a column for each field that is read."""
    ids = pa.string() if form.text_ids else pa.int32()
    types = {"user": ids, "item": ids, "rating": pa.float64(), "date": pa.date32()}
    types = {field: kind for field, kind in types.items() if field in form.fields}
    names = [field or f"unused {k}" for k, field in enumerate(form.fields)]
    if form.delimiter == "::":  # for pyarrow, two delimiters with an empty field between them
        names = [name for k, field in enumerate(names) for name in (f"gap {k}", field)][1:]
        types |= {name: pa.null() for name in names if name.startswith("gap")}
    return pa.csv.open_csv(
        file,
        read_options=pa.csv.ReadOptions(
            use_threads=False,  # with threads, invalid rows have no numbers
            block_size=BLOCK_BYTES,
            skip_rows=form.header_lines,
            column_names=names,
            encoding=form.encoding,
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=form.delimiter[0],
            quote_char='"' if form.quotes else False,
            newlines_in_values=form.quotes,
            invalid_row_handler=movies.take if form.has_movie_lines else None,
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""],
            strings_can_be_null=False,
        ),
    )


def _block(batch: Any, form: Format, movies: _MovieLines) -> Block | None:
    """Return the ratings of a batch; None if something in it is not allowed."""
    users = _ids(batch.column("user"), form)
    items = movies.next(len(batch)) if form.has_movie_lines else _ids(batch.column("item"), form)
    ratings = batch.column("rating").to_numpy(zero_copy_only=False)  # NaN where there is none
    allowed = (ratings >= form.low) & (ratings <= form.high)
    if form.step:
        allowed &= ratings % form.step == 0
    undated = "date" in form.fields and batch.column("date").null_count
    if users is None or items is None or undated or not allowed.all():
        return None
    return Block(users, items, ratings)


def _ids(column: Any, form: Format) -> Any:
    if form.text_ids:
        return column
    numbers = None if column.null_count else column.to_numpy()
    return None if numbers is None or numbers.min(initial=0) < 0 else numbers


class _MovieLines:
    """The lines of Netflix files that name a movie, such as "7:".

    They have too few fields, so pyarrow hands them over as invalid rows, with their row numbers.
    """

    def __init__(self) -> None:
        self.movies: list[int] = []
        self.starts: list[int] = []  # position of the first rating of each movie
        self.count = 0  # ratings so far

    def take(self, row: Any) -> str:
        """Remember a line that names a movie; refuse any other invalid row."""
        movie = _movie(row.text)
        if movie is None:
            return "error"
        self.starts.append(row.number - 1 - len(self.movies))
        self.movies.append(movie)
        return "skip"

    def next(self, count: int) -> npt.NDArray[np.int32] | None:
        """Return the movies of the next ratings; None if no movie was named before them."""
        positions = np.arange(self.count, self.count + count)
        self.count += count
        found = np.searchsorted(self.starts, positions, side="right") - 1
        return None if found.min(initial=0) < 0 else np.array(self.movies, np.int32)[found]


def _movie(line: str) -> int | None:
    number = line[:-1]
    is_movie = line.endswith(":") and number.isdecimal() and int(number) <= LARGEST_ID
    return int(number) if is_movie else None


# ---------------------------------------------------------------------------------- bad lines


def bad_line(path: Path, form: Format, reason: str = "") -> DataError:
    """Return an error that names the first bad line, found by reading the file line by line."""
    number, movie = form.header_lines, None
    try:
        for number, fields, ended in _rows(path, form):
            if form.has_movie_lines and len(fields) == 1 and _movie(fields[0]) is not None:
                movie = _movie(fields[0])
                continue
            problem = _problem(fields, form)
            if problem is None and form.has_movie_lines and movie is None:
                problem = 'expected a line with a movie such as "7:" before the first rating'
            if problem is not None:
                hint = "" if ended else "; the file may be cut off"
                return DataError(f"{path}, line {number}: {problem}{hint}")
    except csv.Error as error:
        return DataError(f"{path}, line {number + 1}: {error}")
    if number == form.header_lines:
        return DataError(f"{path} holds no ratings")
    return DataError(f"{path} cannot be read: {reason}")


def _rows(path: Path, form: Format) -> Iterator[tuple[int, list[str], bool]]:
    """Yield the line number and the fields of each row, and whether the line has an end."""
    with open_text(path, form.encoding) as file:
        for _ in range(form.header_lines):
            file.readline()
        if form.quotes:
            reader = csv.reader(file, delimiter=form.delimiter, strict=True)
            yield from ((form.header_lines + reader.line_num, row, True) for row in reader if row)
            return
        for number, line in enumerate(file, form.header_lines + 1):
            text = line.removesuffix("\n")
            if text:
                yield number, text.split(form.delimiter), text != line


def _problem(fields: list[str], form: Format) -> str | None:
    """Return what is wrong with a row; None if nothing is."""
    if len(fields) != len(form.fields):
        line = form.delimiter.join(fields)
        shown = line if len(line) <= 60 else line[:57] + "..."
        return (
            f"expected {len(form.fields)} fields separated by {form.delimiter!r}, "
            f"got {len(fields)}: {shown!r}"
        )
    for field, text in zip(form.fields, fields, strict=True):
        rule = None
        if field in ("user", "item"):
            rule = _broken_id_rule(text, form)
        elif field == "rating":
            rule = _broken_rating_rule(text, form)
        elif field == "date" and not _is_date(text):
            rule = "must be a date such as 2005-09-06"
        if rule is not None:
            name = f"{field} id" if field in ("user", "item") else field
            return f"the {name} {rule}, got {text[:40]!r}"
    return None


def _broken_id_rule(text: str, form: Format) -> str | None:
    if not form.text_ids:
        whole = text.isdecimal() and int(text) <= LARGEST_ID
        return None if whole else f"must be a whole number from 0 to {LARGEST_ID}"
    if "\ufffd" in text:
        return f"must be {form.encoding} text (save the file as UTF-8, or pass encoding=...)"
    return None if text else "must not be empty"


def _broken_rating_rule(text: str, form: Format) -> str | None:
    try:
        value = math.nan if "_" in text else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        return "must be a finite number"
    if form.step and value % form.step:
        return "must be a whole number" if form.step == 1 else f"must be a multiple of {form.step}"
    if not form.low <= value <= form.high:
        return f"must be between {form.low:g} and {form.high:g}"
    return None


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False
