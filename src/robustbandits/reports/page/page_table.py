"""Tables of the page: plain text and layout, for the templates to write as HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from robustbandits.reports.metric_columns import POLICY
from robustbandits.reports.panels import Panel, distinct
from robustbandits.reports.ranking import rank
from robustbandits.reports.table import UNKNOWN, Table

#: With more policies than this, the overview has a row for each of them instead of a column.
MOST_COLUMNS = 9


class Lowest(str):
    """The text of a cell that is clearly the lowest of its panel."""

    __slots__ = ()


class PageTable(NamedTuple):
    """A table of texts.

    The first ``name_columns`` columns name the row. If ``has_heading``, a heading above the table
    already shows the caption, so only screen readers read it out.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    name_columns: int = 1
    has_heading: bool = False

    @property
    def folded(self) -> bool:
        """Whether rows that share all names but the last are under a common heading."""
        return self.name_columns > 1 and len(self._prefixes) < len(self.rows)

    @property
    def groups(self) -> list[tuple[str, list[Sequence[str]]]]:
        """Headings and rows. A folded table is half as wide, which helps on a phone."""
        if not self.folded:
            return [("", list(self.rows))]
        first = self.name_columns - 1
        return [
            (": ".join(prefix), [row[first:] for row in self.rows if tuple(row[:first]) == prefix])
            for prefix in self._prefixes
        ]

    @property
    def shown_heads(self) -> Sequence[str]:
        """Heads of the columns that are left after folding."""
        return self.heads[self.name_columns - 1 :] if self.folded else self.heads

    @property
    def _prefixes(self) -> list[tuple[str, ...]]:
        return list(dict.fromkeys(tuple(row[: self.name_columns - 1]) for row in self.rows))


def page_table(table: Table) -> PageTable:
    """Return a table of the report for the page."""
    compact = table.without_empty_columns()
    heads = [column.head for column in compact.columns]
    names = list(takewhile(lambda column: column.kind == "text", compact.columns))
    # Texts after the policy are values, for example its worst attack.
    count = names.index(POLICY) + 1 if POLICY in names else len(names)
    return PageTable(table.title, heads, compact.texts(), max(1, count), has_heading=True)


def overview_table(panels: Sequence[Panel]) -> PageTable:
    """Return mean final regrets, panels by policies; the lowest is marked if it is clear."""
    policies = distinct(policy for panel in panels for policy in panel.groups)
    cells = []
    for panel in panels:
        ranking = rank(panel)
        texts = {entry.policy: readable(entry.mean) for entry in ranking.entries}
        if ranking.is_clear:
            texts[ranking.best.policy] = Lowest(texts[ranking.best.policy])
        cells.append([texts.get(policy, UNKNOWN) for policy in policies])
    caption = "Mean final regret: lower is better"
    if any(isinstance(cell, Lowest) for row in cells for cell in row):
        caption += ", bold if its 95 % interval lies below all others of the panel"
    if len(policies) > MOST_COLUMNS:  # a long table is easier to read than a wide one
        heads = ["Policy", *[f"{panel.environment}: {panel.attack}" for panel in panels]]
        rows = [[policy, *[row[k] for row in cells]] for k, policy in enumerate(policies)]
        return PageTable(caption, heads, rows, has_heading=True)
    heads = ["Environment", "Attack", *policies]
    rows = [
        [panel.environment, panel.attack, *row] for panel, row in zip(panels, cells, strict=True)
    ]
    return PageTable(caption, heads, rows, name_columns=2, has_heading=True)


def readable(value: float) -> str:
    """Return a number with few digits and with commas."""
    if not math.isfinite(value):
        return UNKNOWN
    return f"{value:,.0f}" if abs(value) >= 100 or value == 0 else f"{value:,.3g}"
