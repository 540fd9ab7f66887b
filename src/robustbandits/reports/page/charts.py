"""The data of the page's charts: a few hundred points per curve, few digits per number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.groups import Labels
from robustbandits.metrics.intervals import half_width
from robustbandits.reports.page.page_table import PageTable, readable
from robustbandits.reports.panels import BudgetSweep, Panel, thinned
from robustbandits.reports.ranking import rank
from robustbandits.reports.table import UNKNOWN

#: Largest and smallest number of points of a curve, and the largest of all curves of a page.
MOST_POINTS = 240
FEWEST_POINTS = 40
ALL_POINTS = 60_000
#: Shares of the game at which the table under a chart shows the regret.
SHARES = (0.1, 0.25, 0.5, 1.0)
#: Largest number of policies that the description of a chart names.
MOST_NAMED = 8


class Figure(NamedTuple):
    """A chart with its caption, and a table of its numbers."""

    id: str
    title: str
    note: str
    table: PageTable
    chart: dict[str, Any]  # what the page's script draws


def points_each(curves: int) -> int:
    """Return how many points a curve may have if the page has this many curves."""
    return int(np.clip(ALL_POINTS // max(1, curves), FEWEST_POINTS, MOST_POINTS))


def panel_figure(
    panel: Panel,
    numbers: Mapping[str, int],
    points: int,
    published: Mapping[Labels, float],
    *,
    chart_id: str,
    group: str,
) -> Figure:
    """Return the chart of a panel: mean regret over seeds, and half of the 95 % interval."""
    rounds = next(iter(panel.groups.values()))[0].rounds
    chosen = thinned(rounds, points)
    curves = []
    for policy, games in panel.groups.items():
        values = np.array([ledger.regret[chosen] for ledger in games])
        ends = [ledger.last_attack for ledger in games if ledger.last_attack]
        half = None if len(values) < 2 else [_short(value) for value in half_width(values)]
        curves.append(
            {
                "policy": numbers[policy],
                "y": [_short(value) for value in values.mean(axis=0)],
                "half": half,
                "end": _short(float(np.mean(ends))) if ends else None,
                "published": published.get(Labels(panel.environment, panel.attack, policy)),
            }
        )
    chart = {"kind": "rounds", "x": rounds[chosen].tolist(), "curves": curves}
    chart |= {"id": chart_id, "group": group, "alt": _describe(panel)}
    note = _seeds(panel)
    if any(curve["published"] is not None for curve in curves):
        note += ", ◀ published"
    return Figure(chart_id, panel.attack, note, _panel_table(panel), chart)


def _describe(panel: Panel) -> str:
    """Describe a panel for people who cannot see it: its policies from best to worst."""
    ranked = rank(panel).entries
    named = [f"{entry.policy} {entry.mean:,.0f}" for entry in ranked[:MOST_NAMED]]
    rest = f"; and {len(ranked) - MOST_NAMED} more" if len(ranked) > MOST_NAMED else ""
    return (
        f"Cumulative regret in {panel.environment} under {panel.attack}. "
        f"Mean final regret, lowest first: {'; '.join(named)}{rest}."
    )


def _seeds(panel: Panel) -> str:
    counts = {len(group) for group in panel.groups.values()}
    if counts == {1}:
        return "one seed, no bands"
    return f"{max(counts)} seeds" if len(counts) == 1 else f"{min(counts)} to {max(counts)} seeds"


def _panel_table(panel: Panel) -> PageTable:
    rounds = next(iter(panel.groups.values()))[0].rounds
    chosen = np.searchsorted(rounds, [share * rounds[-1] for share in SHARES])
    chosen = np.minimum(chosen, len(rounds) - 1)
    rows: list[list[str]] = []
    for policy, group in panel.groups.items():
        values = np.array([ledger.regret[chosen] for ledger in group])
        rows.append([policy, str(len(group)), *_with_halves(values)])
    caption = f"Cumulative regret under {panel.attack}, {panel.environment}"
    return PageTable(caption, ["Policy", "Seeds", *[f"Round {rounds[i]:,}" for i in chosen]], rows)


def sweep_figure(
    sweep: BudgetSweep,
    numbers: Mapping[str, int],
    limit: float | None,
    *,
    chart_id: str,
    group: str,
) -> Figure:
    """Return the chart of a sweep: final regret at each budget.

    ``limit`` is the least regret without attack, for each unit of budget, of any policy that
    withstands the attacker; it is drawn as a line. None if it is not known.
    """
    finals = {
        policy: [panel.finals.get(policy) for panel in sweep.panels.values()]
        for policy in sweep.policies
    }
    title = f"{sweep.attack}, {sweep.environment}"
    chart: dict[str, Any] = {
        "kind": "budget",
        "x": [int(budget) if budget.is_integer() else budget for budget in sweep.panels],
        "curves": [_budget_curve(numbers[policy], values) for policy, values in finals.items()],
        "id": chart_id,
        "group": group,
        "alt": f"Final regret against the budget of {title}; the table has the values.",
    }
    limits = [] if limit is None else [budget * limit for budget in sweep.panels]
    if limits:
        chart["limit"] = [_short(value) if math.isfinite(value) else None for value in limits]
    table = PageTable(
        f"Final regret by budget of {title}",
        ["Policy", *[f"Budget {budget:,g}" for budget in sweep.panels]],
        [
            [
                policy,
                *[
                    UNKNOWN if found is None else _with_halves(found[:, None])[0]
                    for found in values
                ],
            ]
            for policy, values in finals.items()
        ]
        + ([["Limit", *map(readable, limits)]] if limits else []),
    )
    note = "mean and 95 %" + ("; dashed: the limit" if limits else "")
    return Figure(chart_id, title, note, table, chart)


def _budget_curve(number: int, finals: list[Floats | None]) -> dict[str, Any]:
    halves = [
        0 if values is None or len(values) < 2 else _short(float(half_width(values)))
        for values in finals
    ]
    several = any(values is not None and len(values) > 1 for values in finals)
    return {
        "policy": number,
        "y": [None if values is None else _short(values.mean()) for values in finals],
        "half": halves if several else None,
    }


def _short(value: float) -> float | int:
    """Round to four digits, which is finer than a pixel."""
    short = float(f"{value:.4g}")
    return int(short) if short.is_integer() else short


def _with_halves(values: Floats) -> list[str]:
    """Return means over seeds with half the width of their intervals, as text."""
    pairs = zip(values.mean(axis=0), half_width(values), strict=True)
    return [
        readable(mean) if np.isnan(half) else f"{readable(mean)} ± {readable(half)}"
        for mean, half in pairs
    ]
