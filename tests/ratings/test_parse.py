"""The byte-level parser, judged by a slow twin that splits strings."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robustbandits.ratings import _parse as rb
from robustbandits.ratings._pairs import mark_repeats
from robustbandits.ratings._parse import Layout, Rows, parse_lines

LAYOUTS = {
    "tabs": Layout(
        np.array([rb.USER, rb.ITEM, rb.RATING, rb.REST], np.uint8), 9, 1, False, 2, 10, False
    ),
    "colons": Layout(np.array([rb.USER, rb.ITEM, rb.RATING], np.uint8), 58, 2, False, 1, 10, True),
    "flat": Layout(
        np.array([rb.ITEM, rb.USER, rb.RATING, rb.DATE], np.uint8), 44, 1, False, 2, 10, False
    ),
    "blocks": Layout(np.array([rb.USER, rb.RATING, rb.DATE], np.uint8), 44, 1, True, 2, 10, False),
}
WHOLE = re.compile(r"0|[1-9][0-9]*")
STARS = re.compile(r"[0-9]{1,4}(\.[05]0*)?")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse(text, layout, rows=100):
    """Return the rows, the status and the line where the parser stopped."""
    data = np.frombuffer(bytearray(text), np.uint8)
    table = Rows(np.zeros(rows, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.uint8))
    place = np.array([0, 1, 0, -1, 0], np.int64)
    status = parse_lines(data, len(data), layout, table, place)
    count = int(place[rb.ROW])
    columns = (column[:count].tolist() for column in table)
    return list(zip(*columns, strict=True)), int(status), int(place[rb.LINE])


def twin(text, layout):
    """Read lines with regular expressions; return the rows, whether all was well, and the line."""
    rows, item = [], None
    lines = text.decode("latin-1").split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if not line:
            continue
        if layout.blocks and line.endswith(":") and is_id(line[:-1]):
            item = int(line[:-1])
            continue
        found = fields_of(line, layout)
        if found is None or (layout.blocks and item is None):
            return rows, False, number
        rows.append((found[rb.USER], found.get(rb.ITEM, item), found[rb.RATING]))
    return rows, True, len(lines) + 1


def is_id(text):
    return bool(WHOLE.fullmatch(text)) and int(text) < 2**31


def fields_of(line, layout):
    fields = line.split(chr(layout.delimiter) * layout.width)
    found = {}
    if len(fields) != len(layout.roles) or "\r" in line:
        return None
    for role, text in zip(layout.roles.tolist(), fields, strict=True):
        if role in (rb.USER, rb.ITEM):
            good = is_id(text)
            found[role] = int(text) if good else None
        elif role == rb.RATING:
            good = bool(STARS.fullmatch(text))
            found[role] = round(2 * float(text)) if good else -1
            good = good and layout.low <= found[role] <= layout.high
            good = good and (layout.halves or found[role] % 2 == 0)
        else:
            good = role == rb.REST or bool(DATE.fullmatch(text))
        if not good:
            return None
    return found


def pieces(layout):
    """Fields, good and bad, and what may stand between them."""
    mark = chr(layout.delimiter) * layout.width
    number = st.integers(0, 2**31 + 5).map(str)
    field = st.one_of(
        number,
        st.sampled_from(["1", "5", "3.0", "3.50", "4.25", "0.5", "6", "007", "", "x", "-1", "5."]),
        st.sampled_from(["2005-09-06", "2005-9-06", "20050906", "9999999999999999999999"]),
    )
    return mark, field


@st.composite
def texts(draw, layout):
    mark, field = pieces(layout)
    user = st.integers(0, 2**31 - 1).map(str)
    stars = st.sampled_from(["1", "2.0", "3", "4", "5.00"])
    good = {rb.USER: user, rb.ITEM: user, rb.RATING: stars, rb.REST: field}
    good[rb.DATE] = st.just("2005-09-06")
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            line = mark.join(draw(st.lists(field, max_size=6)))
        elif kind == 1 or (layout.blocks and not lines):
            line = draw(st.sampled_from(["", "7:", "7", "07:", "7: ", ":", "7::"]))
        else:
            line = mark.join(draw(good[role]) for role in layout.roles.tolist())
        lines.append(line + draw(st.sampled_from(["\n", "\n", "\r\n"])))
    return "".join(lines).encode()


@pytest.mark.parametrize("name", LAYOUTS)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_parser_reads_what_the_twin_reads(name, data):
    layout = LAYOUTS[name]
    text = data.draw(texts(layout))
    rows, status, line = parse(text, layout)
    assert (rows, status == rb.DONE, line) == twin(text, layout)


@pytest.mark.parametrize("name", LAYOUTS)
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(noise=st.binary(max_size=60))
def test_noise_neither_crashes_nor_runs_past_the_end(name, noise):
    layout = LAYOUTS[name]
    rows, status, line = parse(noise + b"\n", layout)
    assert (rows, status == rb.DONE, line) == twin(noise + b"\n", layout)


def test_parser_stops_when_rows_are_full_and_goes_on():
    layout = LAYOUTS["blocks"]
    text = np.frombuffer(
        bytearray(b"7:\n1,3,2005-09-06\n2,4,2005-09-06\n\n8:\n3,5,2005-09-06\n"), np.uint8
    )
    place = np.array([0, 1, 0, -1, 0], np.int64)
    seen = []
    for _ in range(3):
        rows = Rows(np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.uint8))
        status = parse_lines(text, len(text), layout, rows, place)
        seen.append((status, int(rows.users[0]), int(rows.items[0]), int(rows.ratings[0])))
        place[rb.ROW] = 0
    assert seen == [(rb.FULL, 1, 7, 6), (rb.FULL, 2, 7, 8), (rb.DONE, 3, 8, 10)]
    assert place[rb.BYTE] == len(text)


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=40),
    last=st.booleans(),
)
def test_repeats_are_all_but_one_of_each_pair(pairs, last):
    rows = np.array([row for row, _ in pairs], np.int32)
    columns = np.array([column for _, column in pairs], np.int16)
    marked = mark_repeats(rows, columns, np.array([5, 4], np.int64), last)
    places = {pair: k for k, pair in enumerate(pairs)}  # a later place replaces an earlier one
    if not last:
        places = {pair: pairs.index(pair) for pair in pairs}
    assert [k for k in range(len(pairs)) if not marked[k]] == sorted(places.values())
