"""The page's charts: a figure for each panel and sweep, with a table that says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robustbandits.kernels.linalg import Floats
from robustbandits.reports.curves import Panel, Sweep, panel_chart, sweep_chart
from robustbandits.reports.intervals import half_width
from robustbandits.reports.page.markup import Html, element, join, table
from robustbandits.reports.published import published_regrets

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec

Chart = dict[str, Any]

#: Where along the game the table under a chart looks.
SHARES = (0.1, 0.25, 0.5, 1.0)
#: Policies that a chart's spoken description names.
SPOKEN = 8
#: Length of the games that the paper reports.
PUBLISHED_ROUNDS = 1_000_000


def chart_figures(
    chapter: str,
    spec: Spec,
    found: Sequence[Panel],
    swept: Sequence[Sweep],
    numbers: Mapping[str, int],
    points: int,
) -> tuple[Html, list[Chart]]:
    """Return the figures of an experiment, and the data that the script draws in them."""
    parts: list[Html] = [element("h3", "Regret, round by round")]
    charts: list[Chart] = []
    for number, place in enumerate(dict.fromkeys(panel.environment for panel in found)):
        figures = []
        for panel in (one for one in found if one.environment == place):
            paper = _published(spec, panel)
            chart = panel_chart(panel, numbers, points, paper)
            chart |= {"id": f"{chapter}-chart-{len(charts)}", "group": f"{chapter}-{number}"}
            chart["alt"] = _panel_words(panel)
            charts.append(chart)
            note = _bands(panel) + (", ◀ the paper" if paper else "")
            figures.append(_figure(chart["id"], panel.attack, note, _panel_table(panel)))
        parts += [element("h4", place), element("div", *figures, class_="panels")]
    if swept:
        parts += [element("h3", "Final regret, by budget")]
        parts += [_sweep_figures(chapter, swept, numbers, charts)]
    return join(parts), charts


def _published(spec: Spec, panel: Panel) -> dict[str, float]:
    """Return the paper's own final regrets: of its own figure, at its own length only."""
    if not spec.name.startswith("figure1") or spec.rounds != PUBLISHED_ROUNDS:
        return {}
    place, crook = panel.environment.lower(), panel.attack.lower()
    every = published_regrets()
    keys = {policy: (place, crook, policy) for policy in panel.groups}
    return {policy: every[key] for policy, key in keys.items() if key in every}


def _figure(id: str, name: str, note: str, beneath: Html) -> Html:
    chart = element(
        "div",
        id=id,
        class_="chart",
        tabindex=0,
        role="group",
        aria_label=f"Chart: {name}. Arrow keys read its values.",
    )
    caption = element("figcaption", name, " ", element("span", note, class_="soft"))
    hidden = element("details", element("summary", "The figures in a table"), beneath)
    return element("figure", caption, chart, hidden)


def _bands(panel: Panel) -> str:
    counts = {len(group) for group in panel.groups.values()}
    seeds = f"{min(counts)} to {max(counts)} seeds" if len(counts) > 1 else f"{max(counts)} seeds"
    return "one seed, no bands" if counts == {1} else seeds


def _panel_words(panel: Panel) -> str:
    """Describe a panel for who cannot see it: the policies from best to worst."""
    means = {policy: float(finals.mean()) for policy, finals in panel.finals.items()}
    ranked = sorted(means, key=lambda policy: means[policy])
    named = [f"{policy} {means[policy]:,.0f}" for policy in ranked[:SPOKEN]]
    rest = f"; and {len(ranked) - SPOKEN} more" if len(ranked) > SPOKEN else ""
    return (
        f"Cumulative regret in {panel.environment} under {panel.attack}. "
        f"Mean final regret, lowest first: {'; '.join(named)}{rest}."
    )


def _panel_table(panel: Panel) -> Html:
    rounds = next(iter(panel.groups.values()))[0].rounds
    looks = np.minimum(np.searchsorted(rounds, [s * rounds[-1] for s in SHARES]), len(rounds) - 1)
    heads = ["Policy", "Seeds", *[f"Round {rounds[i]:,}" for i in looks]]
    rows = []
    for policy, group in panel.groups.items():
        values = np.array([ledger.regret[looks] for ledger in group])
        rows.append([policy, len(group), *_with_halves(values)])
    return table(f"Cumulative regret under {panel.attack}, {panel.environment}", heads, rows)


def _with_halves(values: Floats) -> list[str]:
    halves = half_width(values)
    pairs = zip(values.mean(axis=0), halves, strict=True)
    return [number(m) if np.isnan(h) else f"{number(m)} ± {number(h)}" for m, h in pairs]


def number(value: float) -> str:
    """Return a number for reading: few digits, thousands apart."""
    if not np.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 or value == 0 else f"{value:,.3g}"


def _sweep_figures(
    chapter: str, swept: Sequence[Sweep], numbers: Mapping[str, int], charts: list[Chart]
) -> Html:
    figures = []
    for sweep in swept:
        chart = sweep_chart(sweep, numbers)
        name = f"{sweep.attack}, {sweep.environment}"
        chart |= {"id": f"{chapter}-chart-{len(charts)}", "group": f"{chapter}-budgets"}
        chart["alt"] = f"Final regret against the budget of {name}; the table has the figures."
        charts.append(chart)
        figures.append(_figure(chart["id"], name, "mean and 95 %", _sweep_table(sweep)))
    return element("div", *figures, class_="panels")


def _sweep_table(sweep: Sweep) -> Html:
    policies = dict.fromkeys(name for panel in sweep.panels.values() for name in panel.groups)
    rows = []
    for policy in policies:
        finals = [panel.finals.get(policy) for panel in sweep.panels.values()]
        cells = ["–" if one is None else _with_halves(one[:, None])[0] for one in finals]
        rows.append([policy, *cells])
    heads = ["Policy", *[f"Budget {budget:,g}" for budget in sweep.panels]]
    return table(f"Final regret by budget of {sweep.attack}, {sweep.environment}", heads, rows)
