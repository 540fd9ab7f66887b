"""Read rating files with pyarrow, block by block; if that fails, find the bad line."""

from __future__ import annotations

import bisect
import csv
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits._extras import missing_package
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import Format, open_text

if TYPE_CHECKING:
    import pyarrow

BLOCK_BYTES = 1 << 19  # text parsed at a time; pyarrow reads up to 32 blocks ahead
ROWS_IN_BLOCK = 100_000  # where a file is read line by line
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
        raise missing_package("reading ratings needs", "pyarrow", "data") from None
    return pyarrow


def read_blocks(
    path: Path, form: Format, on_position: Callable[[int], None] | None = None
) -> Iterator[Block]:
    """Yield the ratings of a file, block by block; raise a DataError if a line is bad.

    ``on_position`` is called with the number of bytes read so far.
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
    undated = "date" in form.fields and batch.column("date").null_count
    if users is None or items is None or undated or not form.scale.allows(ratings).all():
        return None
    return Block(users, items, ratings)


def _ids(column: Any, form: Format) -> Any:
    if form.text_ids:
        return column
    numbers = None if column.null_count else column.to_numpy()
    return None if numbers is None or numbers.min(initial=0) < 0 else numbers


class _MovieLines:
    """The lines of Netflix files that name a movie, such as "7:".

    They have too few fields, so pyarrow passes them to a handler of invalid rows, with row numbers.
    """

    def __init__(self) -> None:
        self._movies: list[int] = []
        self._starts: list[int] = []  # position of the first rating of each movie
        self._lines = 0  # lines with a movie so far
        self._ratings = 0  # ratings so far

    def take(self, row: Any) -> str:
        """Remember a line that names a movie; refuse any other invalid row."""
        movie = _movie(row.text)
        if movie is None:
            return "error"
        self._starts.append(row.number - 1 - self._lines)
        self._movies.append(movie)
        self._lines += 1
        return "skip"

    def next(self, count: int) -> npt.NDArray[np.int32] | None:
        """Return the movies of the next ratings; None if no movie was named before them."""
        begin, end = self._ratings, self._ratings + count
        edges = np.clip([*self._starts, end], begin, end)
        if edges[0] > begin:
            return None
        movies = np.repeat(np.array(self._movies, np.int32), np.diff(edges))
        finished = max(bisect.bisect_right(self._starts, end) - 1, 0)
        del self._movies[:finished], self._starts[:finished]
        self._ratings = end
        return movies


def _movie(line: str) -> int | None:
    number = line[:-1]
    is_movie = line.endswith(":") and number.isdecimal() and int(number) <= LARGEST_ID
    return int(number) if is_movie else None


# ---------------------------------------------------------------------------------- bad lines


class BadLines:
    """The lines of a file that cannot be read: how many, and what is wrong with the first."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def add(self, path: Path, number: int, problem: str) -> None:
        """Count a line."""
        self.count += 1
        self.first = self.first or f"{path}, line {number}: {problem}"


def read_good_lines(path: Path, form: Format, bad: BadLines) -> Iterator[Block]:
    """Yield the ratings of a file without its bad lines, which are counted.

    It reads line by line, which is slow: for files that :func:`read_blocks` cannot read.
    """
    rows: list[tuple[str, str, float]] = []
    for number, fields, _, problem in _examined(path, form):
        if problem is not None:
            bad.add(path, number, problem)
            continue
        named = dict(zip(form.fields, fields, strict=False))
        rows.append((named["user"], named.get("item", fields[-1]), float(named["rating"])))
        if len(rows) == ROWS_IN_BLOCK:
            yield _block_of_rows(rows, form)
            rows = []
    if rows:
        yield _block_of_rows(rows, form)


def _block_of_rows(rows: list[tuple[str, str, float]], form: Format) -> Block:
    pa = import_pyarrow()
    users, items, ratings = zip(*rows, strict=True)
    if form.text_ids:
        return Block(pa.array(users), pa.array(items), np.array(ratings))
    return Block(np.array(users, np.int32), np.array(items, np.int32), np.array(ratings))


def bad_line(path: Path, form: Format, reason: str = "") -> DataError:
    """Return an error that names the first bad line, found by reading the file line by line."""
    number = form.header_lines
    for number, _, ended, problem in _examined(path, form):
        if problem is not None:
            hint = "" if ended else "; the file may be cut off"
            return DataError(f"{path}, line {number}: {problem}{hint}")
    if number == form.header_lines:
        return DataError(f"{path} holds no ratings")
    return DataError(f"{path} cannot be read: {reason}")


def _examined(path: Path, form: Format) -> Iterator[tuple[int, list[str], bool, str | None]]:
    """Yield the rows of a file as `_rows` does, each with what is wrong with it, or None.

    Where a line such as "7:" names the movie, the movie is added to the fields.
    """
    movie: list[str] = []
    for number, fields, ended in _rows(path, form):
        if isinstance(fields, csv.Error):
            yield number, [], True, str(fields)
        elif form.has_movie_lines and len(fields) == 1 and _movie(fields[0]) is not None:
            movie = [fields[0][:-1]]
        else:
            problem = _problem(fields, form)
            if problem is None and form.has_movie_lines and not movie:
                problem = 'expected a line with a movie such as "7:" before the first rating'
            yield number, fields + movie, ended, problem


def _rows(path: Path, form: Format) -> Iterator[tuple[int, list[str] | csv.Error, bool]]:
    """Yield the line number and the fields of each row, and whether the line has an end."""
    with open_text(path, form.encoding) as file:
        for _ in range(form.header_lines):
            file.readline()
        if form.quotes:
            reader = csv.reader(file, delimiter=form.delimiter, strict=True)
            for row in _with_errors(reader):
                if row:
                    yield form.header_lines + reader.line_num, row, True
            return
        for number, line in enumerate(file, form.header_lines + 1):
            text = line.removesuffix("\n")
            if text:
                yield number, text.split(form.delimiter), text != line


def _with_errors(reader: Iterator[list[str]]) -> Iterator[list[str] | csv.Error]:
    """Yield the rows of a reader of CSV, and an error where it cannot read one."""
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield error


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
        if field in ("user", "item") and not _is_id(text, form):
            text_rule = f"{form.encoding} text that is not empty (see encoding=...)"
            rule = text_rule if form.text_ids else f"a whole number from 0 to {LARGEST_ID}"
            return f"the {field} id must be {rule}, got {text[:40]!r}"
        if field == "rating" and not _is_rating(text, form):
            return f"the rating must be {form.scale.description}, got {text[:40]!r}"
        if field == "date" and not _is_date(text):
            return f"the date must be written as 2005-09-06, got {text[:40]!r}"
    return None


def _is_id(text: str, form: Format) -> bool:
    if form.text_ids:
        return bool(text) and "\ufffd" not in text  # stands for bytes that are not text
    return text.strip().isdecimal() and int(text) <= LARGEST_ID


def _is_rating(text: str, form: Format) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return "_" not in text and bool(form.scale.allows(value))


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False
