"""Rounds and seeds are reduced to fit in the time."""

import time

import pytest

import robustbandits as rb
from robustbandits.red_team._time_budget import Size, fit, seconds_per_round

ASKED = Size(100_000, tuple(range(10)))


def total(size, games, seconds):
    return size.rounds * len(size.seeds) * games * seconds / 60.0


def test_what_fits_stays():
    assert fit(ASKED, minutes=1.0, games=10, seconds=1e-6) == ASKED


@pytest.mark.parametrize("seconds", [2e-5, 1e-4, 5e-4])
def test_rounds_are_reduced_before_seeds(seconds):
    size = fit(ASKED, minutes=5.0, games=30, seconds=seconds)
    assert total(size, 30, seconds) <= 5.0 * 1.01
    assert size.rounds >= 1000
    assert len(size.seeds) == 10 or size.rounds == 1000
    assert total(size, 30, seconds) > 2.5  # the time is used


def test_seeds_are_reduced_to_three_and_then_it_is_refused():
    assert fit(ASKED, minutes=5.0, games=10, seconds=0.006) == Size(1000, (0, 1, 2, 3, 4))
    with pytest.raises(ValueError, match=r"minutes must be at least 10 for 20 games of 1,000"):
        fit(ASKED, minutes=5.0, games=20, seconds=0.01)


def test_the_least_rounds_and_seeds_may_take_longer_if_nobody_gave_the_minutes():
    slow = {"minutes": 5.0, "most": 30.0, "games": 20}
    assert fit(ASKED, seconds=0.01, **slow) == Size(1000, (0, 1, 2))
    with pytest.raises(ValueError, match=r"minutes must be at least 50 for .*, got 30:"):
        fit(ASKED, seconds=0.05, **slow)


def test_short_games_are_not_made_longer():
    assert fit(Size(50, (4, 5)), minutes=1.0, games=10, seconds=0.05) == Size(50, (4, 5))


def test_the_speed_of_an_object_is_measured():
    class Slow:
        def choose(self, contexts):
            time.sleep(0.001)
            return 0

        def learn(self, contexts, arm, reward):
            pass

    seconds = seconds_per_round(Slow(), rb.environments.Simulation(arms=3), 400)
    assert 0.001 < seconds < 0.02
