"""The catalogue: what is proved about every policy, and what an experiment measured.

``python -m tools.policy_tables STORE PAGE`` writes it into the marked parts of a
Markdown page: ``proved`` from the policies' own facts; ``measured``, ``panels``, ``budgets``,
``ratios``, ``exploration`` and ``chart`` (a picture beside the page, of its name) from the one
experiment of a store. Without STORE only ``proved`` is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robustbandits._atomic import write_whole
from robustbandits.experiments.registry import kinds
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_means, estimate_statistics
from robustbandits.metrics.excess import excess_by_seed
from robustbandits.metrics.groups import Group, Who, common, final_regrets
from robustbandits.metrics.worst import largest_mean
from robustbandits.reports.ratios import HEAD, draw_chart, sweeps_of, tolerances
from robustbandits.reports.study import Study
from robustbandits.reports.table import Cell, Column, Table
from robustbandits.reports.tables import ENVIRONMENT, INTERVALS, POLICY
from tools.exploration_table import exploration_table
from tools.marked_parts import fill, marks
from tools.origin import origin

if TYPE_CHECKING:
    from robustbandits.experiments.store.load import Experiment
    from robustbandits.metrics.estimate import Estimate

SAME = "Attacks that come to the same in an environment are shown once, under the first's name."
#: Settings, from the most general on.
SETTINGS = ("contextual", "fixed arms", "MAB")
FACTS = {
    "setting": "setting",
    "needs": "must be told",
    "adversary": "proved against",
    "regret": "regret, up to logarithms",
    "cost": "cost of a round",
    "provenance": "specification",
    "reference": "reference",
}


def proved_table() -> Table:
    """Return what each exported policy assumes, and what is proved about it."""
    found = {name: kind.facts for name, kind in kinds("policies").items()}  # type: ignore[attr-defined]
    order = sorted(found, key=lambda name: SETTINGS.index(found[name].setting))
    rows = [
        (name, *[_words(getattr(found[name], key)) or "nothing" for key in FACTS]) for name in order
    ]
    return Table(
        name="proved",
        title=f"What is proved: {len(rows)} policies",
        columns=(POLICY, *[Column(head, "text") for head in FACTS.values()]),
        rows=tuple(rows),
    )


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def measured_table(study: Study) -> Table:
    """Return the worst case of each policy in each environment, and its price without attack."""
    places = list(study.spec.environments)
    policies = [p for p in study.spec.policies if any(who.policy == p for who in study.groups)]
    worst = _worst(study)
    prices = _prices(study)
    where = {policy: _worst_panel(study, policy) for policy in policies}
    rows = [
        (
            policy,
            *[worst.get((place, policy)) for place in places],
            where[policy],
            *[prices.get((place, policy)) for place in places if prices],
        )
        for policy in policies
    ]
    columns = [POLICY, *[Column(f"worst, {place}", "estimate") for place in places]]
    columns += [Column("worst panel", "text")]
    columns += [Column(f"price, {place}", "estimate") for place in places if prices]
    return Table(
        name="measured",
        title=f"Regret after {study.spec.rounds:,} rounds: worst case and price of robustness",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(
            INTERVALS,
            "Worst: the largest mean over the attacks played, the unattacked game among them; a "
            "finite suite gives a lower bound on the true worst case. Price: regret without "
            f"attack, minus {study.reference}'s in the same rounds. A dash: does not play there.",
        ),
    )


def _panels_of(study: Study, policy: str) -> dict[Who, Group]:
    return {who: group for who, group in study.groups.items() if who.policy == policy}


def _worst(study: Study) -> dict[tuple[str, str], Estimate]:
    suites: dict[tuple[str, str], list[Group]] = {}
    for who, group in study.groups.items():
        suites.setdefault((who.environment, who.policy), []).append(group)
    samples = [[final_regrets(group) for group in common(suite)] for suite in suites.values()]
    return dict(zip(suites, estimate_statistics(samples, largest_mean), strict=True))


def _worst_panel(study: Study, policy: str) -> str:
    means = {who: final_regrets(g).mean() for who, g in _panels_of(study, policy).items()}
    worst = max(means, key=lambda who: means[who])
    return f"{worst.environment}, {worst.attack}"


def _prices(study: Study) -> dict[tuple[str, str], Estimate]:
    pairs = {
        (who.environment, who.policy): (group, study.groups.get(_reference(study, who), []))
        for who, group in study.groups.items()
        if who.attack == study.clean and who.policy != study.reference
    }
    pairs = {names: pair for names, pair in pairs.items() if pair[1]}
    found = estimate_means([excess_by_seed(*pair) for pair in pairs.values()])
    return dict(zip(pairs, found, strict=True))


def _reference(study: Study, who: Who) -> Who:
    return who._replace(policy=study.reference or "")


def panel_table(study: Study) -> Table:
    """Return the mean regret of each policy in each panel; the longer side has the rows."""
    found = list(dict.fromkeys((who.environment, who.attack) for who in study.groups))
    policies = [p for p in study.spec.policies if any(who.policy == p for who in study.groups)]
    means = {who: float(final_regrets(group).mean()) for who, group in study.groups.items()}
    grid: list[list[Cell]] = [[means.get(Who(*one, name)) for one in found] for name in policies]
    heads = [f"{place}, {attack}" for place, attack in found]
    first, names, others = "policy", policies, heads
    if len(found) > len(policies):
        grid = [list(column) for column in zip(*grid, strict=True)]
        first, names, others = "panel", heads, policies
    return Table(
        name="panels",
        title="Mean regret in every panel",
        columns=(Column(first, "text"), *[Column(head) for head in others]),
        rows=tuple((name, *line) for name, line in zip(names, grid, strict=True)),
        notes=(f"Means over {len(study.spec.seeds)} seeds.",),
    )


def budget_table(study: Study, experiment: Experiment) -> Table:
    """Return the regret of each policy at each budget of the attacker."""
    policies = dict.fromkeys(study.spec.policies, 1.0)
    return _by_budget(study, experiment, policies, "budget", "Regret against the budget, C")


def ratio_table(study: Study, experiment: Experiment) -> Table:
    """Return the same in units of each policy's own tolerance, where most of them were played."""
    title = "Regret against the budget in units of the tolerance"
    whole = _by_budget(study, experiment, tolerances(study.spec), HEAD, title)
    rows = [row for row in whole.rows if 2 * row.count(None) < len(row) - 3]
    note = "Only ratios at which most of these policies were played."
    return replace(whole, rows=tuple(rows), notes=(*whole.notes, note))


