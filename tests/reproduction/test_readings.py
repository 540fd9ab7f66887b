"""The three readings of Figure 1: what they play, and how they differ."""

from __future__ import annotations

import numpy as np
import pytest

from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import MovieLens
from robustbandits.game.match import NATURE, stream
from robustbandits.reproduction.published import published_for
from robustbandits.reproduction.readings import READINGS, reading
from shared_data import sample

EACH = pytest.mark.parametrize("name", READINGS)
STAND_IN = "Netflix (synthetic stand-in)"


@pytest.fixture(autouse=True)
def no_netflix(monkeypatch, tmp_path):
    monkeypatch.delenv("ROBUSTBANDITS_NETFLIX", raising=False)
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path))


@EACH
def test_every_reading_has_the_six_panels_at_full_size(name):
    spec = reading(name)
    assert list(spec.environments) == ["simulation", "MovieLens", STAND_IN]
    assert list(spec.attacks)[:2] == ["Garcelon", "Oracle"]
    assert spec.rounds == 1_000_000
    assert spec.seeds == tuple(range(10))


@EACH
def test_everything_published_is_compared_except_stand_ins(name):
    matched = published_for(reading(name))
    assert len(matched) == 20
    assert {labels.environment for labels in matched} == {"simulation", "MovieLens"}
    assert {labels.attack for labels in matched} == {"Garcelon", "Oracle"}


def test_real_netflix_data_are_not_marked_as_a_stand_in(monkeypatch, tmp_path):
    (tmp_path / "training_set").mkdir()
    (tmp_path / "training_set" / "mv_0000001.txt").write_text("1:\n7,3,2005-09-06\n")
    monkeypatch.setenv("ROBUSTBANDITS_NETFLIX", str(tmp_path))
    spec = reading("as-coded")
    assert list(spec.environments)[2] == "Netflix"
    assert len(published_for(spec)) == 30


def test_only_the_well_specified_reading_is_linear():
    maps = {name: reading(name).environments["MovieLens"].reward_map for name in READINGS}
    assert maps == {
        "as-written": "affine",
        "as-coded": "affine",
        "well-specified": "shift-features",
    }
    intercepts = [reading(name).environments["simulation"].intercept for name in READINGS]
    assert intercepts == [False, False, True]


def test_noise_of_the_code_is_the_variance_of_the_text():
    noise = {
        name: {recipe.noise for recipe in reading(name).environments.values()} for name in READINGS
    }
    assert noise == {"as-written": {0.1}, "as-coded": {0.01}, "well-specified": {0.1}}
    for name in READINGS:
        assert {policy.sigma for policy in reading(name).policies.values()} == noise[name]


def test_only_the_attacker_of_the_code_may_overdraw():
    purses = {
        name: {attack.purse for attack in reading(name).attacks.values()} for name in READINGS
    }
    assert purses == {
        "as-written": {"truncate"},
        "as-coded": {"reference"},
        "well-specified": {"truncate"},
    }
    for name in READINGS:
        budgets = [reading(name).attacks[attack].budget for attack in ("Garcelon", "Oracle")]
        assert budgets == [100.0, 100.0]


def test_unknown_reading_is_refused():
    with pytest.raises(ValueError, match=r"one of as-written, as-coded.*got 'loud'"):
        reading("loud")


#: Of the authors' ten repetitions: length of theta, longest of 20 movies, worst and best rating.
#: Made by LIBPMF 1.41 itself with their options and their random calls.
INSTANCES = [
    (1.624, 2.810, 1.97, 3.90),
    (1.650, 2.760, 1.19, 3.97),
    (1.625, 2.848, 1.20, 3.82),
    (1.626, 3.094, 1.56, 4.00),
    (1.628, 3.087, 2.24, 3.94),
    (1.635, 2.810, 2.01, 4.10),
    (1.632, 3.094, 1.30, 3.93),
    (1.635, 2.758, 0.98, 4.15),
    (1.643, 2.714, 0.95, 3.89),
    (1.639, 2.742, 1.31, 4.24),
]


@pytest.mark.skipif(not jit_is_on, reason="factorizes 100,000 ratings")
def test_as_coded_plays_the_ten_instances_of_the_authors():
    spec = reading("as-coded").environments["MovieLens"]
    mine = MovieLens.from_dict({**spec.to_dict(), "path": str(sample("ml-100k"))})
    factors = mine.load_factors()
    for repetition, (theta, longest, worst, best) in enumerate(INSTANCES):
        nature = mine.start(10, stream(repetition, NATURE))
        span = best - worst
        assert nature.problem.context_bound == pytest.approx(longest, abs=6e-4)
        assert nature.problem.theta_bound == 1.0
        # The slope is theta over the span of ratings.
        length = np.linalg.norm(nature.mapped.theta)
        assert length == pytest.approx(theta / span, abs=0.011)
        ratings = factors.items[nature.items] @ (nature.mapped.theta / length * theta)
        assert ratings.min() == pytest.approx(worst, abs=6e-3)
        assert ratings.max() == pytest.approx(best, abs=6e-3)
