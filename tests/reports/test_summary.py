"""The printed summary, and its intervals."""

import math

import numpy as np
import pytest
from scipy import stats

import robustbandits as rb
from reports.played import played
from robustbandits.metrics import estimate_mean
from robustbandits.reports.intervals import half_width
from robustbandits.reports.published import published_regrets


@pytest.fixture(scope="module")
def results():
    return rb.Results.from_experiment(played())


def test_interval_is_students():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert half_width(values) == pytest.approx((high - low) / 2)


def test_interval_of_one_seed_is_unknown():
    assert math.isnan(half_width(np.array([1.0])))


def test_summary_averages_the_final_regrets(results):
    rows = {(row.attack, row.policy): row for row in results.summary().rows}
    assert len(rows) == 8
    final = [
        one.final_regret
        for one in results.ledgers
        if (one.attack, one.policy) == ("Oracle", "LinUCB")
    ]
    row = rows["Oracle", "LinUCB"]
    assert row.regret == pytest.approx(np.mean(final))
    assert (row.regret, row.low, row.high) == estimate_mean(final)  # as in every table
    assert row.low < row.regret < row.high
    assert row.seeds == 3


def test_summary_prints_every_row(results):
    text = str(results.summary())
    assert len(text.splitlines()) == 2 + 8
    assert "95 % interval" in text
    assert repr(results).startswith("Results(24 games)")


def test_single_seed_prints_a_dash():
    text = str(rb.Results(played(seeds=1).ledgers).summary())
    assert all(line.split()[-2] == "-" for line in text.splitlines()[2:])


def test_summary_frame_has_a_row_for_each_panel_and_policy(results):
    assert len(results.summary().to_pandas()) == 8
    assert "regret" in rb.Results([]).summary().to_pandas()


def test_plot_has_a_panel_for_each_attack(results, tmp_path):
    results.plot(tmp_path / "figure.svg", share_y=True)
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert all(f"<!-- Simulation: {name} -->" in text for name in ("NoAttack", "Oracle"))


def test_published_table_has_all_thirty_numbers():
    table = published_regrets()
    assert len(table) == 30
    assert table["simulation", "garcelon", "LinUCB"] == 95500
    assert all(0 < value < 1e6 for value in table.values())
