"""Panels and sweeps of an experiment, and which rounds to draw."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from reports.sample_experiments import ATTACKS, POLICIES, budget_sweep, linear_experiment
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.panels import thinned


def test_panels_are_in_the_order_of_the_spec():
    experiment = linear_experiment()
    shuffled = sorted(experiment.ledgers, key=lambda ledger: (ledger.policy, ledger.attack))
    panels = GroupedGames(experiment._replace(ledgers=shuffled)).panels
    assert [panel.attack for panel in panels] == list(ATTACKS)
    assert [list(panel.groups) for panel in panels] == [list(POLICIES)] * 3


def test_budgets_are_in_order_and_no_attack_is_budget_zero():
    (sweep,) = GroupedGames(budget_sweep()).sweeps
    assert sweep.attack == "Garcelon"
    assert list(sweep.panels) == [0.0, 10.0, 100.0, 1000.0]
    assert sweep.panels[0.0].attack == "no attack"


def test_one_budget_is_no_sweep():
    assert GroupedGames(linear_experiment()).sweeps == []


def test_sweep_is_named_by_its_label_without_the_budget():
    attacks = {
        "weak": rb.attacks.Garcelon(1.0),
        "strong": rb.attacks.Garcelon(2.0),
        "Garcelon(budget=1, top=best)": rb.attacks.Garcelon(1.0, top="best"),
        "Garcelon(budget=2, top=best)": rb.attacks.Garcelon(2.0, top="best"),
    }
    sweeps = GroupedGames(linear_experiment(attacks=attacks)).sweeps
    assert [sweep.attack for sweep in sweeps] == ["Garcelon", "Garcelon(top=best)"]


@given(st.integers(1, 3000), st.integers(8, 300))
def test_thinned_rounds_keep_both_ends(size, points):
    chosen = thinned(np.arange(1, size + 1), points)
    assert chosen[0] == 0
    assert chosen[-1] == size - 1
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) <= points
