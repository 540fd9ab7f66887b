"""A table in Markdown, CSV and LaTeX."""

import csv
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits.metrics import Estimate
from robustbandits.reports.table import Column, Table, shown

SPECIAL_TEXT = 'a|b_c & 50 % <i> \\x {y} ~^ "q" $1 #2\nnext'

ONE = Estimate(1.0, 1.0, 1.0)


def table(*rows, notes=()):
    columns = (Column("who", "text"), Column("Regret per round", "estimate"), Column("count"))
    return Table("t", "A title", columns, rows, notes)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (0.0, "0"),
        (-0.0, "0"),
        (1234567, "1,234,567"),
        (1234.6, "1,235"),
        (0.000123456, "0.0001235"),
        ("word", "word"),
        (Estimate(1500.0, 1000.0, 2000.0), "1,500 (1,000 to 2,000)"),
        (Estimate(1500.0, math.nan, math.nan), "1,500"),
        (Estimate(5.0, 5.0, 5.0), "5"),
        (Estimate(math.nan, math.nan, math.nan), "–"),
    ],
)
def test_cell_is_shown_with_few_digits_and_commas(cell, text):
    assert shown(cell) == text


def test_markdown_has_a_line_for_each_row_and_escapes_bars():
    text = table(("a|b_c", Estimate(1.0, 0.0, 2.0), 3), notes=("A *note*.",)).to_markdown()
    lines = text.splitlines()
    assert lines[0] == "### A title"
    assert lines[2] == "| who | Regret per round | count |"
    assert lines[3] == "| :-- | --: | --: |"
    assert lines[4] == r"| a\|b\_c | 1 (0 to 2) | 3 |"
    assert lines[-1] == r"A \*note\*."


def test_no_text_breaks_out_of_its_markdown_cell():
    line = table((SPECIAL_TEXT, ONE, 1)).to_markdown().splitlines()[4]
    assert len(re.findall(r"(?<!\\)\|", line)) == 4
    assert not re.search(r"(?<!\\)[<_]", line)


def test_csv_has_three_columns_for_an_estimate_and_all_digits():
    estimate = Estimate(1 / 3, 0.1, math.nan)
    rows = list(
        csv.reader(io.StringIO(table((SPECIAL_TEXT, estimate, 3), ("b", None, None)).to_csv()))
    )
    assert rows[0] == [
        "who",
        "regret_per_round",
        "regret_per_round_low",
        "regret_per_round_high",
        "count",
    ]
    assert rows[1][0] == SPECIAL_TEXT
    assert float(rows[1][1]) == 1 / 3
    assert rows[1][3] == ""
    assert rows[2] == ["b", "", "", "", ""]


@given(st.text(st.characters(exclude_characters="\r")), st.floats(allow_nan=False))
def test_csv_can_be_read_back(text, value):
    rows = list(csv.reader(io.StringIO(table((text, None, value)).to_csv(), newline="")))
    assert rows[1][0] in (text, "'" + text)
    assert float(rows[1][4]) == value


@given(st.text(st.characters(exclude_characters="\r")), st.sampled_from("=+-@＝\t"))
def test_no_text_is_a_formula_in_a_spreadsheet(text, sign):
    written = table((sign + text, None, -1.5)).to_csv()
    row = list(csv.reader(io.StringIO(written, newline="")))[1]
    assert row[0] == "'" + sign + text
    assert row[4] == "-1.5"  # numbers stay numbers


def test_columns_of_dashes_are_left_out_of_all_but_the_csv():
    unknown = table(("a", None, math.nan), ("b", Estimate(math.nan, math.nan, math.nan), None))
    assert unknown.to_markdown().splitlines()[2:] == ["| who |", "| :-- |", "| a |", "| b |"]
    assert unknown.to_latex().splitlines()[5:7] == [r"a \\", r"b \\"]
    assert unknown.to_csv().splitlines()[0].endswith(",count")
    known = table(("a", None, 1), ("b", None, None))
    assert known.to_markdown().splitlines()[2] == "| who | count |"


def test_carriage_return_does_not_break_a_csv_row():
    assert table(("a\rb", None, 1)).to_csv().splitlines()[1] == "a b,,,,1"


def test_latex_escapes_every_special_character():
    line = table((SPECIAL_TEXT, Estimate(1.0, 0.0, 2.0), math.inf)).to_latex().splitlines()[5]
    assert line == (
        r"a\textbar{}b\_c \& 50 \% \textless{}i\textgreater{} \textbackslash{}x \{y\} "
        r"\textasciitilde{}\textasciicircum{} \textquotedbl{}q\textquotedbl{} \$1 \#2 next "
        r"& 1 (0 to 2) & $\infty$ \\"
    )


@given(st.text(alphabet=st.characters(max_codepoint=126)))
def test_no_text_breaks_out_of_its_latex_cell(text):
    line = table((text, ONE, 1)).to_latex().splitlines()[5]
    bare = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", line.removesuffix(r" \\"))
    assert bare.count("&") == 2
    assert not re.search(r"[\\%$#_{}~^]", bare)


def test_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="expected 3 cells"):
        table(("a", None))
