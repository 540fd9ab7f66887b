"""A figure of regret against the attacker's budget, in units of each policy's tolerance."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robustbandits.experiments.spec import Spec
from robustbandits.metrics import estimate_means
from robustbandits.reports.figures import Paths, draw_sweeps, set_title
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.panels import BudgetSweep
from robustbandits.reports.styles import Style, styles_of

HEAD = "C / tolerance"
#: The axis is linear up to the first tick after 0, then logarithmic.
TICKS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def tolerances(spec: Spec) -> dict[str, float]:
    """Return the tolerance of each policy that has one above 0."""
    found = {label: getattr(policy, "tolerance", 0.0) for label, policy in spec.policies.items()}
    return {label: tolerance for label, tolerance in found.items() if tolerance > 0.0}


def different_sweeps(games: GroupedGames) -> list[BudgetSweep]:
    """Return sweeps without those that repeat an earlier sweep of their environment.

    With two arms, for example, attacks on the best arm and on the top half are the same.
    """
    sweeps: dict[tuple[object, ...], BudgetSweep] = {}
    for sweep in games.sweeps:
        results = [
            (budget, policy, tuple(values))
            for budget, panel in sweep.panels.items()
            for policy, values in panel.finals.items()
        ]
        sweeps.setdefault((sweep.environment, *results), sweep)
    return list(sweeps.values())


def draw_chart(games: GroupedGames, path: Path) -> str:
    """Draw regret against the budget in units of the tolerance; return Markdown that shows it."""
    spec = games.spec
    title = f"T = {spec.rounds:,}, {len(spec.seeds)} seeds, bands 95 %"
    units = tolerances(spec)
    reference = games.reference_policy
    draw_ratios(different_sweeps(games), units, [path], reference=reference, title=title)
    listed = ", ".join(f"{unit:g}" for unit in units.values())
    return f"![Regret against {HEAD}, for tolerances of {listed}]({path.name})"


def draw_ratios(
    sweeps: Sequence[BudgetSweep],
    units: Mapping[str, float],
    paths: Paths,
    *,
    reference: str | None = None,
    title: str | None = None,
) -> None:
    """Draw final regret against budget / tolerance: a panel for each sweep, a line for each policy.

    Lines are means over seeds, bands 95 % bootstrap intervals, as in the tables. Both axes are
    logarithmic, except that the axis of ratios starts at 0.

    Parameters
    ----------
    sweeps
        Sweeps of an experiment.
    units
        The policies to draw, and the tolerance of each.
    paths, title
        As for :func:`robustbandits.reports.figures.draw_panels`.
    reference
        A policy without tolerance. Horizontal lines show it without attack and with the largest
        budget.
    """

    def draw(panel: Any, sweep: BudgetSweep, styles: dict[str, Style]) -> None:
        set_title(panel, f"{sweep.environment}: {sweep.attack}")
        panel.title.set_fontsize("medium")  # so that titles fit with three panels in a row
        if reference is not None:
            _draw_levels(panel, sweep, reference)
        for policy, unit in units.items():
            _draw_line(panel, sweep, policy, unit, styles[policy])
        _set_axes(panel)

    styles = ramp(sorted(units, key=lambda policy: units[policy]))
    draw_sweeps(sweeps, list(units), paths, draw, title=title, share_y=True, styles=styles)


def ramp(policies: Sequence[str]) -> dict[str, Style]:
    """Return styles from light to dark, for policies in ascending order of a parameter."""
    styles = {}
    for k, policy in enumerate(policies):
        # From green to violet as well: shades of one hue are hard to tell apart.
        share = k / max(1, len(policies) - 1)
        color = _color(0.46 + 0.4 * share, 0.42 - 0.08 * share)
        styles[policy] = Style(color, color)
    return styles


def _color(hue: float, light: float) -> str:
    shade = colorsys.hls_to_rgb(hue, light, 0.75)
    return "#" + "".join(f"{round(255 * part):02x}" for part in shade)


def _draw_line(panel: Any, sweep: BudgetSweep, policy: str, unit: float, style: Style) -> None:
    played = {
        budget / unit: games.finals[policy]
        for budget, games in sweep.panels.items()
        if policy in games.groups
    }
    regrets = estimate_means(list(played.values()))
    ratios, means = list(played), [regret.value for regret in regrets]
    panel.plot(ratios, means, color=style.color, linewidth=1.5, marker="o", markersize=3)
    low, high = [regret.low for regret in regrets], [regret.high for regret in regrets]
    panel.fill_between(ratios, low, high, color=style.color, alpha=0.15, lw=0)


def _draw_levels(panel: Any, sweep: BudgetSweep, policy: str) -> None:
    """Draw the regret of a policy with the smallest and with the largest budget."""
    color = styles_of([policy])[policy].color
    budgets = [budget for budget, games in sweep.panels.items() if policy in games.groups]
    if not budgets:
        return
    # Put the labels outside the two lines, where no curves are drawn.
    sides = ((min(budgets), ":", -2, "top"), (max(budgets), "--", 2, "bottom"))
    for budget, dash, offset, side in sides:
        level = float(sweep.panels[budget].finals[policy].mean())
        panel.axhline(level, color=color, linestyle=dash, linewidth=1.0)
        panel.annotate(
            f"{policy}, C = {budget:g}",
            (0.02, level),
            xycoords=("axes fraction", "data"),
            xytext=(0, offset),
            textcoords="offset points",
            va=side,
            fontsize=7,
            color=color,
            parse_math=False,
        )


def _set_axes(panel: Any) -> None:
    panel.axvline(1.0, color="0.6", linewidth=0.8)
    panel.set_xscale("symlog", base=2, linthresh=TICKS[1], linscale=0.7)
    panel.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    panel.set_xticks([], minor=True)
    panel.set_xlim(left=0)
    panel.set_xlabel(HEAD)
    panel.set_yscale("log")
    panel.margins(y=0.12)
    panel.yaxis.set_major_formatter("{x:,.0f}")
