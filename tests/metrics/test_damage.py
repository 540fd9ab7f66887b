"""What attacks cost: each number by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.calm import calm
from metrics.made import finals, made
from robustbandits import metrics
from robustbandits.metrics.amplify import ratio_of_means
from robustbandits.metrics.tail import mean_of_worst

regrets = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=5)


def test_excess_is_the_mean_of_paired_differences():
    # 10 - 1 = 9 and 20 - 5 = 15; two seeds: the interval is their range.
    assert metrics.excess_regret(finals(10.0, 20.0), finals(1.0, 5.0)) == pytest.approx(
        (12.0, 9.0, 15.0)
    )


def test_pairs_are_found_by_seed_not_by_order():
    attacked = [made([10.0], seed=3), made([20.0], seed=7), made([99.0], seed=8)]
    clean = [made([5.0], seed=7), made([1.0], seed=3), made([0.0], seed=1)]
    assert metrics.excess_regret(attacked, clean).value == 12.0


def test_without_a_common_seed_nothing_is_known():
    assert math.isnan(metrics.excess_regret([made([1.0], seed=1)], [made([1.0], seed=2)]).value)


@calm
@given(regrets)
def test_game_has_no_excess_over_itself(values):
    assert metrics.excess_regret(finals(*values), finals(*values)).value == 0.0


@calm
@given(regrets, regrets)
def test_excess_changes_sign_when_sides_are_swapped(left, right):
    there = metrics.excess_regret(finals(*left), finals(*right)).value
    back = metrics.excess_regret(finals(*right), finals(*left)).value
    assert there == pytest.approx(-back)


def test_price_is_the_clean_difference_to_the_reference():
    assert metrics.price_of_robustness(finals(7.0, 9.0), finals(2.0, 3.0)).value == 5.5


def test_amplification_is_excess_for_each_unit_spent():
    attacked = [made([10.0], seed=0, spent=1.0), made([20.0], seed=1, spent=3.0)]
    # (9 + 15) / (1 + 3) = 6; resamples: 9/1, 15/3, and both.
    estimate = metrics.amplification(attacked, finals(1.0, 5.0))
    assert estimate == pytest.approx((6.0, 5.0, 9.0))


def test_amplification_without_spending_is_unknown():
    assert math.isnan(metrics.amplification(finals(1.0, 2.0), finals(0.0, 0.0)).value)
    assert math.isnan(metrics.amplification([], finals(0.0)).value)


def test_amplification_with_a_seed_that_spent_nothing_has_no_upper_end():
    # A resample may hold that seed alone: the ratio is then undefined, and the interval says so.
    attacked = [made([3.0], seed=0, spent=0.0), made([3.0], seed=1, spent=2.0)]
    estimate = metrics.amplification(attacked, finals(1.0, 1.0))
    assert estimate.value == 2.0
    assert not estimate.has_interval


def test_ratio_of_means_is_taken_along_the_axis():
    above, below = np.array([[1.0, 3.0], [1.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0]])
    assert ratio_of_means(above, below) == pytest.approx([2.0, math.nan], nan_ok=True)


def test_worst_case_is_the_attack_with_the_largest_mean():
    worst = metrics.worst_case({"a": finals(1.0, 9.0), "b": finals(4.0, 8.0), "c": finals(0, 0)})
    assert worst.attack == "b"
    # Resamples: seed 0 twice gives max(1, 4), seed 1 twice gives max(9, 8).
    assert worst.regret == pytest.approx((6.0, 4.0, 9.0))


def test_worst_case_of_nothing_is_unknown():
    assert math.isnan(metrics.worst_case({}).regret.value)
    assert math.isnan(metrics.worst_case({"a": finals(1.0), "b": []}).regret.value)


@calm
@given(regrets, regrets)
def test_worst_case_is_no_better_than_any_attack(left, right):
    size = min(len(left), len(right))
    suite = {"a": finals(*left[:size]), "b": finals(*right[:size])}
    worst = metrics.worst_case(suite).regret.value
    assert worst >= max(np.mean(left[:size]), np.mean(right[:size])) * (1 - 1e-12)


def test_tail_is_the_worst_tenth():
    # Twenty seeds: the two worst, 19 and 18.
    assert metrics.tail_regret(finals(*range(20))).value == pytest.approx(18.5)
    # Fifteen: 1.5 seeds, so 14 in full and 13 by half.
    assert metrics.tail_regret(finals(*range(15))).value == pytest.approx((14 + 13 / 2) / 1.5)
    # Five: half a seed, which is the worst one.
    assert metrics.tail_regret(finals(*range(5))).value == 4.0
    assert math.isnan(metrics.tail_regret([]).value)


@calm
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_tail_solves_its_minimisation(values):
    sample = np.array(values)
    objective = [z + np.maximum(sample - z, 0.0).mean() / 0.1 for z in sample]
    assert float(mean_of_worst(sample)) == pytest.approx(min(objective), abs=1e-3)


def test_tail_refuses_another_axis():
    with pytest.raises(ValueError, match="axis must be the last"):
        mean_of_worst(np.zeros((2, 3)), axis=0)
