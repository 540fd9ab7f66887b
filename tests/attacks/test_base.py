"""What attacks have in common: parameters, and who counts as one of the best arms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from property.laws import ATTACKERS, attack_of, law, make_attack
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
@given(means=some_means, counts=st.tuples(st.integers(0, 13), st.integers(0, 13)))
def test_more_top_arms_include_fewer(means, counts):
    fewer, more = sorted(counts)
    assert best(means, fewer) <= best(means, more)


@law
@given(means=some_means)
def test_all_but_worst_spares_one_arm_with_the_smallest_mean(means):
    spared = set(range(len(means))) - best(means, count_top("all-but-worst", len(means)))
    assert len(spared) == 1
    assert means[spared.pop()] == means.min()


@pytest.mark.parametrize(
    ("top", "arms", "count"),
    [
        *[(0.5, 20, 10), (0.5, 5, 2), (0.0, 9, 0), (1.0, 9, 9), (0.5, 1, 0)],
        *[(0.25, 3, 1), (0.25, 2, 1), (0.01, 20, 1), (0.25, 1, 0), (1.0, 1, 1)],
        *[("all-but-worst", 4, 3), ("best", 20, 1), ("best", 2, 1), ("best", 1, 0)],
    ],
)
def test_a_share_of_the_arms_is_rounded_down_to_one_at_least_and_words_have_their_counts(
    top, arms, count
):
    assert count_top(top, arms) == count


def test_a_share_that_is_a_whole_number_of_arms_is_that_number():
    wrong = [
        (count, arms)
        for arms in range(1, 201)
        for count in range(arms + 1)
        if count_top(count / arms, arms) != count
    ]
    assert wrong == []


@pytest.mark.parametrize("form", ATTACKERS)
@pytest.mark.parametrize("budget", [-1.0, math.nan, -math.inf, "1", None, True])
def test_a_bad_budget_is_refused_by_name(form, budget):
    with pytest.raises((ValueError, TypeError), match="budget must be"):
        attack_of(form, budget)


@pytest.mark.parametrize("form", ATTACKERS)
def test_an_unknown_purse_is_refused_by_name(form):
    with pytest.raises(ValueError, match="purse must be one of"):
        attack_of(form, 1.0, purse="generous")


@pytest.mark.parametrize("name", ["Garcelon", "Oracle", "ContextDilation"])
@pytest.mark.parametrize("top", [-0.1, 1.1, math.nan, "most", None])
def test_a_bad_top_is_refused_by_name(name, top):
    with pytest.raises((ValueError, TypeError), match="top must be"):
        make_attack(name, 1.0, top=top)


@pytest.mark.parametrize(
    ("name", "values", "argument"),
    [
        ("Garcelon", {"replace": "ceiling"}, "replace"),
        ("Garcelon", {"noise": -0.1}, "noise"),
        ("Oracle", {"margin": -0.1}, "margin"),
        ("Oracle", {"form": "swap"}, "form"),
        ("Oracle", {"noise": math.inf}, "noise"),
        ("FlipTheta", {"center": math.nan}, "center"),
        ("FlipTheta", {"form": "twice"}, "form"),
        ("FlipTheta", {"rounds": 1.5}, "rounds"),
        ("FlipTheta", {"rounds": -1}, "rounds"),
        ("ContextDilation", {"factor": 0.9}, "factor"),
        ("ContextDilation", {"which": "none"}, "which"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(name, values, argument):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be"):
        make_attack(name, 1.0, **values)


def test_budget_may_be_given_by_position():
    assert rb.attacks.Garcelon(3.0) == rb.attacks.Garcelon(budget=3.0)


def test_an_attack_imitates_the_noise_of_the_environment():
    problem = Problem(arms=2, dim=2, noise=0.25)
    assert imitated_noise(None, problem, "X") == 0.25
    assert imitated_noise(0.5, problem, "X") == 0.5


@pytest.mark.parametrize("name", ["Garcelon", "Oracle"])
def test_an_attack_that_cannot_know_the_noise_asks_for_it(name):
    silent = Problem(arms=2, dim=2)
    with pytest.raises(ValueError, match=f"{name} needs noise="):
        make_attack(name).start(silent)
    make_attack(name, noise=0.1).start(silent)
