"""Tables and figures."""

import math

import numpy as np
import pytest
from scipy import stats

import robustbandits as rb
from robustbandits.reports.figures import draw_panels
from robustbandits.reports.intervals import half_width
from robustbandits.reports.published import published_regrets


@pytest.fixture(scope="module")
def results():
    return rb.compare(
        environments=[rb.environments.Simulation(arms=4, dim=2)],
        attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(5.0)],
        policies=[rb.policies.LinUCB(), rb.policies.Greedy()],
        rounds=200,
        seeds=3,
        progress=False,
    )


def test_interval_is_students():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert half_width(values) == pytest.approx((high - low) / 2)


def test_interval_of_one_seed_is_unknown():
    assert math.isnan(half_width(np.array([1.0])))


def test_summary_averages_the_final_regrets(results):
    rows = {(row.attack, row.policy): row for row in results.summary().rows}
    assert len(rows) == 4
    final = [
        one.final_regret
        for one in results.ledgers
        if (one.attack, one.policy) == ("Garcelon", "LinUCB")
    ]
    row = rows["Garcelon", "LinUCB"]
    assert row.regret == pytest.approx(np.mean(final))
    assert row.low < row.regret < row.high
    assert row.seeds == 3


def test_summary_prints_every_row(results):
    text = str(results.summary())
    assert len(text.splitlines()) == 2 + 4
    assert "95 % interval" in text


def test_single_seed_prints_a_dash():
    results = rb.compare(
        environments=[rb.environments.Simulation(arms=4, dim=2)],
        policies=[rb.policies.Greedy()],
        rounds=50,
        seeds=1,
        progress=False,
    )
    assert str(results.summary()).splitlines()[-1].split()[-2] == "-"


def test_frame_is_tidy(results):
    table = results.to_pandas()
    assert {"environment", "attack", "policy", "seed", "round", "regret", "spent"} <= set(table)
    assert len(table) == sum(len(one.rounds) for one in results.ledgers)
    last = table[table["round"] == 200].groupby(["attack", "policy"])["regret"].mean()
    for row in results.summary().rows:
        assert last[row.attack, row.policy] == pytest.approx(row.regret)


def test_summary_frame_has_a_row_for_each_panel_and_policy(results):
    assert len(results.summary().to_pandas()) == 4


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_figure_is_written_in_the_format_of_its_suffix(results, tmp_path, suffix, magic):
    path = tmp_path / f"figure.{suffix}"
    results.plot(path)
    assert path.read_bytes().startswith(magic)


def test_equal_results_give_equal_pictures(results, tmp_path):
    draw_panels([("a", results.ledgers)], [tmp_path / "1.svg"])
    draw_panels([("a", results.ledgers)], [tmp_path / "2.svg"])
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


def test_published_table_has_all_thirty_numbers():
    table = published_regrets()
    assert len(table) == 30
    assert table["simulation", "garcelon", "LinUCB"] == 95500
    assert all(0 < value < 1e6 for value in table.values())
