"""Files of ratings, read piece by piece: the text never lies in memory as a whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.ratings import _parse as rb
from robustbandits.ratings._parse import BLOCK, BYTE, FIELD, LINE, ROW, Layout, Rows
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import Format

TEXT_BYTES = 4 << 20  # text held at a time
CHUNK_ROWS = 1 << 20  # ratings in a full chunk: 9 bytes each until they are numbered densely
MARK = b"\xef\xbb\xbf"  # what some programs put before UTF-8 text
ROLES = {rb.USER: "user id", rb.ITEM: "item id", rb.RATING: "rating", rb.DATE: "date"}


class Quoted(DataError):
    """There are quotes, which the byte-level parser does not read."""


class RatingStream:
    """Ratings from any number of files with one format.

    Parameters
    ----------
    form
        How the files are written.
    on_bytes
        Told how many bytes each step has read.
    quotes
        False: stop at the first quote, because a field in quotes may hold a delimiter.
    """

    def __init__(
        self, form: Format, on_bytes: Callable[[int], None] | None = None, *, quotes: bool = True
    ):
        self._form = form
        self._on_bytes = on_bytes
        self._quotes = quotes
        self._buffer = bytearray(TEXT_BYTES)
        self._text = np.frombuffer(self._buffer, np.uint8)
        self._place = np.zeros(5, np.int64)
        self._full: list[Rows] = []
        self._rows = _empty_rows()

    def read(self, path: Path) -> None:
        """Read one file to its end; ``DataError`` names file, line and reason."""
        self._place[LINE] = 1
        self._place[BLOCK] = -1  # a movie does not go on in the next file
        before = self._count()
        held, first = 0, True
        with path.open("rb", buffering=0) as file:
            room = len(self._buffer) - 1  # a byte is kept for a last newline that is missing
            while size := file.readinto(memoryview(self._buffer)[held:room]):
                end = held + size
                cut = self._buffer.rfind(b"\n", held, end) + 1
                if not cut and end == room:
                    raise DataError(f"{path}, line {self._place[LINE]}: longer than {room:,} bytes")
                if cut:
                    self._parse(path, cut, first, whole=True)
                    self._buffer[: end - cut] = self._buffer[cut:end]
                    first = False
                held = end - cut
                if self._on_bytes is not None:
                    self._on_bytes(size)
        if held:
            self._buffer[held] = ord("\n")
            self._parse(path, held + 1, first, whole=False)
        if self._count() == before:
            raise DataError(f"{path} holds no ratings: {'empty' if first else 'no such lines'}")

    def _count(self) -> int:
        return len(self._full) * CHUNK_ROWS + int(self._place[ROW])

    def _parse(self, path: Path, end: int, first: bool, whole: bool) -> None:
        """Parse the buffer up to ``end``; ``whole``: its last line came with a newline."""
        place = self._place
        place[BYTE] = 0
        if first:
            place[BYTE] = len(MARK) if self._buffer.startswith(MARK) else 0
            if self._form.header:
                start = self._start_of_text(end)
                place[LINE] += self._buffer.count(b"\n", 0, start)
                place[BYTE] = start
        if not self._quotes and self._buffer.find(b'"', 0, end) >= 0:
            raise Quoted(f"{path} holds quotes")
        layout = self._form.layout
        while status := rb.parse_lines(self._text, end, layout, self._rows, place):
            if status != rb.FULL:
                start = int(place[BYTE])
                stop = self._buffer.find(b"\n", start)
                line = bytes(self._buffer[start:stop]).decode("utf-8", errors="replace")
                cut = "" if whole or stop + 1 < end else "; the file may be cut off"
                reason = explain(status, int(place[FIELD]), layout, line.rstrip("\r"))
                raise DataError(f"{path}, line {place[LINE]}: {reason}{cut}")
            self._full.append(self._rows)
            self._rows = _empty_rows()
            place[ROW] = 0

    def _start_of_text(self, end: int) -> int:
        """Return where the line after the header starts; blank lines may stand before it."""
        at = len(MARK) if self._buffer.startswith(MARK) else 0
        while True:
            stop = self._buffer.find(b"\n", at, end) + 1
            if not stop or self._buffer[at:stop].strip():
                return stop or end
            at = stop

    def columns(self) -> tuple[list[npt.NDArray[Any]], ...]:
        """Hand over users' ids, items' ids and ratings in halves, in chunks; the stream is over."""
        users, items, ratings = (
            list(column) for column in zip(*self._full, self._rows, strict=True)
        )
        self._full = []
        for chunks in (users, items, ratings):
            chunks[-1] = chunks[-1][: self._place[ROW]]
        return users, items, ratings


def _empty_rows() -> Rows:
    return Rows(
        np.empty(CHUNK_ROWS, np.int32),
        np.empty(CHUNK_ROWS, np.int32),
        np.empty(CHUNK_ROWS, np.uint8),
    )


def explain(status: int, field: int, layout: Layout, line: str) -> str:
    """Say what is wrong with a line."""
    delimiter = chr(layout.delimiter) * layout.width
    fields = line.split(delimiter)
    count = len(layout.roles)
    shown = repr(line if len(line) <= 60 else line[:57] + "...")
    value = repr(fields[field][:40]) if field < len(fields) else "nothing"
    if status == rb.NO_ITEM:
        return (
            f'a rating before any movie: the first line must be a movie such as "7:", got {shown}'
        )
    if status == rb.OUT_OF_RANGE:
        given = fields[layout.roles.tolist().index(rb.RATING)]
        return f"the rating must be between {layout.low / 2:g} and {layout.high / 2:g}, got {given}"
    if status in (rb.SHORT, rb.LONG) and len(fields) != count:
        return f"a line must have {count} fields separated by {delimiter!r}, got {shown}"
    if status == rb.LARGE_ID:
        return f"ids must be at most {rb.LARGEST_ID}, got {value}; read_csv_ratings takes any id"
    if status == rb.BAD_RATING:
        kind = "a number of half stars" if layout.halves else "a whole number of stars"
        return f"the rating must be {kind}, got {value}"
    if status == rb.BAD_DATE:
        return f"the date must be written as 2005-09-06, got {value}"
    if status == rb.BAD_ID and layout.roles[field] in ROLES:
        what = ROLES[int(layout.roles[field])]
        return f"the {what} must be a whole number without leading zeros, got {value}"
    return f"cannot be read: {shown}"
