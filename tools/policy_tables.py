"""Fill the marked parts of a Markdown page with tables of what an experiment measured.

``python -m tools.policy_tables STORE PAGE`` reads the only experiment of the store. It can fill the
parts ``measured``, ``panels``, ``budgets``, ``ratios``, ``exploration``, ``growth`` and ``chart``
(a figure in a file next to the page). ``make tables`` fills the other parts.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from robustbandits._atomic import write_whole
from robustbandits.experiments import Experiment, Store
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics import Estimate, estimate_means
from robustbandits.metrics.damage import paired_differences, worst_cases
from robustbandits.metrics.groups import Group, Labels, final_regrets
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.metric_columns import ATTACK, ENVIRONMENT, POLICY, intervals_note
from robustbandits.reports.table import Cell, Column, Table
from tools.exploration_table import exploration_table
from tools.growth_table import growth_table
from tools.marked_parts import fill, marks
from tools.provenance_note import provenance_note
from tools.ratio_figure import HEAD, different_sweeps, draw_chart, tolerances

SAME = "Attacks with the same results in an environment are shown once, under the first name."


def measured_table(games: GroupedGames) -> Table:
    """Return the worst case of each policy in each environment, and its price without attack."""
    environments = list(games.spec.environments)
    policies = _played(games)
    worst, prices = _worst(games), _prices(games)
    rows = [
        (
            policy,
            *[worst.get((environment, policy)) for environment in environments],
            _worst_panel(games, policy),
            *[prices.get((environment, policy)) for environment in environments if prices],
        )
        for policy in policies
    ]
    columns = [POLICY, *[Column(f"worst, {label}", "estimate") for label in environments]]
    columns += [Column("worst panel", "text")]
    columns += [Column(f"price, {label}", "estimate") for label in environments if prices]
    return Table(
        name="measured",
        title=f"Regret after {games.spec.rounds:,} rounds: worst case and price of robustness",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(
            intervals_note(games.groups.values()),
            "Worst: the largest mean over the attacks of this experiment and no attack. Other "
            "attacks may do more harm. Price: regret without attack, minus "
            f"{games.reference_policy}'s in the same rounds. A dash means that the policy does not "
            "play there.",
        ),
    )


def _played(games: GroupedGames) -> list[str]:
    """Return the policies that have games."""
    played = {labels.policy for labels in games.groups}
    return [policy for policy in games.spec.policies if policy in played]


def _worst(games: GroupedGames) -> dict[tuple[str, str], Estimate]:
    suites: dict[tuple[str, str], dict[str, Group]] = {}
    for labels, group in games.groups.items():
        suites.setdefault((labels.environment, labels.policy), {})[labels.attack] = group
    cases = zip(suites, worst_cases(list(suites.values())), strict=True)
    return {names: worst.regret for names, worst in cases}


def _worst_panel(games: GroupedGames, policy: str) -> str:
    means = {
        labels: final_regrets(group).mean()
        for labels, group in games.groups.items()
        if labels.policy == policy
    }
    worst = max(means, key=lambda labels: means[labels])
    return f"{worst.environment}, {worst.attack}"


def _prices(games: GroupedGames) -> dict[tuple[str, str], Estimate]:
    pairs = games.priced()
    prices = estimate_means([paired_differences(*pair) for pair in pairs.values()])
    return {
        (labels.environment, labels.policy): price
        for labels, price in zip(pairs, prices, strict=True)
    }


def panel_table(games: GroupedGames) -> Table:
    """Return the mean regret of each policy in each panel; the longer side has the rows."""
    panels, policies = games.panels, _played(games)
    means = {labels: float(final_regrets(group).mean()) for labels, group in games.groups.items()}
    grid: list[list[Cell]] = [
        [means.get(Labels(panel.environment, panel.attack, policy)) for panel in panels]
        for policy in policies
    ]
    heads = [f"{panel.environment}, {panel.attack}" for panel in panels]
    seeds = sorted({len(group) for group in games.groups.values()})
    first, names, others = "policy", policies, heads
    if len(panels) > len(policies):
        grid = [list(column) for column in zip(*grid, strict=True)]
        first, names, others = "panel", heads, policies
    return Table(
        name="panels",
        title="Mean regret in every panel",
        columns=(Column(first, "text"), *[Column(head) for head in others]),
        rows=tuple((name, *line) for name, line in zip(names, grid, strict=True)),
        notes=(f"Means over {' or '.join(map(str, seeds))} seeds.",),
    )


def budget_table(games: GroupedGames) -> Table:
    """Return the regret of each policy at each budget of the attacker."""
    units = dict.fromkeys(games.spec.policies, 1.0)
    return _by_budget(games, units, "budget", "Regret against the budget, C")


def ratio_table(games: GroupedGames) -> Table:
    """Return the regret of each policy against the budget in units of the policy's tolerance."""
    title = "Regret against the budget in units of the tolerance"
    whole = _by_budget(games, tolerances(games.spec), HEAD, title)
    rows = [row for row in whole.rows if 2 * row.count(None) < len(row) - 3]
    note = "Only ratios at which most of these policies were played."
    return replace(whole, rows=tuple(rows), notes=(*whole.notes, note))


