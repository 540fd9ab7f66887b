"""The printed summary."""

import numpy as np
import pytest

import robustbandits as rb
from reports.sample_experiments import played_experiment
from robustbandits.metrics import estimate_mean


@pytest.fixture(scope="module")
def results():
    return rb.Results.from_experiment(played_experiment())


def test_summary_averages_the_final_regrets(results):
    rows = {(row.attack, row.policy): row for row in results.summary().rows}
    assert len(rows) == 8
    final = [
        ledger.final_regret
        for ledger in results.ledgers
        if (ledger.attack, ledger.policy) == ("Oracle", "LinUCB")
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
    text = str(rb.Results(played_experiment(seeds=1).ledgers).summary())
    assert all(line.split()[-2] == "-" for line in text.splitlines()[2:])


def test_summary_frame_has_a_row_for_each_panel_and_policy(results):
    assert len(results.summary().to_pandas()) == 8
    assert "regret" in rb.Results([]).summary().to_pandas()


def test_plot_has_a_panel_for_each_attack(results, tmp_path):
    results.plot(tmp_path / "figure.svg", share_y=True)
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert all(f"<!-- Simulation: {name} -->" in text for name in ("NoAttack", "Oracle"))
