"""The exploration table: regret in units of uniform play's."""

import numpy as np
import pytest

import robustbandits as rb
from metrics.sample_ledgers import sample_ledger
from reports.sample_experiments import PROVENANCE
from robustbandits.experiments import Experiment, Spec
from robustbandits.metrics import random_gap
from robustbandits.reports.grouped_games import GAP_ROUNDS, GroupedGames
from tools.exploration_table import exploration_table

ENVIRONMENTS = {
    "fixed": rb.environments.Simulation(arms=4, dim=2, contexts="fixed"),
    "fresh": rb.environments.Simulation(arms=4, dim=2),
}
#: Regret per round before and in the last tenth, in units of uniform play's.
RATES = {
    ("fixed", "learned"): (0.5, 0.0),
    ("fixed", "learning"): (0.5, 0.15),
    ("fixed", "mixed"): (0.5, 0.0),
    ("fresh", "mixed"): (1.0, 0.4),
}
LABELS = list(dict.fromkeys(policy for _, policy in RATES))
ROUNDS = 100


def curve(before, late, gap):
    """Return cumulative regret with one rate before the last tenth, and another in it."""
    return np.cumsum([before * gap] * (ROUNDS * 9 // 10) + [late * gap] * (ROUNDS // 10))


def experiment(attacks=None):
    """Return games with these rates; under attack all play uniformly, which must not count."""
    attacks = attacks or {"none": rb.attacks.NoAttack(), "hard": rb.attacks.Garcelon(1.0)}
    policies = {name: rb.policies.LinUCB(sigma=0.1 * (k + 1)) for k, name in enumerate(LABELS)}
    spec = Spec(
        name="mine",
        environments=ENVIRONMENTS,
        attacks=attacks,
        policies=policies,
        rounds=ROUNDS,
        seeds=3,
    )
    ledgers = []
    for (environment, policy), rates in RATES.items():
        for seed in spec.seeds:
            gap = random_gap(ENVIRONMENTS[environment], ROUNDS, seed, GAP_ROUNDS)
            clean, hard = (environment, "none", policy), (environment, "hard", policy)
            ledgers.append(sample_ledger(curve(*rates, gap), seed=seed, labels=clean))
            ledgers.append(sample_ledger(curve(1.0, 1.0, gap), seed=seed, labels=hard))
    return Experiment(spec, ledgers, PROVENANCE)


def test_shares_are_those_of_the_clean_games():
    table = exploration_table(GroupedGames(experiment()))
    assert [column.head for column in table.columns] == [
        "policy",
        "whole game, fixed",
        "last tenth, fixed",
        "whole game, fresh",
        "last tenth, fresh",
        "last tenth below 0.1",
    ]
    assert table.rows == (
        ("learned", 0.45, 0.0, None, None, "yes"),
        ("learning", 0.465, 0.15, None, None, "no"),
        ("mixed", 0.45, 0.0, 0.94, 0.4, "no"),
    )


def test_environment_with_unknown_uniform_play_has_no_columns():
    table = exploration_table(GroupedGames(experiment(), gaps={"fixed": 0.2}))
    assert [column.head for column in table.columns][1:-1] == [
        "whole game, fixed",
        "last tenth, fixed",
    ]
    assert table.rows[2] == ("mixed", 0.45, 0.0, "yes")


def test_without_clean_games_there_is_no_table():
    attacks = {"none": rb.attacks.Garcelon(2.0), "hard": rb.attacks.Garcelon(1.0)}
    assert len(exploration_table(GroupedGames(experiment(attacks)))) == 0


@pytest.mark.statistical
def test_uniform_play_itself_has_share_one():
    """The first epoch of BARBAR is uniform play, and longer than this game."""
    parts = {
        "environments": {"fixed": rb.environments.Simulation(contexts="fixed")},
        "attacks": {"none": rb.attacks.NoAttack()},
        "policies": {"uniform": rb.policies.BARBAR(), "LinUCB": rb.policies.LinUCB()},
        "rounds": 20_000,
        "seeds": 2,
    }
    ledgers = rb.compare(**parts, progress=False).ledgers
    experiment = Experiment(Spec(name="uniform", **parts), ledgers, PROVENANCE)
    rows = exploration_table(GroupedGames(experiment)).rows
    assert rows[0][1:3] == (pytest.approx(1.0, abs=0.05), pytest.approx(1.0, abs=0.1))
    assert rows[0][3] == "no"
    assert rows[1][2] < 0.1
