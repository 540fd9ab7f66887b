"""Candidates for the attack budget: how many, and how large."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits.policies import BOBNoRestart, RobustBandit
from robustbandits.policies.linear._candidates import NAMES, candidate_levels

#: The largest budget that each name must cover, and whether it is rounded up to a power of two.
LIMITS = {
    "sqrtT": (lambda arms, rounds, epoch: math.sqrt(rounds), True),
    "T": (lambda arms, rounds, epoch: rounds, True),
    "2KT": (lambda arms, rounds, epoch: 2 * arms * rounds, True),
    "2KT-floor": (lambda arms, rounds, epoch: 2 * arms * rounds, False),
    "2KH-floor": (lambda arms, rounds, epoch: 2 * arms * epoch, False),
}


@pytest.mark.parametrize(
    ("name", "size", "largest"),
    [
        ("2KT", 28, 2**26),
        ("T", 22, 2**20),
        ("2KT-floor", 27, 2**25),
        ("2KH-floor", 19, 131072),
        ("sqrtT", 12, 1024),
    ],
)
def test_candidate_levels_have_the_known_sizes_at_the_papers_size(name, size, largest):
    levels = candidate_levels(name, arms=20, rounds=10**6, epoch=5835.5577)
    assert len(levels) == size
    assert levels[-1] == largest
    assert levels[:4] == (0.0, 1.0, 2.0, 4.0)


@pytest.mark.parametrize("name", LIMITS)
def test_candidate_levels_end_at_a_limit_that_is_a_power_of_two(name):
    levels = candidate_levels(name, arms=4, rounds=2**10, epoch=2.0**7)
    assert levels[-1] == LIMITS[name][0](4, 2**10, 2.0**7)


def test_every_name_of_candidates_is_tested_here():
    assert set(LIMITS) == set(NAMES)


@pytest.mark.parametrize("name", LIMITS)
@given(arms=st.integers(1, 1000), rounds=st.integers(1, 10**9), epoch=st.floats(1.0, 1e7))
def test_candidate_levels_are_zero_and_powers_of_two_up_to_the_limit(name, arms, rounds, epoch):
    levels = candidate_levels(name, arms=arms, rounds=rounds, epoch=epoch)
    limit, up = LIMITS[name][0](arms, rounds, epoch), LIMITS[name][1]
    assert levels[:2] == (0.0, 1.0)
    assert all(high == 2 * low for low, high in itertools.pairwise(levels[1:]))
    if up:
        assert limit <= levels[-1] * (1 + 1e-12)
        assert levels[-1] < 2 * limit * (1 + 1e-12) or levels[-1] == 1.0
    else:
        assert levels[-1] <= limit * (1 + 1e-12)
        assert limit < 2 * levels[-1] * (1 + 1e-12)


@given(rounds=st.integers(1, 10**9), share=st.floats(0.0, 1.0))
def test_candidate_levels_cover_every_budget_within_a_factor_of_two(rounds, share):
    # C <= C* <= max(1, 2C); the paper's "C* <= 2C" is false for a budget below one half.
    budget = share * rounds
    levels = candidate_levels("T", arms=1, rounds=rounds)
    best = min(level for level in levels if level >= budget)
    assert budget <= best <= max(1.0, 2 * budget)


def test_candidate_levels_that_are_given_are_kept():
    assert candidate_levels((0.0, 3.5), arms=2, rounds=None) == (0.0, 3.5)


@pytest.mark.parametrize("recipe", [RobustBandit, BOBNoRestart])
def test_candidates_in_a_list_become_a_tuple_of_floats(recipe):
    made = recipe(candidates=[0, 1, np.float64(2.5)])
    assert made.candidates == (0.0, 1.0, 2.5)
    assert all(type(level) is float for level in made.candidates)
    assert hash(made) == hash(recipe(candidates=(0.0, 1.0, 2.5)))
