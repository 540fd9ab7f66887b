"""What attacks cost: each number by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.sample_ledgers import sample_ledger, with_finals
from robustbandits import metrics
from robustbandits.metrics.damage import rising_exponent

regrets = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=5)


def test_excess_is_the_mean_of_paired_differences():
    # 10 - 1 = 9 and 20 - 5 = 15; two seeds: the interval is their range.
    excess = metrics.excess_regret(with_finals(10.0, 20.0), with_finals(1.0, 5.0))
    assert excess == pytest.approx((12.0, 9.0, 15.0))


def test_games_are_paired_by_seed_not_by_order():
    attacked = [sample_ledger([regret], seed=seed) for regret, seed in ((10, 3), (20, 7), (99, 8))]
    clean = [sample_ledger([regret], seed=seed) for regret, seed in ((5, 7), (1, 3), (0, 1))]
    assert metrics.excess_regret(attacked, clean).value == 12.0
    assert metrics.excess_regret.by_seed(attacked, clean).tolist() == [9.0, 15.0]


def test_price_is_the_clean_difference_to_the_reference():
    assert metrics.price_of_robustness(with_finals(7.0, 9.0), with_finals(2.0, 3.0)).value == 5.5


def test_amplification_is_excess_for_each_unit_spent():
    attacked = [sample_ledger([r], seed=i, spent=s) for i, (r, s) in enumerate([(10, 1), (20, 3)])]
    # (9 + 15) / (1 + 3) = 6; resamples: 9/1, 15/3, and both.
    amplification = metrics.amplification(attacked, with_finals(1.0, 5.0))
    assert amplification == pytest.approx((6.0, 5.0, 9.0))


def test_amplification_without_spending_is_unknown():
    assert math.isnan(metrics.amplification(with_finals(1.0, 2.0), with_finals(0.0, 0.0)).value)
    assert math.isnan(metrics.amplification([], with_finals(0.0)).value)


def test_amplification_with_a_seed_that_spent_nothing_has_no_interval():
    # A resample may have that seed alone, and then the ratio is undefined.
    attacked = [sample_ledger([3.0], seed=seed, spent=2.0 * seed) for seed in (0, 1)]
    amplification = metrics.amplification(attacked, with_finals(1.0, 1.0))
    assert amplification.value == 2.0
    assert not amplification.has_interval


def test_worst_case_is_the_attack_with_the_largest_mean():
    suite = {"a": with_finals(1.0, 9.0), "b": with_finals(4.0, 8.0), "c": with_finals(0, 0)}
    worst = metrics.worst_case(suite)
    assert worst.attack == "b"
    # Resamples: seed 0 twice gives max(1, 4), seed 1 twice gives max(9, 8).
    assert worst.regret == pytest.approx((6.0, 4.0, 9.0))


def test_worst_case_of_nothing_is_unknown():
    assert math.isnan(metrics.worst_case({}).regret.value)
    nothing = metrics.worst_case({"a": with_finals(1.0), "b": []})
    assert nothing.attack == ""
    assert math.isnan(nothing.regret.value)


@settings(max_examples=50)
@given(regrets, regrets)
def test_worst_case_is_no_better_than_any_attack(left, right):
    size = min(len(left), len(right))
    suite = {"a": with_finals(*left[:size]), "b": with_finals(*right[:size])}
    worst = metrics.worst_case(suite).regret.value
    assert worst >= max(np.mean(left[:size]), np.mean(right[:size])) * (1 - 1e-12)


def test_budget_curve_has_the_mean_regret_at_each_budget_in_order():
    curve = metrics.budget_curve({10.0: with_finals(3.0, 5.0), 0.0: with_finals(1.0, 1.0)})
    assert curve.budgets == (0.0, 10.0)
    assert curve.regrets == ((1.0, 1.0, 1.0), pytest.approx((4.0, 3.0, 5.0)))


def test_area_under_budgets_is_the_mean_excess_as_a_share_of_random_play():
    games = {0.0: with_finals(1.0, 2.0), 1.0: with_finals(2.0, 4.0), 2.0: with_finals(5.0, 6.0)}
    # T = 10, gap 0.5. Seed 0: (1 + 4) / 2 / 5 = 0.5. Seed 1: (2 + 4) / 2 / 5 = 0.6.
    assert metrics.budget_curve(games, gap=0.5).area == pytest.approx((0.55, 0.5, 0.6))


@pytest.mark.parametrize("budgets", [(), (0.0,), (1.0, 2.0)])
def test_without_budget_zero_and_another_there_is_no_area(budgets):
    curve = metrics.budget_curve({budget: with_finals(1.0 + budget) for budget in budgets})
    assert curve.budgets == budgets
    assert math.isnan(curve.area.value)
    assert math.isnan(curve.exponent)


@given(st.floats(0.1, 3.0), st.floats(0.01, 100.0))
def test_exponent_of_a_power_law_is_its_power(power, factor):
    budgets = np.array([1.0, 2.0, 4.0, 8.0])
    assert rising_exponent(budgets, factor * budgets**power) == pytest.approx(power)


def test_exponent_ignores_flat_negative_and_infinite_parts():
    budgets = np.array([1.0, 2.0, 4.0, 8.0, math.inf])
    # -1 helped the policy; 8 is past the maximum.
    assert rising_exponent(budgets, np.array([-1.0, 2.0, 4.0, 4.0, 3.0])) == pytest.approx(1.0)
    assert math.isnan(rising_exponent(budgets, -np.ones(5)))
    assert math.isnan(rising_exponent(np.array([1.0]), np.array([1.0])))
