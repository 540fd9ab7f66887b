"""A table, and how it is written as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from robustbandits.metrics.intervals import Estimate

Cell = str | float | int | Estimate | None

#: Spreadsheets run a cell that begins with one of these as a formula.
_FORMULA_SIGNS = tuple("=+-@\t＝＋－＠")

#: What people see instead of a number that does not apply.
UNKNOWN = "–"

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "∞": r"$\infty$",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


class Column(NamedTuple):
    """The head of a column, and its kind of cells: ``"text"``, ``"number"`` or ``"estimate"``."""

    head: str
    kind: str = "number"

    @property
    def key(self) -> str:
        """The head for programs: lower case with underscores."""
        return re.sub(r"[^a-z0-9]+", "_", self.head.lower()).strip("_")


@dataclass(frozen=True)
class Table:
    """Rows under typed columns.

    Attributes
    ----------
    name, title
        A short name for files and links, and a line that says what the numbers are.
    columns, rows
        Heads and cells. An :class:`Estimate` is a value with its 95 % interval; None means that the
        cell does not apply.
    notes
        Sentences on how to read the table.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"expected {len(self.columns)} cells in a row, got {row!r}")

    @classmethod
    def from_columns(
        cls,
        name: str,
        title: str,
        columns: Mapping[Column, Sequence[Cell]],
        notes: tuple[str, ...] = (),
    ) -> Table:
        """Make a table from the cells of each column."""
        rows = tuple(zip(*columns.values(), strict=True))
        return cls(name, title, tuple(columns), rows, notes)

    def __len__(self) -> int:
        return len(self.rows)

    def texts(self) -> list[tuple[str, ...]]:
        """Return the cells as text for people."""
        return [tuple(shown(cell) for cell in row) for row in self.rows]

    def without_empty_columns(self) -> Table:
        """Return the table without columns in which nothing is known, as people should see it."""
        texts = self.texts()
        shown_columns = [
            k
            for k, column in enumerate(self.columns)
            if column.kind == "text" or any(row[k] != UNKNOWN for row in texts)
        ]
        rows = tuple(tuple(row[k] for k in shown_columns) for row in self.rows)
        columns = tuple(self.columns[k] for k in shown_columns)
        return replace(self, columns=columns, rows=rows)

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown, with title and notes."""
        compact = self.without_empty_columns()
        rule = [":--" if column.kind == "text" else "--:" for column in compact.columns]
        body = [[as_markdown(cell) for cell in row] for row in compact.texts()]
        heads = [as_markdown(column.head) for column in compact.columns]
        lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *body)]
        notes = ["\n" + wrapped(as_markdown(note)) for note in self.notes]
        return "\n".join([f"### {as_markdown(self.title)}\n", *lines, *notes]) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV, with all columns and digits; an estimate has three columns.

        Text that a spreadsheet would run as a formula begins with an apostrophe.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([key for column in self.columns for key in _keys(column)])
        for row in self.rows:
            cells = zip(self.columns, row, strict=True)
            writer.writerow([part for column, cell in cells for part in _parts(column, cell)])
        return text.getvalue()

    def to_latex(self) -> str:
        """Return the table as a LaTeX longtable; needs the packages longtable and booktabs."""
        compact = self.without_empty_columns()
        layout = "".join("l" if column.kind == "text" else "r" for column in compact.columns)
        heads = " & ".join(_latex(column.head) for column in compact.columns) + r" \\"
        title = " ".join([self.title + ".", *self.notes])
        lines = [
            rf"\begin{{longtable}}{{{layout}}}",
            rf"\caption{{{_latex(title)}}}\label{{tab:{self.name}}}\\",
            rf"\toprule {heads} \midrule \endfirsthead",
            rf"\toprule {heads} \midrule \endhead",
            r"\bottomrule \endlastfoot",
            *[" & ".join(_latex(cell) for cell in row) + r" \\" for row in compact.texts()],
            r"\end{longtable}",
        ]
        return "\n".join(lines) + "\n"


def shown(cell: Cell) -> str:
    """Return a cell as text for people: four digits, commas, a dash for what is unknown."""
    if cell is None:
        return UNKNOWN
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Estimate):
        if not cell.has_interval or cell.low == cell.high:
            return shown(cell.value)
        return f"{shown(cell.value)} ({shown(cell.low)} to {shown(cell.high)})"
    if math.isnan(cell):
        return UNKNOWN
    if math.isinf(cell):
        return "∞" if cell > 0 else "-∞"
    if isinstance(cell, int) or abs(cell) >= 1000:
        return f"{cell:,.0f}"
    return f"{cell + 0.0:.4g}"


def wrapped(prose: str, indent: str = "") -> str:
    """Return a paragraph in lines short enough to read and compare; later lines are indented."""
    return textwrap.fill(
        prose, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _keys(column: Column) -> Sequence[str]:
    if column.kind != "estimate":
        return (column.key,)
    return (column.key, f"{column.key}_low", f"{column.key}_high")


def _parts(column: Column, cell: Cell) -> Sequence[str]:
    if column.kind == "estimate":
        ends = cell if isinstance(cell, Estimate) else ("", "", "")
        return [_raw(end) for end in ends]
    return (_raw(cell if not isinstance(cell, Estimate) else cell.value),)


def _raw(cell: str | float | None) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if not isinstance(cell, str):
        return repr(cell)
    # Older versions of Python do not quote a lone carriage return, so it would end the row.
    text = cell.replace("\r", " ")
    return "'" + text if text.lstrip(" ").startswith(_FORMULA_SIGNS) else text


def as_markdown(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|$~&#])", r"\\\1", " ".join(text.split()))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))
