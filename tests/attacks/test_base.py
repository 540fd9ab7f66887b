"""What attacks have in common: parameters, and which arms count as the best."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from property.laws import law, make_attack
from robustbandits.attacks._base import count_top, imitated_noise, is_among_best
from robustbandits.game.problem import Problem

levels = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])  # ties are common
some_means = st.lists(levels | st.floats(0.0, 1.0), min_size=1, max_size=12).map(np.array)


def best(means: np.ndarray, count: int) -> set[int]:
    return {arm for arm in range(len(means)) if is_among_best(means, arm, count)}


@law
@given(means=some_means, count=st.integers(0, 13))
def test_the_best_arms_are_the_first_of_a_stable_sort(means, count):
    ranking = np.argsort(-means, kind="stable")
    assert best(means, count) == set(ranking[:count].tolist())


@law
@given(means=some_means)
def test_all_but_worst_leaves_out_one_arm_with_the_smallest_mean(means):
    left_out = set(range(len(means))) - best(means, count_top("all-but-worst", len(means)))
    assert len(left_out) == 1
    assert means[left_out.pop()] == means.min()


@pytest.mark.parametrize(
    ("top", "arms", "count"),
    [
        *[(0.5, 20, 10), (0.5, 5, 2), (0.0, 9, 0), (1.0, 9, 9), (0.5, 1, 0)],
        *[(0.25, 3, 1), (0.25, 2, 1), (0.01, 20, 1), (0.25, 1, 0), (1.0, 1, 1)],
        *[("all-but-worst", 4, 3), ("best", 20, 1), ("best", 2, 1), ("best", 1, 0)],
    ],
)
def test_a_share_is_rounded_down_but_stands_for_one_arm_at_least(top, arms, count):
    assert count_top(top, arms) == count


def test_a_share_that_is_a_whole_number_of_arms_is_that_number():
    wrong = [
        (count, arms)
        for arms in range(1, 201)
        for count in range(arms + 1)
        if count_top(count / arms, arms) != count
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "values", "argument"),
    [
        *[("Garcelon", {"budget": budget}, "budget") for budget in (-1.0, math.nan, "1", None)],
        ("Garcelon", {"purse": "generous"}, "purse"),
        *[("Garcelon", {"top": top}, "top") for top in (-0.1, 1.1, math.nan, "most", None)],
        ("Garcelon", {"replace": "ceiling"}, "replace"),
        ("Garcelon", {"noise": -0.1}, "noise"),
        ("Oracle", {"margin": -0.1}, "margin"),
        ("Oracle", {"form": "swap"}, "form"),
        ("FlipTheta", {"center": math.nan}, "center"),
        ("FlipTheta", {"form": "twice"}, "form"),
        ("FlipTheta", {"rounds": -1}, "rounds"),
        ("ContextDilation", {"factor": 0.9}, "factor"),
        ("ContextDilation", {"which": "none"}, "which"),
    ],
)
def test_a_bad_parameter_is_an_error_with_its_name(name, values, argument):
    with pytest.raises((ValueError, TypeError), match=f"^{argument} must be"):
        make_attack(name, **{"budget": 1.0, **values})


def test_the_budget_may_be_given_by_position():
    assert rb.attacks.Garcelon(3.0) == rb.attacks.Garcelon(budget=3.0)


def test_the_noise_of_faked_rewards_is_the_environments_by_default():
    problem = Problem(arms=2, dim=2, noise=0.25)
    assert imitated_noise(None, problem, "X") == 0.25
    assert imitated_noise(0.5, problem, "X") == 0.5


@pytest.mark.parametrize("name", ["Garcelon", "Oracle"])
def test_an_attack_asks_for_the_noise_if_the_environment_does_not_give_it(name):
    problem = Problem(arms=2, dim=2)
    with pytest.raises(ValueError, match=f"{name} needs noise="):
        make_attack(name).start(problem)
    make_attack(name, noise=0.1).start(problem)
