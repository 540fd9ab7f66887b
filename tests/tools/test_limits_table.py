"""The tables and the chart of docs/limits.md."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments import read_spec
from robustbandits.reports.styles import styles_of
from tools.lie_table import lie_for_simulated_pulls, lie_table
from tools.limits_chart import Point, draw
from tools.limits_table import (
    CURVES,
    OTHER_PURPOSES,
    Limits,
    all_policies,
    measure,
    write,
)
from tools.withstood import BUDGETS, CATALOGUE, Trials, Withstood, attacks, regrets_of

DOCS = Path(__file__).parents[2] / "docs"
SMALL = Trials(rounds=3000, seeds=2)
needs_speed = pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")


def sample(prices=None):
    """Return made-up measurements: every policy pays 500 and withstands 50, unless given."""
    given = prices or {}
    measured = {
        name: given.get(name, Withstood(np.array([490.0, 510.0]), 100.0, 50.0, 60.0, "best arm"))
        for name in all_policies()
    }
    return Limits(SMALL, np.array([4.0, 6.0]), measured)


@pytest.mark.slow
@needs_speed
def test_the_next_larger_budget_breaks_a_policy_and_the_one_withstood_does_not():
    policy = rb.policies.LinUCB()
    limits = measure({"LinUCB": policy}, SMALL)
    found = limits.measured["LinUCB"]
    clean = [
        rb.simulate(environment=CATALOGUE, policy=policy, rounds=3000, seed=seed).final_regret
        for seed in range(2)
    ]
    assert found.regrets == pytest.approx(clean)
    assert found.possible_budget == pytest.approx(np.mean(clean) / limits.unit_prices.mean())
    assert found.efficiency == pytest.approx(found.budget / found.possible_budget)
    next_budget = BUDGETS[BUDGETS.index(found.attacks_withstood) + 1]
    worst = {
        budget: {
            name: regrets_of(SMALL.play(policy, attack)).mean() / np.mean(clean)
            for name, attack in attacks(budget).items()
        }
        for budget in (found.attacks_withstood, next_budget)
    }
    assert max(worst[found.attacks_withstood].values()) <= 2.0
    assert worst[next_budget][found.broken_by] > 2.0


@pytest.mark.slow
@needs_speed
def test_a_policy_that_pays_more_than_half_of_uniform_play_has_no_efficiency():
    policy = rb.policies.LinUCB(sigma=100.0)  # explores in all rounds
    found = SMALL.measure(policy, unit_price=5.0)
    assert 2.0 * found.price > SMALL.uniform_play()
    assert math.isnan(found.budget)
    assert math.isnan(found.efficiency)
    limits = Limits(SMALL, np.array([4.0, 6.0]), {"costly": found})
    assert not limits.limits_table().rows
    assert "in these rounds: costly." in limits.limits_table().notes[1]


def test_a_budget_that_makes_another_world_look_like_this_one_is_not_withstood():
    found = Withstood(
        np.array([500.0]), 100.0, attacks_withstood=180.0, disguise_budget=70.0, broken_by=None
    )
    assert found.budget == 70.0
    assert found.efficiency == pytest.approx(0.7)


@pytest.mark.slow
@needs_speed
def test_the_pulls_without_attack_decide_in_which_other_worlds_a_policy_is_hijacked():
    games = SMALL.play(rb.policies.LinUCB(), rb.attacks.NoAttack())
    budgets = [
        rb.limits.least_budget(*catalogue, game.pulls)
        for catalogue, game in zip(SMALL.catalogues(), games, strict=True)
    ]
    assert SMALL.disguise_budget(games) == pytest.approx(np.mean(budgets))


def test_uniform_play_loses_the_mean_gap_in_every_round():
    gaps = [means.max() - means.mean() for _, means in SMALL.catalogues()]
    assert SMALL.uniform_play() == pytest.approx(3000 * np.mean(gaps))


def test_every_attack_has_the_given_budget_and_a_consistent_lie_is_among_them():
    found = attacks(12.0).values()
    assert all(attack.budget == 12.0 for attack in found)
    assert any(isinstance(attack, rb.attacks.ConsistentLie) for attack in found)
    assert list(BUDGETS) == sorted(set(BUDGETS))


def test_every_policy_of_the_benchmark_is_measured_once():
    recipes = list(all_policies().values())
    assert len(set(map(repr, recipes))) == len(recipes)
    for policy in read_spec("table1").policies.values():
        assert (policy in recipes) == (policy.name not in OTHER_PURPOSES)


def test_tables_have_a_row_for_each_policy_and_the_largest_efficiency_first():
    costly = Withstood(np.array([9000.0]), 1800.0, math.nan, 900.0, None)
    weak = Withstood(np.array([400.0, 402.0]), 80.2, 0.0, 30.0, "best arm")
    limits = sample({"BARBAR": costly, "LinUCB": weak})
    table = limits.limits_table()
    assert [row[0] for row in table.rows] == [name for name in all_policies() if name != "BARBAR"]
    (row,) = [row for row in table.rows if row[0] == "CautiousLinUCB(100)"]
    assert row[1].value == 500.0
    assert row[2:] == (50.0, 60, 100, 0.5, "best arm")
    efficiency = limits.efficiency_table()
    # In the spec, CautiousLinUCB has its default tolerance, 100.
    assert ("CautiousLinUCB", 500, 50.0, 0.5) in efficiency.rows
    assert efficiency.rows[-1] == ("LinUCB", 401, 0.0, 0.0)
    assert "BARBAR" not in [row[0] for row in efficiency.rows]
    bonuses = limits.bonus_table()
    assert [row[0] for row in bonuses.rows] == [
        name for curve in CURVES[1:3] for name in curve.policies
    ]


def test_the_chart_has_a_curve_over_each_parameter_and_points_for_the_rest():
    limits = sample({"LinUCB": Withstood(np.array([400.0]), 80.0, 0.0, 30.0, "best arm")})
    curves = limits.curves()
    for curve in CURVES:
        assert [point.label for point in curves[curve.name]] == [f"{v:g}" for v in curve.values]
    assert curves["BOBNoRestart"] == [Point(50.0, 500.0)]
    assert "LinUCB" not in curves  # it withstands nothing, and the axis is logarithmic


def test_equal_results_give_equal_charts_in_the_colours_of_the_palette(tmp_path):
    curves = {
        "RobustLinUCB(budget)": [Point(20.0, 500.0, "10"), Point(130.0, 1500.0, "100")],
        "BOBNoRestart": [Point(100.0, 1300.0)],
    }
    files = [tmp_path / "1.svg", tmp_path / "2.svg"]
    for path in files:
        draw(curves, 5.0, path)
    assert files[0].read_bytes() == files[1].read_bytes()
    text = files[0].read_text(encoding="utf-8")
    for name, style in styles_of(curves).items():
        assert f">{name}</text>" in text
        assert style.color in text
    assert styles_of(["RobustLinUCB(100)"])["RobustLinUCB(100)"].color in text


def test_the_limit_in_the_chart_is_the_price_of_each_budget(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda figure, path, **_: figures.append(figure)
    )
    draw({"BOBNoRestart": [Point(100.0, 1300.0)]}, 5.0, tmp_path / "chart.svg")
    limit, _ = figures[0].axes[0].get_lines()
    assert list(limit.get_ydata()) == pytest.approx([5.0 * budget for budget in limit.get_xdata()])


@pytest.mark.slow
@needs_speed
def test_pages_get_the_parts_that_they_have_marks_for(tmp_path):
    pages = [tmp_path / "a.md", tmp_path / "b.md"]
    marks = [f"<!-- {part} -->\n<!-- /{part} -->\n" for part in ("limits", "limitchart")]
    pages[0].write_text("".join(marks))
    pages[1].write_text("<!-- efficiency -->\n<!-- /efficiency -->\n")
    write(sample(), pages)
    assert "| RobustLinUCB(100) |" in pages[0].read_text()
    assert "(limits.svg)" in pages[0].read_text()
    assert (tmp_path / "limits.svg").exists()
    assert "| BOBNoRestart | 500 | 50 | 0.5 |" in pages[1].read_text()


@pytest.mark.slow
@needs_speed
def test_the_lie_for_simulated_pulls_hijacks_linucb_and_its_cost_is_that_of_the_game():
    table = lie_table(rounds=20_000, seeds=1)
    ((seed, gap, simulated, by_rule, *_),) = table.rows
    ((contexts, means),) = Trials(20_000, 1).catalogues()
    target = int(np.argsort(-means)[1])
    assert (seed, gap) == (0, pytest.approx(means.max() - means[target], abs=1e-4))
    game = lie_for_simulated_pulls(contexts, means, target, 20_000, 0)
    assert round(game.spent) == simulated
    assert game.pulls[target] > 15_000
    assert by_rule == pytest.approx(simulated, rel=0.3)


def test_the_page_shows_every_curve():
    page = (DOCS / "limits.md").read_text(encoding="utf-8")
    chart = (DOCS / "limits.svg").read_text(encoding="utf-8")
    for curve in CURVES:
        assert f">{curve.name}</text>" in chart
        for name in curve.policies:
            assert re.search(rf"\| {re.escape(name)} \||: .*{re.escape(name)}", page), name
