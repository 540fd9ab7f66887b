"""Write the largest regret over attacks into a Markdown page, by setting or by sigma.

``python -m tools.worst_tables PAGE STORE...`` fills three parts of the page from the experiments of
the stores, which may have different numbers of rounds:

- ``settings``: a row for each environment, horizon and budget of the attacker, and a column for
  each policy;
- ``best``: the same rows, with the policies that have the smallest regret;
- ``sigmas``: a row for each environment, horizon, budget and policy, and a column for each value of
  sigma.

Each number is a mean regret over seeds: that under the worst attack with that budget. A budget of 0
stands for no attack.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from robustbandits._atomic import write_whole
from robustbandits.experiments import Experiment
from robustbandits.metrics.groups import final_regrets
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.table import Cell, Column, Table
from tools.marked_parts import fill
from tools.policy_tables import only_experiment
from tools.provenance_note import provenance_note

NOTE = (
    "Mean regret under the attack with the largest mean of those with the budget C; C = 0 is no "
    "attack. Small differences may be chance."
)
#: How many policies the table of the best ones shows.
RANKS = ("smallest", "second", "third", "fourth")
HEADS = (Column("environment", "text"), Column("T"), Column("C"))


class Setting(NamedTuple):
    """A row of the tables."""

    environment: str
    rounds: int
    budget: float


def worst_means(experiment: Experiment) -> dict[Setting, dict[str, float]]:
    """Return the largest mean regret over the attacks of each budget, by setting and policy."""
    games = GroupedGames(experiment)
    spec = experiment.spec
    found: dict[Setting, dict[str, float]] = {}
    for labels, group in games.groups.items():
        budget = float(spec.attacks[labels.attack].budget)
        row = found.setdefault(Setting(labels.environment, spec.rounds, budget), {})
        mean = float(final_regrets(group).mean())
        row[labels.policy] = max(mean, row.get(labels.policy, 0.0))
    return found


def settings_table(experiments: list[Experiment]) -> Table:
    """Return a row for each setting and a column for each policy."""
    labels = (label for experiment in experiments for label in experiment.spec.policies)
    policies = list(dict.fromkeys(labels))
    rows = [
        (*setting, *[_rounded(means.get(policy)) for policy in policies])
        for setting, means in _sorted(experiments)
    ]
    columns = (*HEADS, *[Column(policy) for policy in policies])
    return Table("settings", "Regret in every setting", columns, tuple(rows), (NOTE,))


def best_table(experiments: list[Experiment]) -> Table:
    """Return the policies with the smallest regret in each setting."""
    rows: list[tuple[Cell, ...]] = []
    for setting, means in _sorted(experiments):
        ranked = sorted(means, key=lambda policy: means[policy])[: len(RANKS)]
        cells = [f"{policy}: {means[policy]:,.0f}" for policy in ranked]
        rows.append((*setting, *cells, *[None] * (len(RANKS) - len(cells))))
    columns = (*HEADS, *[Column(rank, "text") for rank in RANKS])
    return Table("best", "The smallest regrets", columns, tuple(rows), (NOTE,))


def sigma_table(experiments: list[Experiment]) -> Table:
    """Return a row for each setting and policy, and a column for each sigma."""
    recipes: dict[str, Any] = {
        label: recipe
        for experiment in experiments
        for label, recipe in experiment.spec.policies.items()
    }
    recipes = {policy: recipe for policy, recipe in recipes.items() if hasattr(recipe, "sigma")}
    sigmas = sorted({recipe.sigma for recipe in recipes.values()})
    rows: list[tuple[Cell, ...]] = []
    for setting, means in _sorted(experiments):
        by_name: dict[str, dict[float, float]] = {}
        for policy, recipe in recipes.items():
            if policy in means:
                by_name.setdefault(recipe.name, {})[recipe.sigma] = means[policy]
        for name, row in by_name.items():
            best = min(row, key=lambda sigma: row[sigma])
            numbers = [_rounded(row.get(sigma)) for sigma in sigmas]
            rows.append((*setting, name, *numbers, f"{best:g}"))
    heads = [Column(f"σ = {sigma:g}") for sigma in sigmas]
    columns = (*HEADS, Column("policy", "text"), *heads, Column("best σ"))
    return Table("sigmas", "Regret by sigma", columns, tuple(rows), (NOTE,))


def _sorted(experiments: list[Experiment]) -> list[tuple[Setting, dict[str, float]]]:
    """Return all settings: by environment in the order of the first spec, horizon and budget."""
    found = {k: v for experiment in experiments for k, v in worst_means(experiment).items()}
    labels = (label for experiment in experiments for label in experiment.spec.environments)
    order = list(dict.fromkeys(labels))
    return sorted(found.items(), key=lambda item: (order.index(item[0][0]), *item[0][1:]))


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def write_tables(page: Path, stores: list[Path]) -> None:
    """Fill the parts of a page."""
    experiments = [only_experiment(store) for store in stores]
    shown = page.name if page.is_absolute() else page.as_posix()
    source = "\n".join(provenance_note(experiment, shown) for experiment in experiments)
    source = source.replace(f"policy_tables STORE {shown}", f"worst_tables {shown} STORE...")
    parts = {
        table.name: f"{table.to_markdown()}\n{source}"
        for table in (make(experiments) for make in (settings_table, best_table, sigma_table))
    }
    write_whole(page, fill(page.read_text(encoding="utf-8"), parts).encode())


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.worst_tables", description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown page with marked parts")
    parser.add_argument("stores", type=Path, nargs="+", help="folders with one experiment each")
    options = parser.parse_args(arguments)
    try:
        write_tables(options.page, options.stores)
    except (ValueError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