def _by_budget(games: GroupedGames, units: dict[str, float], head: str, title: str) -> Table:
    """Return regret by environment, attack and budget, where budgets are divided by a unit."""
    cells: dict[tuple[str, str, float], dict[str, int]] = {}
    samples: list[Floats] = []
    for sweep in different_sweeps(games):
        for budget, panel in sweep.panels.items():
            for policy, values in panel.finals.items():
                if policy in units:
                    key = (sweep.environment, sweep.attack, budget / units[policy])
                    cells.setdefault(key, {})[policy] = len(samples)
                    samples.append(values)
    regrets = estimate_means(samples)
    environments = list(games.spec.environments)
    attacks = list(dict.fromkeys(attack for _, attack, _ in cells))
    order = sorted(
        cells, key=lambda key: (environments.index(key[0]), attacks.index(key[1]), key[2])
    )
    rows = [
        (*key, *[regrets[cells[key][p]] if p in cells[key] else None for p in units])
        for key in order
    ]
    names = [Column(policy, "estimate") for policy in units]
    return Table(
        name=head.replace(" ", ""),
        title=title,
        columns=(ENVIRONMENT, ATTACK, Column(head), *names),
        rows=tuple(rows),
        notes=(intervals_note(games.groups.values()), SAME),
    )


def parts_of(experiment: Experiment, page: str) -> dict[str, str]:
    """Return the parts that an experiment can fill, each with the origin of its numbers."""
    games = GroupedGames(experiment)
    tables = {
        "measured": measured_table(games),
        "panels": panel_table(games),
        "budgets": budget_table(games),
        "ratios": ratio_table(games),
        "exploration": exploration_table(games),
        "growth": growth_table(games),
    }
    text = provenance_note(experiment, page)
    return {name: f"{table.to_markdown()}\n{text}" for name, table in tables.items() if len(table)}


def write_tables(page: Path, store: Path) -> None:
    """Fill the marked parts of a page from a store's experiment."""
    text = page.read_text(encoding="utf-8")
    experiment = only_experiment(store)
    shown = page.name if page.is_absolute() else page.as_posix()
    parts = parts_of(experiment, shown)
    if marks(text).get("chart", "") in (None, experiment.spec.name):
        parts["chart"] = draw_chart(GroupedGames(experiment), page.with_suffix(".png"))
    write_whole(page, fill(text, parts, experiment.spec.name).encode())


def only_experiment(store: Path) -> Experiment:
    """Return the experiment of a store that has one."""
    found = Store(store).experiments()
    if len(found) != 1:
        names = ", ".join(experiment.spec.name for experiment in found) or "none"
        raise ValueError(
            f"expected one experiment in the store {store}, got {len(found)} ({names}); run each "
            f"into a store of its own"
        )
    return found[0]


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.policy_tables", description=__doc__)
    parser.add_argument("store", type=Path, help="folder with one experiment")
    parser.add_argument("page", type=Path, help="Markdown page with marked parts")
    options = parser.parse_args(arguments)
    try:
        write_tables(options.page, options.store)
    except (ValueError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