def _by_budget(
    study: Study, experiment: Experiment, units: dict[str, float], head: str, title: str
) -> Table:
    cells: dict[tuple[str, str, float], dict[str, int]] = {}
    samples: list[Floats] = []
    for sweep in sweeps_of(experiment):
        for budget, panel in sweep.panels.items():
            for policy, values in panel.finals.items():
                if policy in units:
                    key = (sweep.environment, sweep.attack, budget / units[policy])
                    cells.setdefault(key, {})[policy] = len(samples)
                    samples.append(values)
    regrets = estimate_means(samples)
    places, order = list(study.spec.environments), list(dict.fromkeys(key[1] for key in cells))
    rows = [
        (*key, *[regrets[line[p]] if p in line else None for p in units])
        for key, line in sorted(
            cells.items(),
            key=lambda item: (places.index(item[0][0]), order.index(item[0][1]), item[0][2]),
        )
    ]
    names = [Column(policy, "estimate") for policy in units]
    return Table(
        name=head.replace(" ", ""),
        title=title,
        columns=(ENVIRONMENT, Column("attack", "text"), Column(head), *names),
        rows=tuple(rows),
        notes=(INTERVALS, SAME),
    )


def parts_of(experiment: Experiment, page: str) -> dict[str, str]:
    """Return the parts that an experiment can fill, each with where its numbers come from."""
    study = Study(experiment)
    makers: dict[str, Callable[[], Table]] = {
        "measured": lambda: measured_table(study),
        "panels": lambda: panel_table(study),
        "budgets": lambda: budget_table(study, experiment),
        "ratios": lambda: ratio_table(study, experiment),
        "exploration": lambda: exploration_table(study),
    }
    tables = {name: make() for name, make in makers.items()}
    made = origin(experiment, page)
    return {name: f"{table.to_markdown()}\n{made}" for name, table in tables.items() if len(table)}


def write_catalogue(page: Path, store: Path | None = None) -> None:
    """Fill the marked parts of a page: from a store's one experiment, and from the facts."""
    text = page.read_text(encoding="utf-8")
    text = fill(text, {"proved": proved_table().to_markdown()})
    if store is not None:
        experiment = only_experiment(store)
        shown = page.name if page.is_absolute() else page.as_posix()
        parts = parts_of(experiment, shown)
        if marks(text).get("chart", "") in (None, experiment.spec.name):
            parts["chart"] = draw_chart(experiment, page.with_suffix(".png"))
        text = fill(text, parts, experiment.spec.name)
    write_whole(page, text.encode())


def only_experiment(store: Path) -> Experiment:
    """Return the experiment of a store that holds one."""
    from robustbandits.experiments.store.store import Store

    found = Store(store).experiments()
    if len(found) != 1:
        names = ", ".join(one.spec.name for one in found) or "none"
        raise ValueError(
            f"the store {store} must hold one experiment, and has {len(found)} ({names}): run each "
            f"into a store of its own"
        )
    return found[0]


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.policy_tables", description=__doc__)
    parser.add_argument("store", type=Path, nargs="?", help="folder with one experiment")
    parser.add_argument("page", type=Path, help="Markdown page with marked parts")
    given = parser.parse_args(arguments)
    try:
        write_catalogue(given.page, given.store)
    except (ValueError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
