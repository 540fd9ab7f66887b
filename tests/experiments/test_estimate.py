"""The estimate grows with the work, and says where it comes from."""

import dataclasses

import pytest

import robustbandits as rb
from robustbandits.experiments.estimate import describe, estimate
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.spec import read_spec

SMOKE = read_spec("smoke")


def test_twice_the_rounds_take_twice_the_time():
    longer = dataclasses.replace(SMOKE, rounds=2 * SMOKE.rounds)
    short, long = estimate(make_plan(SMOKE)), estimate(make_plan(longer))
    assert long.seconds == pytest.approx(2 * short.seconds)
    assert long.memory == short.memory


def test_workers_share_the_time_and_add_to_the_memory():
    plan = make_plan(SMOKE)
    alone, two = estimate(plan, workers=1), estimate(plan, workers=2)
    assert two.seconds == pytest.approx(alone.seconds / 2)
    assert estimate(plan, 10**6).seconds == estimate(plan, plan.games).seconds
    assert two.memory > alone.memory
    assert two.disk == alone.disk == plan.games * 100 * 6 * 8


def test_larger_rounds_take_longer():
    large = dataclasses.replace(SMOKE, environments=[rb.environments.Simulation(arms=200)])
    assert estimate(make_plan(large)).seconds == 10 * estimate(make_plan(SMOKE)).seconds


def test_a_description_names_everything_and_says_that_the_speed_is_assumed():
    plan = make_plan(SMOKE)
    text = describe(plan, estimate(plan, 2))
    for words in ("smoke", "simulation", "Garcelon", "RobustLinUCB", "18 games", "2 matches"):
        assert words in text
    assert "36,000 rounds in all" in text
    assert "takes about 1 s, 266.1 MB of memory, at most 86.4 kB on disk" in text
    assert "assumed" in text
    long = make_plan(dataclasses.replace(SMOKE, rounds=10**9))
    assert "takes about 5.1 h" in describe(long, estimate(long))
