"""The tables of a report."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reports.played import Fake, played, written
from robustbandits import metrics
from robustbandits.metrics.groups import group_by_players
from robustbandits.reports.audit import spent_all
from robustbandits.reports.study import Study
from robustbandits.reports.tables import make_tables


def by_name(experiment, **options):
    return {table.name: table for table in make_tables(experiment, **options)}


def lines(table):
    return [dict(zip([c.head for c in table.columns], row, strict=True)) for row in table.rows]


def test_played_experiment_has_all_tables_in_order():
    names = [table.name for table in make_tables(played())]
    assert names == [
        "final-regret",
        "excess-regret",
        "price-of-robustness",
        "worst-case",
        "budget-curve",
        "budget-damage",
        "audit",
    ]


def test_tables_hold_what_the_measures_say():
    experiment = played()
    groups = group_by_players(experiment.ledgers)
    tables = by_name(experiment)
    for line in lines(tables["final-regret"]):
        group = groups[line["environment"], line["attack"], line["policy"]]
        final = metrics.estimate_mean([one.final_regret for one in group])
        assert line["regret"] == pytest.approx(tuple(final))
        assert line["worst tenth"].value == max(one.final_regret for one in group)
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


def test_audit_says_what_was_spent_and_when():
    experiment = played()
    groups = group_by_players(experiment.ledgers)
    for line in lines(by_name(experiment)["audit"]):
        group = groups[line["environment"], line["attack"], line["policy"]]
        assert line["spent"].value == pytest.approx(np.mean([one.spent for one in group]))
        assert line["budget"] == experiment.spec.attacks[line["attack"]].budget
        assert line["seeds that spent all"] <= len(group)
        assert line["ended in round"].value == pytest.approx(metrics.attack_ended(group).value)
        assert 1 <= line["began by round"] <= line["ended in round"].high


def test_excess_worst_case_and_price_by_hand():
    experiment = written(
        {
            ("none", "plain"): [1.0, 3.0],
            ("none", "safe"): [5.0, 6.0],
            ("weak", "plain"): [2.0, 4.0],
            ("weak", "safe"): [5.0, 6.0],
            ("strong", "plain"): [11.0, 13.0],
            ("strong", "safe"): [5.0, 8.0],
        }
    )
    tables = by_name(experiment)
    excess = {(one["attack"], one["policy"]): one for one in lines(tables["excess-regret"])}
    assert excess["strong", "plain"]["excess regret"].value == 10.0
    assert excess["strong", "plain"]["per unit spent"].value == 5.0
    assert excess["weak", "safe"]["excess regret"] == (0.0, 0.0, 0.0)
    worst = {one["policy"]: one for one in lines(tables["worst-case"])}
    assert worst["plain"]["worst attack"] == "strong"
    assert worst["plain"]["regret"].value == 12.0
    (price,) = lines(tables["price-of-robustness"])
    assert price["policy"] == "safe"
    assert price["price"] == pytest.approx((3.5, 3.0, 4.0))


def test_budget_curve_starts_with_no_attack():
    tables = by_name(played())
    budgets = [line["budget"] for line in lines(tables["budget-curve"])]
    assert sorted(set(budgets)) == [0.0, 2.0, 8.0]
    areas = lines(tables["budget-damage"])
    assert {line["attack"] for line in areas} == {"Garcelon"}
    assert len(areas) == 2


def test_attack_with_budget_zero_serves_as_the_clean_game():
    experiment = written(
        {("zero", "p"): [1.0], ("ten", "p"): [3.0]},
        attacks={"zero": rb.attacks.Garcelon(0.0), "ten": rb.attacks.Garcelon(10.0)},
    )
    (line,) = lines(by_name(experiment)["excess-regret"])
    assert (line["attack"], line["excess regret"].value) == ("ten", 2.0)


def test_without_a_clean_game_there_is_no_excess_and_recovery_is_unknown():
    experiment = written({("a", "p"): [1.0, 2.0]}, attacks={"a": rb.attacks.Garcelon(1.0)})
    tables = by_name(experiment)
    assert set(tables) == {"final-regret", "audit"}
    (line,) = lines(tables["audit"])
    assert math.isnan(line["recovered"].value)
    assert "no game was played without attack" in tables["audit"].notes[-1]


def test_overdraft_purse_with_budget_zero_is_no_clean_game():
    attack = rb.attacks.Garcelon(0.0, purse="reference")
    experiment = written({("a", "p"): [1.0]}, attacks={"a": attack})
    assert Study(experiment).clean is None


def test_unfinished_experiment_gives_what_is_there():
    whole = played()
    for keep in (0, 1, 3, 7):
        part = Fake(whole.spec, whole.ledgers[:keep], {})
        tables = by_name(part)
        assert bool(tables) == bool(keep)
        for table in tables.values():
            assert table.to_markdown()
            assert table.to_csv()
            assert table.to_latex()


def test_single_seed_has_values_without_intervals():
    for table in make_tables(played(seeds=1)):
        for row in table.rows:
            for cell in row:
                assert not (isinstance(cell, metrics.Estimate) and cell.has_interval)


def test_gap_can_be_given_or_is_measured():
    given = lines(by_name(played(), gaps={"Simulation": 0.5})["final-regret"])[0]
    assert given["area of random play"] == pytest.approx(given["area"] / 0.5)
    unknown = lines(by_name(played(), gaps={})["final-regret"])[0]
    assert unknown["area of random play"] is None
    measured = Study(played()).gaps["Simulation"]
    assert 0.0 < measured < 1.0


def test_gap_of_an_environment_with_data_is_not_measured():
    class WithData(rb.environments.Simulation):
        @property
        def fingerprint(self):
            raise AssertionError("a report must not load data")

        def start(self, rounds, seed):
            raise AssertionError("a report must not load data")

    experiment = played()
    spec = experiment.spec
    object.__setattr__(spec, "environments", {"Simulation": WithData(arms=4, dim=2)})
    try:
        assert Study(experiment).gaps == {}
    finally:
        object.__setattr__(
            spec, "environments", {"Simulation": rb.environments.Simulation(arms=4, dim=2)}
        )


@pytest.mark.parametrize(
    ("budget", "spent", "answer"),
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
def test_budget_is_gone_when_nothing_worth_mentioning_is_left(budget, spent, answer):
    assert spent_all(rb.attacks.Garcelon(budget), spent) is answer
