"""Tables on the growth of regret."""

import dataclasses
import math

import numpy as np
import pytest

import robustbandits as rb
from reports.sample_experiments import experiment_with_finals
from robustbandits.reports.grouped_games import GroupedGames
from tools.growth_table import growth_table
from tools.horizon_table import horizon_table
from tools.tight_table import tightness_table

ROUNDS = 1000
FINALS = {
    ("none", "LinUCB"): [100.0, 300.0],
    ("hard", "LinUCB"): [500.0, 900.0],
    ("soft", "LinUCB"): [110.0, 310.0],
}


def table_with_power(power):
    """Return the table of games whose regret grows as this power of the rounds."""
    experiment = experiment_with_finals(FINALS, rounds=ROUNDS)
    rounds = np.arange(1, ROUNDS + 1)
    ledgers = [
        dataclasses.replace(
            game, rounds=rounds, regret=game.final_regret * (rounds / ROUNDS) ** power
        )
        for game in experiment.ledgers
    ]
    return growth_table(GroupedGames(experiment._replace(ledgers=ledgers), gaps={}))


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_exponent_is_the_power_of_the_rounds(power):
    (row,) = table_with_power(power).rows
    assert row[5] == pytest.approx(power)
    assert row[8] == pytest.approx(power)


def test_worst_attack_is_the_one_with_the_largest_mean():
    (row,) = table_with_power(1.0).rows
    assert row[2] == 2
    assert row[3].value == 200.0
    assert row[4] == pytest.approx(200.0 / (2 * math.sqrt(ROUNDS)), abs=0.01)
    assert row[6] == "hard"
    assert row[7].value == 500.0


def test_horizons_are_those_of_games_of_their_own():
    table = horizon_table(dims=(2,), horizons=(50, 200), seeds=2)
    row = next(row for row in table.rows if row[1:3] == ("FlipTheta", "LinUCB"))
    for rounds, mean in zip((50, 200), row[3:5], strict=True):
        games = [
            rb.simulate(
                environment=rb.environments.UnitBall(dim=2),
                policy=rb.policies.LinUCB(),
                attack=rb.attacks.FlipTheta(100.0),
                rounds=rounds,
                seed=seed,
            )
            for seed in range(2)
        ]
        assert mean == round(np.mean([game.final_regret for game in games]))
    assert row[5] == pytest.approx(math.log(row[4] / row[3]) / math.log(4), abs=0.2)


def test_tightness_table_has_bounds_and_the_one_used_is_the_smaller_ball():
    table = tightness_table(checks=(30, 60), seeds=1)
    assert len(table.rows) == 4
    for _, _, used, around_center, around_origin, by_eigenvalue in table.rows:
        assert 1.0 <= used <= min(around_center, around_origin)
        assert around_origin <= by_eigenvalue
