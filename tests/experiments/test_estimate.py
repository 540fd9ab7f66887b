"""The guess grows with what there is to do, and says where it comes from."""

import dataclasses

import pytest

import robustbandits as rb
from robustbandits.experiments.estimate import describe, estimate, readable_bytes, readable_time
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.spec import read_spec

SMOKE = read_spec("smoke")


def test_twice_the_rounds_take_twice_the_time():
    longer = dataclasses.replace(SMOKE, rounds=2 * SMOKE.rounds)
    one, two = estimate(make_plan(SMOKE)), estimate(make_plan(longer))
    assert two.seconds == pytest.approx(2 * one.seconds)
    assert two.memory == one.memory


def test_workers_share_the_time_and_add_to_the_memory():
    plan = make_plan(SMOKE)
    one, two = estimate(plan, workers=1), estimate(plan, workers=2)
    assert two.seconds == pytest.approx(one.seconds / 2)
    assert two.memory > one.memory
    assert two.disk == one.disk == plan.games * 100 * 6 * 8


def test_workers_beyond_the_games_do_not_help():
    plan = make_plan(SMOKE)
    assert estimate(plan, 10**6).seconds == estimate(plan, plan.games).seconds


def test_larger_rounds_take_longer():
    large = dataclasses.replace(SMOKE, environments=[rb.environments.Simulation(arms=200)])
    assert estimate(make_plan(large)).seconds == 10 * estimate(make_plan(SMOKE)).seconds


def test_description_names_everything_and_says_that_it_guesses():
    plan = make_plan(SMOKE)
    text = describe(plan, estimate(plan, 2))
    for words in ("smoke", "simulation", "Garcelon", "RobustLinUCB", "18 games", "2 matches"):
        assert words in text
    assert "36,000 rounds in all" in text
    assert "assumed" in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01, "1 seconds"), (119, "119 seconds"), (7200, "2 hours"), (600, "10 minutes")],
)
def test_readable_time(seconds, text):
    assert readable_time(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"), [(12, "12 bytes"), (1500, "1.5 kB"), (2e9, "2.0 GB"), (3e12, "3.0 TB")]
)
def test_readable_bytes(count, text):
    assert readable_bytes(count) == text
