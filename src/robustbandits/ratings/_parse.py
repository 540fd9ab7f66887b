"""Ratings read from bytes: one parser for every text format, told the layout of a line.

It walks over each byte once, keeps nothing but the numbers, and stops at the first bad line. The
caller promises that the text ends with a newline, which stops every inner loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import program

Integers: TypeAlias = npt.NDArray[np.integer[Any]]

#: What a field of a line means.
USER, ITEM, RATING, DATE, REST = range(5)
#: What the parser returns: all read, no room for more rows, or what is wrong with a line.
DONE, FULL, BAD_ID, LARGE_ID, BAD_RATING, OUT_OF_RANGE, BAD_DATE, SHORT, LONG, NO_ITEM = range(10)
_HEAD = 10  # a line "7:": not a rating, nothing wrong
#: Where the parser stands: entries of ``place``.
BYTE, LINE, ROW, BLOCK, FIELD = range(5)

LARGEST_ID = 2**31 - 1
_DIGITS = 10
_NEWLINE, _RETURN, _COLON, _DOT, _DASH, _ZERO, _FIVE, _NINE = 10, 13, 58, 46, 45, 48, 53, 57


class Layout(NamedTuple):
    """How the lines of a file are made."""

    roles: npt.NDArray[np.uint8]  # what each field means: USER, ITEM, RATING, DATE or REST
    delimiter: int  # the byte between fields
    width: int  # how often it stands there: 2 for "::"
    blocks: bool  # lines "7:" name the item of the lines below
    low: int  # smallest rating, in halves
    high: int  # largest rating, in halves
    halves: bool  # whether 3.5 is a rating


class Rows(NamedTuple):
    """Where ratings are written; ``ratings`` counts halves, so that half stars are whole."""

    users: npt.NDArray[np.int32]
    items: npt.NDArray[np.int32]
    ratings: npt.NDArray[np.uint8]


@program
def _read_id(text: npt.NDArray[np.uint8], at: int) -> tuple[int, int, int]:
    """Return (status, next byte, value) of a whole number without leading zeros."""
    start = at
    value: Any = 0
    while _ZERO <= text[at] <= _NINE and at - start <= _DIGITS:
        value = value * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    if at == start or (text[start] == _ZERO and at > start + 1):
        return BAD_ID, at, value
    if value > LARGEST_ID:
        return LARGE_ID, at, value
    return DONE, at, value


@program
def _read_rating(text: npt.NDArray[np.uint8], at: int) -> tuple[int, int, int]:
    """Return (status, next byte, halves) of a number such as 3, 3.0 or 3.5."""
    start = at
    halves: Any = 0
    while _ZERO <= text[at] <= _NINE and at - start < 4:
        halves = halves * 10 + 2 * (np.int64(text[at]) - _ZERO)
        at += 1
    status = DONE if at > start else BAD_RATING
    if text[at] == _DOT and status == DONE:
        at += 1
        if text[at] == _FIVE:
            halves += 1
        elif text[at] != _ZERO:
            status = BAD_RATING
        at += 1 if status == DONE else 0
        while text[at] == _ZERO:
            at += 1
    return status, at, halves


@program
def _skip_date(text: npt.NDArray[np.uint8], at: int) -> tuple[int, int]:
    """Return (status, next byte) of a date such as 2005-09-06."""
    for k in range(10):
        byte = text[at]
        dash = k in (4, 7)
        if (dash and byte != _DASH) or (not dash and not _ZERO <= byte <= _NINE):
            return BAD_DATE, at
        at += 1
    return DONE, at


@program
def _after_field(
    text: npt.NDArray[np.uint8], at: int, layout: Layout, last: bool
) -> tuple[int, int]:
    """Step over what must follow a field: the delimiter, or the end of the line."""
    if text[at] == _RETURN and text[at + 1] == _NEWLINE:
        at += 1
    if text[at] == _NEWLINE:
        return (DONE, at + 1) if last else (SHORT, at)
    if text[at] != layout.delimiter:
        return LONG, at  # a field that goes on where it should end; the caller says what it is
    if last:
        return LONG, at
    if layout.width == 2:
        at += 1
        if text[at] != layout.delimiter:
            return SHORT, at
    return DONE, at + 1


@program
def _read_line(
    text: npt.NDArray[np.uint8], at: int, layout: Layout, item: int
) -> tuple[int, int, int, int, int, int]:
    """Return (status, next byte, field, user, item, halves) of one line."""
    user, halves = 0, 0
    count = len(layout.roles)
    for field in range(count):
        role = layout.roles[field]
        status = DONE
        if role == USER:
            status, at, user = _read_id(text, at)
            if layout.blocks and field == 0 and status == DONE and text[at] == _COLON:
                status, at = _after_field(text, at + 1, layout, True)
                return (_HEAD if status == DONE else status), at, field, 0, user, 0
        elif role == ITEM:
            status, at, item = _read_id(text, at)
        elif role == RATING:
            status, at, halves = _read_rating(text, at)
            if halves % 2 == 1 and not layout.halves:
                status = BAD_RATING
        elif role == DATE:
            status, at = _skip_date(text, at)
        else:
            while text[at] != layout.delimiter and text[at] != _NEWLINE and text[at] != _RETURN:
                at += 1
        if status == DONE:
            status, at = _after_field(text, at, layout, field == count - 1)
            if status == LONG and text[at] != layout.delimiter:
                status = BAD_RATING if role == RATING else BAD_DATE if role == DATE else BAD_ID
        if status != DONE:
            return status, at, field, user, item, halves
    status = OUT_OF_RANGE if halves < layout.low or halves > layout.high else DONE
    if item < 0:
        status = NO_ITEM
    return status, at, count - 1, user, item, halves


@program
def parse_lines(
    text: npt.NDArray[np.uint8],
    end: int,
    layout: Layout,
    rows: Rows,
    place: npt.NDArray[np.int64],
) -> int:
    """Read lines from ``place[BYTE]`` to ``end``, where a line must end; return why it stopped.

    ``place`` is moved on. After a bad line it stands at the start of that line, and
    ``place[FIELD]`` says in which field the trouble is.
    """
    at, row, line, item, field = place[BYTE], place[ROW], place[LINE], place[BLOCK], 0
    status = DONE
    while at < end:
        if text[at] == _NEWLINE or (text[at] == _RETURN and text[at + 1] == _NEWLINE):
            at += 1 if text[at] == _NEWLINE else 2
            line += 1
            continue
        if row == len(rows.users):
            status = FULL
            break
        status, after, field, user, found, halves = _read_line(text, at, layout, item)
        if status == _HEAD:
            item = found
            status = DONE
        elif status == DONE:
            rows.users[row] = user
            rows.items[row] = found
            rows.ratings[row] = halves
            row += 1
        else:
            break
        at = after
        line += 1
    place[BYTE], place[ROW], place[LINE], place[BLOCK], place[FIELD] = at, row, line, item, field
    return status
