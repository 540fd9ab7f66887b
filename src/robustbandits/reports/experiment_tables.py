"""The tables of an experiment's report."""

from __future__ import annotations

from robustbandits.metrics import Estimate, budget_curve
from robustbandits.metrics.damage import worst_cases
from robustbandits.metrics.groups import Group, final_regrets
from robustbandits.metrics.intervals import estimate_means
from robustbandits.metrics.registry import DAMAGE, PRICE, REGRET
from robustbandits.reports.audit_table import audit_table
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.metric_columns import (
    ATTACK,
    ENVIRONMENT,
    INTERVALS,
    POLICY,
    explain,
    intervals_note,
    label_columns,
    metric_columns,
)
from robustbandits.reports.table import Cell, Column, Table


def make_tables(games: GroupedGames) -> list[Table]:
    """Return all tables of an experiment that have rows."""
    tables = [
        regret_table(games),
        excess_table(games),
        price_table(games),
        worst_table(games),
        budget_table(games),
        budget_damage_table(games),
        audit_table(games),
    ]
    return [table for table in tables if len(table)]


def regret_table(games: GroupedGames) -> Table:
    """Return the regret of every group. Of all tables, only this one warns of few seeds."""
    labels = list(games.groups)
    seeds: list[Cell] = [len(group) for group in games.groups.values()]
    cases = [(group,) for group in games.groups.values()]
    gaps = [games.gaps.get(row.environment) for row in labels]
    columns = metric_columns(REGRET, cases, gaps)
    return Table.from_columns(
        REGRET,
        f"Final regret after {games.spec.rounds:,} rounds",
        label_columns(labels) | {Column("seeds"): seeds} | columns,
        (intervals_note(games.groups.values()), explain(REGRET, columns)),
    )


def excess_table(games: GroupedGames) -> Table:
    """Return what each attack costs each policy."""
    pairs = {row: (group, games.without_attack(row)) for row, group in games.attacked().items()}
    pairs = {row: pair for row, pair in pairs.items() if pair[1]}
    gaps = [games.gaps.get(row.environment) for row in pairs]
    columns = metric_columns(DAMAGE, list(pairs.values()), gaps)
    return Table.from_columns(
        DAMAGE,
        "Excess regret: with attack minus without, paired by seed",
        label_columns(list(pairs)) | columns,
        (INTERVALS, explain(DAMAGE, columns)),
    )


def price_table(games: GroupedGames) -> Table:
    """Return what each policy costs without attack, compared with the reference policy."""
    pairs = games.priced()
    means: list[list[Cell]] = [
        [float(final_regrets(pair[side]).mean()) for pair in pairs.values()] for side in (0, 1)
    ]
    columns = label_columns(list(pairs))
    del columns[ATTACK]
    columns |= {Column("regret"): means[0], Column("reference regret"): means[1]}
    gaps = [games.gaps.get(row.environment) for row in pairs]
    return Table.from_columns(
        PRICE,
        f"Price of robustness: regret without attack, minus {games.reference_policy}'s",
        columns | metric_columns(PRICE, list(pairs.values()), gaps),
        (INTERVALS,),
    )


def worst_table(games: GroupedGames) -> Table:
    """Return the worst attack for each policy."""
    suites: dict[tuple[str, str], dict[str, Group]] = {}
    for labels, group in games.attacked().items():
        suites.setdefault((labels.environment, labels.policy), {})[labels.attack] = group
    suites = {names: suite for names, suite in suites.items() if len(suite) > 1}
    cases = zip(suites, worst_cases(list(suites.values())), strict=True)
    return Table(
        name="worst-case",
        title="Worst case over the attacks played",
        columns=(ENVIRONMENT, POLICY, Column("worst attack", "text"), Column("regret", "estimate")),
        rows=tuple((*names, worst.attack, worst.regret) for names, worst in cases if worst.attack),
        notes=(INTERVALS, "A finite suite gives a lower bound on the true worst case."),
    )


def budget_table(games: GroupedGames) -> Table:
    """Return the regret at each budget of a sweep."""
    found = [
        ((sweep.environment, sweep.attack, policy, budget), values)
        for sweep in games.sweeps
        for budget, panel in sweep.panels.items()
        for policy, values in panel.finals.items()
    ]
    regrets = estimate_means([values for _, values in found])
    return Table(
        name="budget-curve",
        title="Final regret against the attacker's budget",
        columns=(ENVIRONMENT, ATTACK, POLICY, Column("budget"), Column("regret", "estimate")),
        rows=tuple((*row, regret) for (row, _), regret in zip(found, regrets, strict=True)),
        notes=(INTERVALS,),
    )


def budget_damage_table(games: GroupedGames) -> Table:
    """Return how the regret of each policy grows with the budget of each sweep."""
    rows = []
    for sweep in games.sweeps:
        gap = games.gaps.get(sweep.environment)
        for policy in games.spec.policies:
            by_budget = {
                budget: panel.groups[policy]
                for budget, panel in sweep.panels.items()
                if policy in panel.groups
            }
            if 0.0 not in by_budget or len(by_budget) < 2:
                continue
            curve = budget_curve(by_budget)
            share = Estimate(*(end / gap for end in curve.area)) if gap else None
            rows.append(
                (sweep.environment, sweep.attack, policy, curve.exponent, curve.area, share)
            )
    notes = [
        INTERVALS,
        "Exponent: p in excess ~ budget^p over the rising part. Area: the mean excess regret per "
        "round over the budgets.",
    ]
    if games.gaps:
        notes.append(
            "Area / uniform play: the area divided by the regret per round of uniform play "
            "(uniform play has 1)."
        )
    return Table(
        name="budget-damage",
        title="How regret grows with the attacker's budget",
        columns=(
            ENVIRONMENT,
            ATTACK,
            POLICY,
            Column("exponent"),
            Column("area", "estimate"),
            Column("area / uniform play", "estimate"),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )
