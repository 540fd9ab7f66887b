"""The tables of an experiment's report."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import TYPE_CHECKING

from robustbandits.metrics import Estimate, budget_curve
from robustbandits.metrics.amplify import ratio_of_means, spent_by_seed
from robustbandits.metrics.area import areas_by_seed
from robustbandits.metrics.bootstrap import estimate_means, estimate_statistics
from robustbandits.metrics.excess import excess_by_seed
from robustbandits.metrics.groups import Group, common, final_regrets
from robustbandits.metrics.late import late_rates_by_seed
from robustbandits.metrics.residual import residual_by_seed
from robustbandits.metrics.tail import mean_of_worst
from robustbandits.metrics.worst import largest_mean
from robustbandits.reports.audit import audit_table
from robustbandits.reports.curves import Sweep, panels, sweeps
from robustbandits.reports.study import Study
from robustbandits.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from robustbandits.experiments.store.load import Experiment

ENVIRONMENT, ATTACK, POLICY = (Column(head, "text") for head in ("environment", "attack", "policy"))
#: Fewer seeds say nothing about the spread of the worst tenth of them.
TAIL_SEEDS = 20

INTERVALS = (
    "Brackets: 95 % bootstrap intervals over seeds, paired; with two or three seeds they are not "
    "worth much."
)


def make_tables(experiment: Experiment, gaps: Mapping[str, float] | None = None) -> list[Table]:
    """Return all tables of an experiment that have rows.

    Parameters
    ----------
    experiment
        A spec and its ledgers; it may be unfinished.
    gaps
        Regret per round of random play, by environment; measured where possible by default.
    """
    study = Study(experiment, gaps)
    found = sweeps(study.spec, panels(study.spec, experiment.ledgers))
    tables = [
        final_table(study),
        excess_table(study),
        price_table(study),
        worst_table(study),
        budget_table(found),
        sweep_table(study, found),
        audit_table(study),
    ]
    return [table for table in tables if len(table)]


def final_table(study: Study) -> Table:
    """Return the final regret of every group, its tail, area and late rate."""
    groups = study.groups
    finals = [final_regrets(group) for group in groups.values()]
    regrets = estimate_means(finals)
    tails = [
        one if len(values) >= TAIL_SEEDS else Estimate(one.value, nan, nan)
        for one, values in zip(
            estimate_statistics([[values] for values in finals], mean_of_worst), finals, strict=True
        )
    ]
    areas = [float(areas_by_seed(group).mean()) for group in groups.values()]
    lates = [float(late_rates_by_seed(group).mean()) for group in groups.values()]
    rows = []
    for i, (who, group) in enumerate(groups.items()):
        gap = study.gaps.get(who.environment)
        share = areas[i] / gap if gap else None
        rows.append((*who, len(group), regrets[i], tails[i], areas[i], share, lates[i]))
    return Table(
        name="final-regret",
        title=f"Final regret after {study.spec.rounds:,} rounds",
        columns=(
            ENVIRONMENT,
            ATTACK,
            POLICY,
            Column("seeds"),
            Column("regret", "estimate"),
            Column("worst tenth", "estimate"),
            Column("area"),
            Column("area of random play"),
            Column("late rate"),
        ),
        rows=tuple(rows),
        notes=(
            INTERVALS,
            "Worst tenth: mean over the worst tenth of the seeds. Area: under the regret curve, "
            "over T², and as a multiple of random play's regret per round (1/2 is random play). "
            "Late rate: regret per round over the last tenth.",
        ),
    )


def excess_table(study: Study) -> Table:
    """Return what each attack costs each policy."""
    pairs = {who: (group, study.without_attack(who)) for who, group in study.attacked().items()}
    pairs = {who: pair for who, pair in pairs.items() if pair[1]}
    damage = [excess_by_seed(*pair) for pair in pairs.values()]
    spent = [spent_by_seed(*pair) for pair in pairs.values()]
    excess = estimate_means(damage)
    bought = estimate_statistics(list(zip(damage, spent, strict=True)), ratio_of_means)
    after = estimate_means([residual_by_seed(*pair) for pair in pairs.values()])
    return Table(
        name="excess-regret",
        title="Excess regret: with attack minus without, paired by seed",
        columns=(
            ENVIRONMENT,
            ATTACK,
            POLICY,
            Column("excess regret", "estimate"),
            Column("per unit spent", "estimate"),
            Column("after the attack", "estimate"),
        ),
        rows=tuple((*who, excess[i], bought[i], after[i]) for i, who in enumerate(pairs)),
        notes=(INTERVALS, "After the attack: the part that came after its last blow."),
    )


def price_table(study: Study) -> Table:
    """Return what each policy costs when nobody attacks."""
    pairs = {
        who: (group, study.groups.get(who._replace(policy=study.reference or ""), []))
        for who, group in study.groups.items()
        if who.attack == study.clean and who.policy != study.reference
    }
    pairs = {who: pair for who, pair in pairs.items() if pair[1]}
    prices = estimate_means([excess_by_seed(*pair) for pair in pairs.values()])
    rows: list[tuple[Cell, ...]] = [
        (who.environment, who.policy, *[float(final_regrets(one).mean()) for one in pair], price)
        for (who, pair), price in zip(pairs.items(), prices, strict=True)
    ]
    return Table(
        name="price-of-robustness",
        title=f"Price of robustness: regret without attack, minus {study.reference}'s",
        columns=(
            ENVIRONMENT,
            POLICY,
            Column("regret"),
            Column("reference regret"),
            Column("price", "estimate"),
        ),
        rows=tuple(rows),
        notes=(INTERVALS,),
    )


def worst_table(study: Study) -> Table:
    """Return the worst attack for each policy."""
    suites: dict[tuple[str, str], dict[str, Group]] = {}
    for who, group in study.attacked().items():
        suites.setdefault((who.environment, who.policy), {})[who.attack] = group
    suites = {names: suite for names, suite in suites.items() if len(suite) > 1}
    samples = [
        [final_regrets(group) for group in common(list(suite.values()))]
        for suite in suites.values()
    ]
    estimates = estimate_statistics(samples, largest_mean)
    rows = []
    for (names, suite), values, estimate in zip(suites.items(), samples, estimates, strict=True):
        if len(values[0]):
            means = [float(one.mean()) for one in values]
            rows.append((*names, list(suite)[means.index(max(means))], estimate))
    return Table(
        name="worst-case",
        title="Worst case over the attacks played",
        columns=(
            ENVIRONMENT,
            POLICY,
            Column("worst attack", "text"),
            Column("regret", "estimate"),
        ),
        rows=tuple(rows),
        notes=(INTERVALS, "A finite suite gives a lower bound on the true worst case."),
    )


def budget_table(found: list[Sweep]) -> Table:
    """Return the regret at each budget of a sweep."""
    keys = [
        (sweep.environment, sweep.attack, policy, budget, values)
        for sweep in found
        for budget, panel in sweep.panels.items()
        for policy, values in panel.finals.items()
    ]
    regrets = estimate_means([values for *_, values in keys])
    return Table(
        name="budget-curve",
        title="Final regret against the attacker's budget",
        columns=(
            ENVIRONMENT,
            ATTACK,
            POLICY,
            Column("budget"),
            Column("regret", "estimate"),
        ),
        rows=tuple((*key[:4], regret) for key, regret in zip(keys, regrets, strict=True)),
        notes=(INTERVALS,),
    )


def sweep_table(study: Study, found: list[Sweep]) -> Table:
    """Return one line for each policy and sweep: how regret grows with the budget."""
    rows = []
    for sweep in found:
        gap = study.gaps.get(sweep.environment)
        for policy in study.spec.policies:
            games = {
                budget: panel.groups[policy]
                for budget, panel in sweep.panels.items()
                if policy in panel.groups
            }
            if 0.0 not in games or len(games) < 2:
                continue
            curve = budget_curve(games)
            share = Estimate(*(end / gap for end in curve.area)) if gap else None
            rows.append(
                (sweep.environment, sweep.attack, policy, curve.exponent, curve.area, share)
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
            Column("area of random play", "estimate"),
        ),
        rows=tuple(rows),
        notes=(
            INTERVALS,
            "Exponent: p in excess ~ budget^p over the rising part. Area: mean excess regret per "
            "round over the budgets, and as a multiple of random play's (1 is random play).",
        ),
    )
