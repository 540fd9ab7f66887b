"""Exploration: regret in units of uniform play's."""

import numpy as np
import pytest

import robustbandits as rb
from metrics.made import made
from reports.made_up import PROVENANCE
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.load import Experiment
from robustbandits.metrics import random_gap
from robustbandits.reports.study import GAP_ROUNDS, Study
from tools.exploration_table import exploration_table

PLACES = {
    "fixed": rb.environments.Simulation(arms=4, dim=2, contexts="fixed"),
    "fresh": rb.environments.Simulation(arms=4, dim=2),
}
#: Regret per round before and in the last tenth, in units of uniform play's.
PACES = {
    ("fixed", "learned"): (0.5, 0.0),
    ("fixed", "learning"): (0.5, 0.15),
    ("fixed", "mixed"): (0.5, 0.0),
    ("fresh", "mixed"): (1.0, 0.4),
}
LABELS = list(dict.fromkeys(policy for _, policy in PACES))
ROUNDS = 100


def curve(before, late, gap):
    return np.cumsum([before * gap] * (ROUNDS * 9 // 10) + [late * gap] * (ROUNDS // 10))


def experiment(attacks=None, without=()):
    """Return games with these paces; under attack all play uniformly, which must not count."""
    crooks = attacks or {"none": rb.attacks.NoAttack(), "hard": rb.attacks.Garcelon(1.0)}
    policies = {name: rb.policies.LinUCB(sigma=0.1 * (k + 1)) for k, name in enumerate(LABELS)}
    spec = Spec(
        name="mine",
        environments=PLACES,
        attacks=crooks,
        policies=policies,
        rounds=ROUNDS,
        seeds=3,
    )
    ledgers = []
    for (place, policy), paces in PACES.items():
        for seed in spec.seeds:
            gap = random_gap(PLACES[place], ROUNDS, seed, GAP_ROUNDS)
            clean = (place, "none", policy)
            if (policy, seed) not in without:
                ledgers.append(made(curve(*paces, gap), seed=seed, who=clean))
            ledgers.append(made(curve(1.0, 1.0, gap), seed=seed, who=(place, "hard", policy)))
    return Experiment(spec, ledgers, PROVENANCE)


def test_shares_are_those_of_the_clean_games():
    table = exploration_table(Study(experiment()))
    assert [one.head for one in table.columns] == [
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


def test_a_game_that_is_not_finished_does_not_change_the_unit():
    assert exploration_table(Study(experiment(without=[("learned", 0)]))).rows[0] == (
        "learned",
        0.45,
        0.0,
        None,
        None,
        "yes",
    )


def test_where_uniform_play_is_unknown_there_are_no_columns():
    table = exploration_table(Study(experiment(), gaps={"fixed": 0.2}))
    assert [one.head for one in table.columns][1:-1] == ["whole game, fixed", "last tenth, fixed"]
    assert table.rows[2] == ("mixed", 0.45, 0.0, "yes")


def test_without_clean_games_there_is_no_table():
    attacks = {"none": rb.attacks.Garcelon(2.0), "hard": rb.attacks.Garcelon(1.0)}
    assert len(exploration_table(Study(experiment(attacks)))) == 0


@pytest.mark.statistical
def test_uniform_play_itself_has_share_one():
    """The first epoch of BARBAR is uniform play, and longer than this game."""
    spec = Spec(
        name="yardstick",
        environments={"fixed": rb.environments.Simulation(contexts="fixed")},
        attacks={"none": rb.attacks.NoAttack()},
        policies={"uniform": rb.policies.BARBAR(), "LinUCB": rb.policies.LinUCB()},
        rounds=20_000,
        seeds=2,
        points=100,
    )
    played = rb.compare(
        environments=spec.environments,
        attacks=spec.attacks,
        policies=spec.policies,
        rounds=spec.rounds,
        seeds=2,
        progress=False,
    )
    rows = exploration_table(Study(Experiment(spec, played.ledgers, PROVENANCE))).rows
    assert rows[0][1:3] == (pytest.approx(1.0, abs=0.05), pytest.approx(1.0, abs=0.1))
    assert rows[0][3] == "no"
    assert rows[1][2] < 0.1
