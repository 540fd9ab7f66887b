"""Regret against the attacker's budget in units of a policy's tolerance, as a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robustbandits.metrics.bootstrap import estimate_means
from robustbandits.reports.canvas import head
from robustbandits.reports.curves import distinct, panels, sweeps
from robustbandits.reports.figures import Paths, draw_sweeps
from robustbandits.reports.study import Study
from robustbandits.reports.styles import Style, ramp, styles_of

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec
    from robustbandits.experiments.store.load import Experiment
    from robustbandits.reports.curves import Sweep

HEAD = "C / tolerance"
#: The axis is linear up to the first tick after 0, then logarithmic.
TICKS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def tolerances(spec: Spec) -> dict[str, float]:
    """Return the tolerance of each policy that has one above 0."""
    found = {name: getattr(one, "tolerance", 0.0) for name, one in spec.policies.items()}
    return {name: unit for name, unit in found.items() if unit > 0.0}


def sweeps_of(experiment: Experiment) -> list[Sweep]:
    """Return what was played with several budgets, each once."""
    return distinct(sweeps(experiment.spec, panels(experiment.spec, experiment.ledgers)))


def draw_chart(experiment: Experiment, path: Path) -> str:
    """Draw regret against the budget in units of the tolerance; return Markdown that shows it."""
    spec = experiment.spec
    title = f"T = {spec.rounds:,}, {len(spec.seeds)} seeds, bands 95 %"
    reference = Study(experiment, gaps={}).reference
    units = tolerances(spec)
    draw_ratios(sweeps_of(experiment), units, [path], reference=reference, title=title)
    return f"![Regret against {HEAD}: {', '.join(units)}]({path.name})"


def draw_ratios(
    found: Sequence[Sweep],
    units: Mapping[str, float],
    paths: Paths,
    *,
    reference: str | None = None,
    title: str | None = None,
) -> None:
    """Draw final regret against budget / tolerance, a panel for each sweep, a line for each unit.

    Lines are means over seeds, bands 95 % bootstrap intervals, as in the tables. Both axes are
    logarithmic; the one of ratios begins with 0.

    Parameters
    ----------
    found
        Sweeps of an experiment, from :func:`robustbandits.reports.curves.sweeps`.
    units
        The policies to draw, and the tolerance of each.
    paths, title
        As for :func:`robustbandits.reports.figures.draw_panels`.
    reference
        A policy without tolerance: level lines show it without attack, and with the largest budget.
    """

    def draw(panel: Any, sweep: Sweep, styles: dict[str, Style]) -> None:
        head(panel, f"{sweep.environment}: {sweep.attack}")
        panel.title.set_fontsize("medium")  # three panels in a row have no room for more
        if reference is not None:
            _draw_levels(panel, sweep, reference)
        for policy, unit in units.items():
            _draw_line(panel, sweep, policy, unit, styles[policy])
        _set_axes(panel)

    looks = ramp(sorted(units, key=lambda policy: units[policy]))
    draw_sweeps(found, list(units), paths, draw, title=title, share_y=True, styles=looks)


def _draw_line(panel: Any, sweep: Sweep, policy: str, unit: float, style: Style) -> None:
    finals = {budget / unit: one.finals.get(policy) for budget, one in sweep.panels.items()}
    known = {ratio: values for ratio, values in finals.items() if values is not None}
    regrets = estimate_means(list(known.values()))
    means = [one.value for one in regrets]
    panel.plot(list(known), means, color=style.color, linewidth=1.5, marker="o", markersize=3)
    low, high = [one.low for one in regrets], [one.high for one in regrets]
    panel.fill_between(list(known), low, high, color=style.color, alpha=0.15, lw=0)


def _draw_levels(panel: Any, sweep: Sweep, policy: str) -> None:
    """Draw how a policy fares without attack and with the largest budget: what is at stake."""
    color = styles_of([policy])[policy].color
    budgets = [budget for budget, one in sweep.panels.items() if policy in one.groups]
    if not budgets:
        return
    # Names stand outside the two lines, where the curves are not.
    sides = ((min(budgets), ":", -2, "top"), (max(budgets), "--", 2, "bottom"))
    for budget, dash, away, side in sides:
        level = float(sweep.panels[budget].finals[policy].mean())
        panel.axhline(level, color=color, linestyle=dash, linewidth=1.0)
        panel.annotate(
            f"{policy}, C = {budget:g}",
            (0.02, level),
            xycoords=("axes fraction", "data"),
            xytext=(0, away),
            textcoords="offset points",
            va=side,
            fontsize=7,
            color=color,
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
