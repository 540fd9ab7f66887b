"""Regret curves: one panel for each environment and attack, one line for each policy."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.metrics.groups import Group
from robustbandits.reports.canvas import canvas, head, save
from robustbandits.reports.curves import thinned
from robustbandits.reports.intervals import half_width
from robustbandits.reports.styles import Style

if TYPE_CHECKING:
    from robustbandits.reports.curves import Sweep

#: Points of a curve: finer than a pixel.
MOST_POINTS = 400
#: With more lines, bands would hide them all.
MOST_BANDS = 10
MOST_TICKS = 8
#: What can still be read, and drawn in seconds; a title says when there is more.
MOST_COLUMNS = 6
MOST_LINES = 5
MOST_POLICIES = 40
#: Points of a line: more than a panel has room for, and a quarter of the file.
POINTS = 300

Paths = Sequence[str | os.PathLike[str]]


def draw_panels(
    rows: Sequence[tuple[str, Sequence[Ledger]]],
    paths: Paths,
    *,
    title: str | None = None,
    share_y: bool = False,
) -> None:
    """Draw one row of panels for each group of ledgers, and save it under each path.

    Lines are means over seeds, bands 95 % intervals (Student's t), left out of a panel with more
    than ten policies. A policy has the same colour in every
    picture. The suffix of a path sets its format; its folder must exist.

    Parameters
    ----------
    rows
        A name and ledgers for each row.
    paths
        Where to write: PNG, SVG, PDF.
    title
        Above all panels.
    share_y
        Whether the panels of a row have one scale.
    """
    attacks = _distinct([ledger.attack for _, ledgers in rows for ledger in ledgers])
    policies = _distinct([ledger.policy for _, ledgers in rows for ledger in ledgers])
    parts = [attacks[i : i + MOST_COLUMNS] for i in range(0, len(attacks), MOST_COLUMNS)] or [[]]
    lines = [(name, ledgers, part) for name, ledgers in rows for part in parts]
    shown, drawn = policies[:MOST_POLICIES], lines[:MOST_LINES]
    columns = min(MOST_COLUMNS, len(attacks))
    with canvas(len(drawn), columns, shown, share_y=share_y) as (figure, axes, styles):
        for line, (name, ledgers, part) in zip(axes, drawn, strict=False):
            for panel, attack in zip(line, part, strict=False):
                head(panel, f"{name}: {attack}")
                here = [one for one in ledgers if one.attack == attack and one.policy in styles]
                _draw_panel(panel, here, styles)
                panel.set_xlabel("round")
            for panel in line[: max(1, len(part))]:
                # Only when all are drawn: setting a limit ends a shared axis' growth.
                panel.set_ylim(bottom=0)
            for panel in line[max(1, len(part)) :]:
                panel.set_axis_off()
            line[0].set_ylabel("cumulative regret")
        left_out = [*_some(shown, policies, "policies"), *_some(drawn, lines, "rows of panels")]
        save(figure, paths, "; ".join([*([title] if title else []), *left_out]))


def draw_budgets(found: Sequence[Sweep], paths: Paths, *, title: str | None = None) -> None:
    """Draw final regret against the attacker's budget, a panel for each sweep.

    Parameters
    ----------
    found
        Sweeps of an experiment, from :func:`robustbandits.reports.curves.sweeps`.
    paths, title
        As for :func:`draw_panels`.
    """
    policies = _distinct(
        [name for sweep in found for panel in sweep.panels.values() for name in panel.groups]
    )
    draw_sweeps(found, policies, paths, _draw_sweep, title=title)


def draw_sweeps(
    found: Sequence[Sweep],
    policies: Sequence[str],
    paths: Paths,
    draw: Callable[[Any, Sweep, dict[str, Style]], None],
    *,
    title: str | None = None,
    share_y: bool = False,
    styles: dict[str, Style] | None = None,
) -> None:
    """Draw sweeps three in a row, each by ``draw(panel, sweep, styles)``, and save the figure."""
    columns = min(3, len(found))
    shown, drawn = policies[:MOST_POLICIES], found[: 3 * MOST_LINES]
    lines = math.ceil(len(drawn) / 3)
    with canvas(lines, columns, shown, share_y=share_y, styles=styles) as (figure, axes, looks):
        panels = list(axes.flat)
        for panel, sweep in zip(panels, drawn, strict=False):
            draw(panel, sweep, looks)
        for panel in panels[len(drawn) :]:
            panel.set_axis_off()
        for line in axes:
            line[0].set_ylabel("final regret")
        left_out = [*_some(shown, policies, "policies"), *_some(drawn, found, "sweeps")]
        save(figure, paths, "; ".join([*([title] if title else []), *left_out]))


def _draw_panel(panel: Any, ledgers: Sequence[Ledger], styles: dict[str, Style]) -> None:
    if not ledgers:
        panel.text(0.5, 0.5, "not played", ha="center", va="center", transform=panel.transAxes)
        panel.tick_params(bottom=False, labelbottom=False, left=False, labelleft=False)
        panel.grid(visible=False)
        return
    policies = _distinct([ledger.policy for ledger in ledgers])
    for policy in policies:
        group = [ledger for ledger in ledgers if ledger.policy == policy]
        chosen = thinned(group[0].rounds, POINTS)
        curves = np.array([ledger.regret[chosen] for ledger in group])
        rounds, mean, half = group[0].rounds[chosen], curves.mean(axis=0), half_width(curves)
        color, dash = styles[policy]
        panel.plot(rounds, mean, color=color, linestyle=dash, linewidth=1.5)
        if len(group) > 1 and len(policies) <= MOST_BANDS:
            panel.fill_between(rounds, mean - half, mean + half, color=color, alpha=0.15, lw=0)
    panel.set_xlim(left=0)
    panel.ticklabel_format(style="sci", scilimits=(-3, 4), axis="both", useMathText=True)


def _draw_sweep(panel: Any, sweep: Sweep, styles: dict[str, Style]) -> None:
    """Draw budgets on an axis that is linear up to the smallest one above 0, then logarithmic."""
    head(panel, f"{sweep.environment}: {sweep.attack}")
    panel.set_xlabel("budget")
    budgets = [budget for budget in sweep.panels if math.isfinite(budget)]
    for policy, (color, dash) in styles.items():
        known = [budget for budget in budgets if policy in sweep.panels[budget].groups]
        finals = [_finals(sweep.panels[budget].groups[policy]) for budget in known]
        if not known:
            continue
        panel.errorbar(
            known,
            [float(values.mean()) for values in finals],
            yerr=np.nan_to_num([float(half_width(values)) for values in finals]),
            color=color,
            linestyle=dash,
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


def _some(part: Sequence[Any], whole: Sequence[Any], what: str) -> list[str]:
    """Return words for what was left out, if anything was."""
    return [f"{len(part)} of {len(whole)} {what}"] if len(part) < len(whole) else []


def _finals(group: Group) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([ledger.final_regret for ledger in group])


def _distinct(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
