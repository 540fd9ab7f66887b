"""Figures: regret curves by panel, and final regret against the attacker's budget."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits._extras import missing_package
from robustbandits.game.ledger import Ledger
from robustbandits.metrics.intervals import half_width
from robustbandits.reports.panels import BudgetSweep, distinct, thinned
from robustbandits.reports.styles import Style, styles_of

FORMATS = ("png", "svg", "pdf")
#: With more lines than this, bands would hide them.
MOST_BANDS = 10
MOST_TICKS = 8
#: Limits that keep a figure readable and quick to draw; the title says what was left out.
MOST_COLUMNS = 6
MOST_ROWS = 5
MOST_POLICIES = 40
#: Points of a curve: more than a panel can show. With all points a file is four times as large.
POINTS = 300

_SETTINGS = {
    "text.usetex": False,  # labels may contain anything
    "svg.hashsalt": "robustbandits",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "savefig.dpi": 150,
}
# Inches.
_PANEL = (3.4, 2.7)
_LEGEND_LINE = 0.22
_LETTER = 0.068
_TITLE_LETTERS = 42

Paths = Sequence[str | os.PathLike[str]]


def draw_panels(
    rows: Sequence[tuple[str, Sequence[Ledger]]],
    paths: Paths,
    *,
    title: str | None = None,
    share_y: bool = False,
    styles: Mapping[str, Style] | None = None,
) -> None:
    """Draw one row of panels for each group of ledgers, and save the figure under each path.

    Lines are means over seeds. Bands are 95 % intervals (Student's t), left out of a panel with
    more than ten policies. A policy has the same color in every figure.

    Parameters
    ----------
    rows
        A name and ledgers for each row.
    paths
        Files to write. The suffix sets the format: .png, .svg or .pdf. The folders must exist.
    title
        Title above all panels.
    share_y
        Whether the panels of a row share one scale.
    styles
        The style of each policy; from :func:`~robustbandits.reports.styles.styles_of` by default.
    """
    attacks = distinct(ledger.attack for _, ledgers in rows for ledger in ledgers)
    policies = distinct(ledger.policy for _, ledgers in rows for ledger in ledgers)
    parts = [attacks[i : i + MOST_COLUMNS] for i in range(0, len(attacks), MOST_COLUMNS)] or [[]]
    panel_rows = [(name, ledgers, part) for name, ledgers in rows for part in parts]
    shown, drawn = policies[:MOST_POLICIES], panel_rows[:MOST_ROWS]
    columns = min(MOST_COLUMNS, len(attacks))
    with _new_figure(len(drawn), columns, shown, share_y, styles) as (figure, axes, used_styles):
        for panels, (name, ledgers, part) in zip(axes, drawn, strict=False):
            for panel, attack in zip(panels, part, strict=False):
                set_title(panel, f"{name}: {attack}")
                shown_ledgers = [
                    ledger
                    for ledger in ledgers
                    if ledger.attack == attack and ledger.policy in used_styles
                ]
                _draw_panel(panel, shown_ledgers, used_styles)
                panel.set_xlabel("round")
            for panel in panels[: max(1, len(part))]:
                # Only after drawing, because a shared axis stops growing once it has a limit.
                panel.set_ylim(bottom=0)
            for panel in panels[max(1, len(part)) :]:
                panel.set_axis_off()
            panels[0].set_ylabel("cumulative regret")
        left_out = [
            *_cut_note(shown, policies, "policies"),
            *_cut_note(drawn, panel_rows, "rows of panels"),
        ]
        save(figure, paths, "; ".join([*([title] if title else []), *left_out]))


def draw_budgets(
    sweeps: Sequence[BudgetSweep],
    paths: Paths,
    *,
    title: str | None = None,
    styles: Mapping[str, Style] | None = None,
) -> None:
    """Draw final regret against the attacker's budget, one panel for each sweep.

    Paths, title and styles are those of :func:`draw_panels`.
    """
    policies = distinct(policy for sweep in sweeps for policy in sweep.policies)
    draw_sweeps(sweeps, policies, paths, _draw_sweep, title=title, styles=styles)


def draw_sweeps(
    sweeps: Sequence[BudgetSweep],
    policies: Sequence[str],
    paths: Paths,
    draw: Callable[[Any, BudgetSweep, dict[str, Style]], None],
    *,
    title: str | None = None,
    share_y: bool = False,
    styles: Mapping[str, Style] | None = None,
) -> None:
    """Draw sweeps three in a row, each by ``draw(panel, sweep, styles)``, and save the figure."""
    columns = min(3, len(sweeps))
    shown, drawn = policies[:MOST_POLICIES], sweeps[: 3 * MOST_ROWS]
    rows = math.ceil(len(drawn) / 3)
    with _new_figure(rows, columns, shown, share_y, styles) as (figure, axes, used_styles):
        panels = list(axes.flat)
        for panel, sweep in zip(panels, drawn, strict=False):
            draw(panel, sweep, used_styles)
        for panel in panels[len(drawn) :]:
            panel.set_axis_off()
        for row in axes:
            row[0].set_ylabel("final regret")
        left_out = [*_cut_note(shown, policies, "policies"), *_cut_note(drawn, sweeps, "sweeps")]
        save(figure, paths, "; ".join([*([title] if title else []), *left_out]))


def _draw_panel(panel: Any, ledgers: Sequence[Ledger], styles: dict[str, Style]) -> None:
    if not ledgers:
        panel.text(0.5, 0.5, "not played", ha="center", va="center", transform=panel.transAxes)
        panel.tick_params(bottom=False, labelbottom=False, left=False, labelleft=False)
        panel.grid(visible=False)
        return
    policies = distinct(ledger.policy for ledger in ledgers)
    for policy in policies:
        group = [ledger for ledger in ledgers if ledger.policy == policy]
        chosen = thinned(group[0].rounds, POINTS)
        curves = np.array([ledger.regret[chosen] for ledger in group])
        rounds, mean, half = group[0].rounds[chosen], curves.mean(axis=0), half_width(curves)
        color = styles[policy].color
        panel.plot(rounds, mean, color=color, linestyle=styles[policy].linestyle, linewidth=1.5)
        if len(group) > 1 and len(policies) <= MOST_BANDS:
            panel.fill_between(rounds, mean - half, mean + half, color=color, alpha=0.15, lw=0)
    panel.set_xlim(left=0)
    panel.ticklabel_format(style="sci", scilimits=(-3, 4), axis="both", useMathText=True)


def _draw_sweep(panel: Any, sweep: BudgetSweep, styles: dict[str, Style]) -> None:
    """Draw budgets on an axis that is linear up to the smallest one above 0, then logarithmic."""
    set_title(panel, f"{sweep.environment}: {sweep.attack}")
    panel.set_xlabel("budget")
    budgets = [budget for budget in sweep.panels if math.isfinite(budget)]
    for policy, style in styles.items():
        played = [budget for budget in budgets if policy in sweep.panels[budget].groups]
        finals = [sweep.panels[budget].finals[policy] for budget in played]
        if not played:
            continue
        panel.errorbar(
            played,
            [float(values.mean()) for values in finals],
            yerr=np.nan_to_num([float(half_width(values)) for values in finals]),
            color=style.color,
            linestyle=style.linestyle,
            linewidth=1.5,
            marker="o",
            markersize=3,
            capsize=2,
        )
    panel.set_xscale("symlog", linthresh=min((b for b in budgets if b > 0), default=1.0))
    marked = budgets[:: math.ceil(max(1, len(budgets)) / MOST_TICKS)]
    panel.set_xticks(marked, [f"{budget:g}" for budget in marked])
    panel.set_xticks([], minor=True)
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)


def _cut_note(part: Sequence[Any], whole: Sequence[Any], what: str) -> list[str]:
    """Return a note such as "5 of 9 policies" if some were left out; otherwise an empty list."""
    return [f"{len(part)} of {len(whole)} {what}"] if len(part) < len(whole) else []


@contextmanager
def _new_figure(
    rows: int,
    columns: int,
    policies: Sequence[str],
    share_y: bool = False,
    styles: Mapping[str, Style] | None = None,
) -> Iterator[tuple[Any, Any, dict[str, Style]]]:
    """Yield a figure, its panels and the policies' styles; a legend is below all panels."""
    pyplot = _pyplot()
    rows, columns = max(1, rows), max(1, columns)
    width = max(_PANEL[0] * columns, 4.5)
    names_per_line = legend_columns(policies, width)
    lines = math.ceil(len(policies) / names_per_line)
    height = _PANEL[1] * rows + 0.4 + _LEGEND_LINE * lines
    with pyplot.rc_context(_SETTINGS):
        figure, axes = pyplot.subplots(
            rows,
            columns,
            figsize=(width, height),
            squeeze=False,
            sharey="row" if share_y else False,
            layout="constrained",
        )
        try:
            found = styles_of(policies) if styles is None else styles
            used_styles = {name: found[name] for name in policies}
            _add_legend(figure, used_styles, names_per_line)
            yield figure, axes, used_styles
        finally:
            pyplot.close(figure)


def legend_columns(policies: Sequence[str], width: float) -> int:
    """Return how many names fit side by side, in lines of about the same length."""
    count = max(1, len(policies))
    longest = max((len(name) for name in policies), default=1)
    lines = math.ceil(count / max(1, int(width / (0.6 + _LETTER * longest))))
    return math.ceil(count / lines)


def _add_legend(figure: Any, styles: dict[str, Style], columns: int) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=style.color, linestyle=style.linestyle, linewidth=1.5, label="policy")
        for style in styles.values()
    ]
    if not handles:
        return
    legend = figure.legend(
        handles=handles, loc="outside lower center", ncols=columns, frameon=False
    )
    # Matplotlib leaves out handles whose label begins with "_", so the names are written later.
    for text, policy in zip(legend.get_texts(), styles, strict=True):
        text.set(parse_math=False, text=policy)


def set_title(panel: Any, text: str) -> None:
    """Write a panel's title, on as many lines as it needs."""
    panel.set_title("\n".join(textwrap.wrap(text, _TITLE_LETTERS)), parse_math=False)


def save(figure: Any, paths: Paths, title: str | None) -> None:
    """Write the figure under each path, without a date, so that equal results give equal files."""
    if title:
        figure.suptitle(title, parse_math=False)
    # Lay out once: a second layout would start from the first one and move things a little.
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    for path in paths:
        kind = Path(path).suffix.lower().removeprefix(".")
        if kind not in FORMATS:
            raise ValueError(f"path must end in .png, .svg or .pdf, got {os.fspath(path)!r}")
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(path, metadata=dates.get(kind))


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise missing_package("plots need", "matplotlib", "plot") from None
    matplotlib.use("agg", force=False)
    from matplotlib import pyplot

    return pyplot
