"""Measure prices, budgets withstood and efficiencies of policies, and write them into pages.

``python -m tools.limits_table PAGE...`` fills these parts of the pages, where they exist:
``limits`` (every policy), ``efficiency`` (those of the spec ``table1``), ``bonuses``
(RobustLinUCB), ``lies``, and ``limitchart``, for which it draws ``limits.svg`` next to the first
page. ``make limits`` runs it.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import robustbandits as rb
from robustbandits._atomic import write_whole
from robustbandits.experiments import read_spec
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics import estimate_mean
from robustbandits.reports.table import Column, Table
from tools.lie_table import lie_table
from tools.limits_chart import Point, draw
from tools.marked_parts import fill
from tools.withstood import CATALOGUE, MULTIPLE, Trials, Withstood


class Curve(NamedTuple):
    """A policy with several values of its parameter."""

    template: str  # its name, with braces for the value
    parameter: str
    make: Callable[[float], Policy]
    values: tuple[float, ...]

    @property
    def name(self) -> str:
        """The name in the chart."""
        return self.template.format(self.parameter)

    @property
    def policies(self) -> dict[str, Policy]:
        """The policy with each value, by its name in the table."""
        return {self.template.format(f"{value:g}"): self.make(value) for value in self.values}


_P = rb.policies
CURVES = (
    Curve("CautiousLinUCB({})", "tolerance", _P.CautiousLinUCB, (50, 100, 200, 300, 400)),
    Curve("RobustLinUCB({})", "budget", _P.RobustLinUCB, (10, 25, 50, 100, 200)),
    Curve(
        "RobustLinUCB({}, bonus=l2)",
        "budget",
        lambda budget: _P.RobustLinUCB(budget, bonus="l2"),
        (3, 10, 30, 100),
    ),
    Curve("CWOFUL({})", "budget", lambda budget: _P.CWOFUL(budget=budget), (3, 10, 30)),
    Curve("WeightedOFUL practical({})", "budget", _P.WeightedOFUL.practical, (10, 30, 100)),
    Curve("EnlargedGPUCB practical({})", "budget", _P.EnlargedGPUCB.practical, (10, 30, 100)),
    Curve(
        "SuccessiveElimination practical({})",
        "budget",
        _P.SuccessiveElimination.practical,
        (10, 30, 100),
    ),
)
#: Policies of the spec ``table1`` that are not measured: those for other purposes than robustness,
#: and OracleLinUCB, which is told what the attack spends.
OTHER_PURPOSES = ("OracleLinUCB", "Greedy", "SlidingWindowLinUCB", "BOB", "MaxMinUCB", "MinWD")


def spec_policies() -> dict[str, Policy]:
    """Return the policies of the spec ``table1`` that are measured."""
    policies = read_spec("table1").policies
    return {name: policy for name, policy in policies.items() if policy.name not in OTHER_PURPOSES}


def all_policies() -> dict[str, Policy]:
    """Return the policies of the curves, and those of the spec that are not among them."""
    found = {name: policy for curve in CURVES for name, policy in curve.policies.items()}
    for name, policy in spec_policies().items():
        if policy not in found.values():
            found[name] = policy
    return found


class Limits(NamedTuple):
    """All that was measured."""

    trials: Trials
    unit_prices: Floats  # (seeds,) the least price of a unit of budget
    measured: dict[str, Withstood]

    def limits_table(self) -> Table:
        """Return what each policy pays and withstands, and what its price could buy."""
        title = "What policies pay without attack, what they withstand, what that could buy"
        return self._table("limits", title, list(self.measured), self._notes())

    def bonus_table(self) -> Table:
        """Return the same for RobustLinUCB with different bonuses."""
        names = [name for name in self.measured if name.startswith("RobustLinUCB(")]
        return self._table("bonuses", "The tight and the l2 bonus beside the limit", names, ())

    def _table(self, name: str, title: str, policies: list[str], notes: tuple[str, ...]) -> Table:
        shown = {policy: self.measured[policy] for policy in policies}
        rows = [
            (
                policy,
                estimate_mean(found.regrets),
                found.attacks_withstood,
                round(found.disguise_budget),
                round(found.possible_budget),
                round(found.efficiency, 2),
                found.broken_by or "–",
            )
            for policy, found in shown.items()
            if not math.isnan(found.budget)
        ]
        columns = (
            Column("policy", "text"),
            Column("regret without attack", "estimate"),
            Column("withstands attacks"),
            Column("hijacked in another world by"),
            Column("could withstand"),
            Column("efficiency"),
            Column("broken by", "text"),
        )
        return Table(name, title, columns, tuple(rows), notes)

    def efficiency_table(self) -> Table:
        """Return the efficiency of the policies of the spec, the largest first."""
        recipes = all_policies()
        found = {
            name: next(self.measured[key] for key, recipe in recipes.items() if recipe == policy)
            for name, policy in spec_policies().items()
        }
        rows = [
            (name, round(item.price), round(item.budget, 1), round(item.efficiency, 2))
            for name, item in found.items()
            if not math.isnan(item.budget)
        ]
        rows.sort(key=lambda row: -row[-1])
        columns = (
            Column("policy", "text"),
            Column("regret without attack"),
            Column("withstands"),
            Column("efficiency"),
        )
        return Table("efficiency", "Efficiency", columns, tuple(rows), self._notes())

    def _notes(self) -> tuple[str, ...]:
        trials, prices = self.trials, 100.0 * self.unit_prices
        costly = [name for name, found in self.measured.items() if math.isnan(found.budget)]
        return (
            f"{CATALOGUE.label}: 20 arms with 11 features, {trials.rounds:,} rounds, "
            f"{trials.seeds} seeds, margin 0.02. To withstand 100, any policy pays at least "
            f"{prices.min():,.0f} to {prices.max():,.0f} on these catalogues, "
            f"{prices.mean():,.0f} on average. Playing only the second-best arm costs "
            f"{trials.second_best():,.0f} on average.",
            f"Not shown, because {MULTIPLE:g} times their price is more than the regret of "
            f"choosing arms at random ({trials.uniform_play():,.0f}), so that they have not "
            f"learned in these rounds: {', '.join(costly) or 'none'}.",
        )

    def curves(self) -> dict[str, list[Point]]:
        """Return the curves of the chart; policies without parameter are points."""
        shown = {name: found for name, found in self.measured.items() if found.budget > 0}
        curves: dict[str, list[Point]] = {}
        for curve in CURVES:
            points = zip(curve.policies, curve.values, strict=True)
            curves[curve.name] = [
                Point(shown[name].budget, shown[name].price, f"{value:g}")
                for name, value in points
                if name in shown
            ]
        on_curves = {name for curve in CURVES for name in curve.policies}
        for name, found in shown.items():
            if name not in on_curves:
                curves[name] = [Point(found.budget, found.price)]
        return curves


def measure(policies: Mapping[str, Policy], trials: Trials) -> Limits:
    """Measure policies, one after the other."""
    prices = trials.unit_prices()
    measured = {}
    for name, policy in policies.items():
        measured[name] = found = trials.measure(policy, float(prices.mean()))
        print(f"{name}: pays {found.price:,.0f}, withstands {found.budget:g}", file=sys.stderr)
    return Limits(trials, prices, measured)


def write(limits: Limits, pages: list[Path]) -> None:
    """Fill the parts of the pages, and draw the chart next to the first."""
    chart = pages[0].with_name("limits.svg")
    draw(limits.curves(), float(limits.unit_prices.mean()), chart)
    tables = (
        limits.limits_table(),
        limits.efficiency_table(),
        limits.bonus_table(),
        lie_table(limits.trials.rounds),
    )
    parts = {table.name: table.to_markdown() for table in tables}
    parts["limitchart"] = f"![Regret without attack against the budget withstood]({chart.name})"
    for page in pages:
        write_whole(page, fill(page.read_text(encoding="utf-8"), parts).encode())


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.limits_table", description=__doc__)
    parser.add_argument("pages", type=Path, nargs="+", help="Markdown pages with marked parts")
    pages = parser.parse_args(arguments).pages
    write(measure(all_policies(), Trials()), pages)


if __name__ == "__main__":
    main()
