"""The tables of a report."""

import dataclasses
import math

import numpy as np
import pytest

import robustbandits as rb
from reports.sample_experiments import experiment_with_finals, played_experiment
from robustbandits import metrics
from robustbandits.metrics.groups import group_by_labels
from robustbandits.reports.audit_table import spent_all
from robustbandits.reports.experiment_tables import make_tables
from robustbandits.reports.grouped_games import GroupedGames


def tables_of(experiment, gaps=None):
    return {table.name: table for table in make_tables(GroupedGames(experiment, gaps))}


def lines(table):
    return [dict(zip([c.head for c in table.columns], row, strict=True)) for row in table.rows]


def test_played_experiment_has_all_tables_in_order():
    assert list(tables_of(played_experiment())) == [
        "final-regret",
        "excess-regret",
        "price-of-robustness",
        "worst-case",
        "budget-curve",
        "budget-damage",
        "audit",
    ]


def test_tables_show_the_values_of_the_metrics():
    experiment = played_experiment()
    groups = group_by_labels(experiment.ledgers)
    tables = tables_of(experiment)
    for line in lines(tables["final-regret"]):
        group = groups[line["environment"], line["attack"], line["policy"]]
        assert line["regret"] == pytest.approx(tuple(metrics.final_regret(group)))
        assert line["worst tenth"].value == max(game.final_regret for game in group)
        assert not line["worst tenth"].has_interval
        assert line["area"] == pytest.approx(metrics.area_under_regret(group).value)
        assert line["late rate"] == pytest.approx(metrics.late_rate(group).value)
    for line in lines(tables["excess-regret"]):
        group = groups[line["environment"], line["attack"], line["policy"]]
        clean = groups[line["environment"], "NoAttack", line["policy"]]
        assert line["excess regret"] == pytest.approx(tuple(metrics.excess_regret(group, clean)))
        assert line["per unit spent"] == pytest.approx(tuple(metrics.amplification(group, clean)))
        residual = metrics.residual_damage(group, clean)
        assert line["after the attack"] == pytest.approx(tuple(residual))


def test_audit_shows_what_was_spent_and_when():
    experiment = played_experiment()
    groups = group_by_labels(experiment.ledgers)
    audit = tables_of(experiment)["audit"]
    assert [column.head for column in audit.columns[3:7]] == [
        "budget",
        "spent",
        "on contexts",
        "seeds that spent all",
    ]
    for line in lines(audit):
        group = groups[line["environment"], line["attack"], line["policy"]]
        assert line["spent"].value == pytest.approx(np.mean([game.spent for game in group]))
        assert line["budget"] == experiment.spec.attacks[line["attack"]].budget
        assert line["seeds that spent all"] <= len(group)
        assert line["ended in round"].value == pytest.approx(metrics.attack_ended(group).value)
        assert 1 <= line["began by round"] <= line["ended in round"].high


def test_excess_worst_case_and_price_by_hand():
    experiment = experiment_with_finals(
        {
            ("none", "plain"): [1.0, 3.0],
            ("none", "safe"): [5.0, 6.0],
            ("weak", "plain"): [2.0, 4.0],
            ("weak", "safe"): [5.0, 6.0],
            ("strong", "plain"): [11.0, 13.0],
            ("strong", "safe"): [5.0, 8.0],
        }
    )
    tables = tables_of(experiment)
    excess = {(line["attack"], line["policy"]): line for line in lines(tables["excess-regret"])}
    assert excess["strong", "plain"]["excess regret"].value == 10.0
    assert excess["strong", "plain"]["per unit spent"].value == 5.0
    assert excess["weak", "safe"]["excess regret"] == (0.0, 0.0, 0.0)
    worst = {line["policy"]: line for line in lines(tables["worst-case"])}
    assert worst["plain"]["worst attack"] == "strong"
    assert worst["plain"]["regret"].value == 12.0
    (price,) = lines(tables["price-of-robustness"])
    assert price["policy"] == "safe"
    assert (price["regret"], price["reference regret"]) == (5.5, 2.0)
    assert price["price"] == pytest.approx((3.5, 3.0, 4.0))


def test_attack_with_budget_zero_counts_as_no_attack():
    experiment = experiment_with_finals(
        {("zero", "p"): [1.0], ("ten", "p"): [3.0]},
        attacks={"zero": rb.attacks.Garcelon(0.0), "ten": rb.attacks.Garcelon(10.0)},
    )
    (line,) = lines(tables_of(experiment)["excess-regret"])
    assert (line["attack"], line["excess regret"].value) == ("ten", 2.0)


def test_without_a_clean_game_there_is_no_excess_and_recovery_is_unknown():
    attacks = {"a": rb.attacks.Garcelon(1.0)}
    tables = tables_of(experiment_with_finals({("a", "p"): [1.0, 2.0]}, attacks=attacks))
    assert set(tables) == {"final-regret", "audit"}
    (line,) = lines(tables["audit"])
    assert math.isnan(line["recovered"].value)
    assert "no game was played without attack" in tables["audit"].notes[-1]


def test_purse_with_overdraft_and_budget_zero_does_not_count_as_no_attack():
    attack = rb.attacks.Garcelon(0.0, purse="reference")
    experiment = experiment_with_finals({("a", "p"): [1.0]}, attacks={"a": attack})
    assert GroupedGames(experiment).clean_attack is None


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_unfinished_experiment_has_tables_of_the_games_played(count):
    whole = played_experiment()
    tables = tables_of(whole._replace(ledgers=whole.ledgers[:count]))
    assert bool(tables) == bool(count)
    for table in tables.values():
        assert table.to_markdown()
        assert table.to_csv()
        assert table.to_latex()


def test_single_seed_has_values_without_intervals():
    cells = [
        cell
        for table in tables_of(played_experiment(seeds=1)).values()
        for row in table.rows
        for cell in row
    ]
    estimates = [cell for cell in cells if isinstance(cell, metrics.Estimate)]
    assert len(estimates) > 20
    assert not any(estimate.has_interval for estimate in estimates)


def test_regret_of_random_play_can_be_given_or_is_measured():
    given = lines(tables_of(played_experiment(), gaps={"Simulation": 0.5})["final-regret"])[0]
    assert given["area / uniform play"] == pytest.approx(given["area"] / 0.5)
    unknown = lines(tables_of(played_experiment(), gaps={})["final-regret"])[0]
    assert unknown["area / uniform play"] is None
    assert 0.0 < GroupedGames(played_experiment()).gaps["Simulation"] < 1.0


def test_report_does_not_load_data():
    class WithData(rb.environments.Simulation):
        @property
        def fingerprint(self):
            raise AssertionError("a report must not load data")

        def start(self, rounds, seed):
            raise AssertionError("a report must not load data")

    experiment = played_experiment()
    environments = {"Simulation": WithData(arms=4, dim=2)}
    spec = dataclasses.replace(experiment.spec, environments=environments)
    assert GroupedGames(experiment._replace(spec=spec)).gaps == {}


@pytest.mark.parametrize(
    ("budget", "spent", "expected"),
    [
        (10.0, 10.0, True),
        (10.0, 9.99, False),
        (10.0, 10.3, True),
        (math.inf, 5.0, False),
        (0.0, 0.0, False),
        (0.3, 0.1 + 0.1 + 0.1, True),
        (0.1 + 0.2, 0.3, True),
    ],
)
def test_budget_is_spent_apart_from_rounding_errors(budget, spent, expected):
    assert spent_all(rb.attacks.Garcelon(budget), spent) is expected
