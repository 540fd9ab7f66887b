"""An empty figure with a legend, and files that are the same each time."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robustbandits.reports.styles import Style, styles_of

FORMATS = ("png", "svg", "pdf")
SETTINGS = {
    "svg.hashsalt": "robustbandits",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "savefig.dpi": 150,
}
#: Inches.
PANEL = (3.4, 2.7)
LEGEND_LINE = 0.22
LETTER = 0.068
TITLE_LETTERS = 42


@contextmanager
def canvas(
    rows: int,
    columns: int,
    policies: Sequence[str],
    *,
    share_y: bool = False,
    styles: dict[str, Style] | None = None,
) -> Iterator[tuple[Any, Any, dict[str, Style]]]:
    """Give a figure, its panels and the policies' styles; their legend stands below all panels.

    ``styles`` are those that every picture has, unless given.
    """
    pyplot = _pyplot()
    rows, columns = max(1, rows), max(1, columns)
    width = max(PANEL[0] * columns, 4.5)
    across = legend_columns(policies, width)
    lines = -(-len(policies) // across)
    height = PANEL[1] * rows + 0.4 + LEGEND_LINE * lines
    with pyplot.rc_context(SETTINGS):
        figure, axes = pyplot.subplots(
            rows,
            columns,
            figsize=(width, height),
            squeeze=False,
            sharey="row" if share_y else False,
            layout="constrained",
        )
        try:
            styles = styles or styles_of(policies)
            _legend(figure, {name: styles[name] for name in policies}, across)
            yield figure, axes, styles
        finally:
            pyplot.close(figure)


def legend_columns(policies: Sequence[str], width: float) -> int:
    """Return how many names stand side by side: as fit, in lines of about the same length."""
    count = max(1, len(policies))
    longest = max((len(name) for name in policies), default=1)
    lines = -(-count // max(1, int(width / (0.6 + LETTER * longest))))
    return -(-count // lines)


def head(panel: Any, text: str) -> None:
    """Write a panel's title, on as many lines as it needs."""
    panel.set_title("\n".join(textwrap.wrap(text, TITLE_LETTERS)))


def save(figure: Any, paths: Sequence[str | os.PathLike[str]], title: str | None) -> None:
    """Write the figure under each path, without a date: equal results give equal files."""
    if title:
        figure.suptitle(title)
    # Laid out once: each further layout would start from the last one and move things a little.
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    for path in paths:
        kind = Path(path).suffix.lower().removeprefix(".")
        if kind not in FORMATS:
            raise ValueError(f"path must end in .png, .svg or .pdf, got {os.fspath(path)!r}")
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(path, metadata=dates.get(kind))


def _legend(figure: Any, styles: dict[str, Style], columns: int) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=color, linestyle=dash, linewidth=1.5, label=policy)
        for policy, (color, dash) in styles.items()
    ]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'robustbandits[plot]'") from None
    matplotlib.use("agg", force=False)
    from matplotlib import pyplot

    return pyplot
