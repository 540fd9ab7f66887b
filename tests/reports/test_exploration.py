"""Exploration: regret in units of uniform play's."""

import numpy as np
import pytest

import robustbandits as rb
from metrics.made import made
from reports.made_up import PROVENANCE
from robustbandits.experiments.experiment import Experiment
from robustbandits.experiments.spec import Spec
from robustbandits.reports.exploration import exploration_table
from robustbandits.reports.study import Study

#: Regret per round before and in the last tenth; uniform play has 0.2.
PACES = {"learned": (0.1, 0.0), "learning": (0.1, 0.03), "lost": (0.2, 0.2)}


def curve(before, late, rounds=100):
    return np.cumsum([before] * (rounds * 9 // 10) + [late] * (rounds // 10))


def experiment(attacks=None):
    spec = Spec(
        name="mine",
        environments={
            "fixed": rb.environments.Simulation(arms=4, dim=2, contexts="fixed"),
            "fresh": rb.environments.Simulation(arms=4, dim=2),
        },
        attacks=attacks or {"none": rb.attacks.NoAttack(), "hard": rb.attacks.Garcelon(1.0)},
        policies={
            name: rb.policies.LinUCB(sigma=0.1 * (k + 1))
            for k, name in enumerate([*PACES, "mixed"])
        },
        rounds=100,
        seeds=2,
    )
    ledgers = [
        made(curve(*paces), seed=seed, who=(place, attack, policy))
        for place in spec.environments
        for attack in spec.attacks
        for policy, paces in PACES.items()
        for seed in spec.seeds
        if (place, policy) != ("fresh", "learned")
    ]
    for place, paces in (("fixed", PACES["learned"]), ("fresh", PACES["lost"])):
        ledgers += [made(curve(*paces), seed=s, who=(place, "none", "mixed")) for s in spec.seeds]
    # Under attack everything is lost; none of it may count.
    ledgers += [made(curve(0.2, 0.2), seed=s, who=("fixed", "hard", "mixed")) for s in spec.seeds]
    return Experiment(spec, ledgers, PROVENANCE)


def test_shares_are_those_of_the_clean_games():
    table = exploration_table(Study(experiment(), gaps={"fixed": 0.2, "fresh": 0.5}))
    assert [one.head for one in table.columns] == [
        "policy",
        "whole game, fixed",
        "last tenth, fixed",
        "whole game, fresh",
        "last tenth, fresh",
        "left exploration",
    ]
    assert table.rows == (
        ("learned", 0.45, 0.0, None, None, "yes"),
        ("learning", 0.465, 0.15, 0.186, 0.06, "no"),
        ("lost", 1.0, 1.0, 0.4, 0.4, "no"),
        ("mixed", 0.45, 0.0, 0.4, 0.4, "no"),
    )
    assert "Uniform play has 20 (fixed), 50 (fresh)." in table.notes[0]


def test_where_uniform_play_is_unknown_there_are_no_columns():
    table = exploration_table(Study(experiment(), gaps={"fixed": 0.2}))
    assert [one.head for one in table.columns][1:-1] == ["whole game, fixed", "last tenth, fixed"]
    assert table.rows[3] == ("mixed", 0.45, 0.0, "yes")


def test_without_clean_games_there_is_no_table():
    attacks = {"none": rb.attacks.Garcelon(2.0), "hard": rb.attacks.Garcelon(1.0)}
    assert len(exploration_table(Study(experiment(attacks), gaps={"fixed": 0.2}))) == 0


@pytest.mark.statistical
def test_uniform_play_itself_has_not_left_exploration():
    """The first epoch of BARBAR is uniform play, and longer than this game."""
    place = rb.environments.Simulation(contexts="fixed")
    spec = Spec(
        name="yardstick",
        environments={"fixed": place},
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
