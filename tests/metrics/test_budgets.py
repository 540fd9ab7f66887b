"""The regret-budget curve, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.calm import calm
from metrics.made import finals
from robustbandits import metrics
from robustbandits.metrics.budgets import rising_exponent


def test_curve_has_the_mean_regret_at_each_budget_in_order():
    curve = metrics.budget_curve({10.0: finals(3.0, 5.0), 0.0: finals(1.0, 1.0)})
    assert curve.budgets == (0.0, 10.0)
    assert curve.regrets == ((1.0, 1.0, 1.0), pytest.approx((4.0, 3.0, 5.0)))


def test_area_is_the_mean_excess_as_a_share_of_random_play():
    games = {0.0: finals(1.0, 2.0), 1.0: finals(2.0, 4.0), 2.0: finals(5.0, 6.0)}
    # T = 10, gap 0.5. Seed 0: (1 + 4) / 2 / 5 = 0.5. Seed 1: (2 + 4) / 2 / 5 = 0.6.
    assert metrics.area_under_budgets(games, gap=0.5) == pytest.approx((0.55, 0.5, 0.6))
    assert metrics.budget_curve(games, gap=0.5).area.value == pytest.approx(0.55)


def test_without_budget_zero_there_is_no_area():
    curve = metrics.budget_curve({1.0: finals(1.0), 2.0: finals(2.0)})
    assert math.isnan(curve.area.value)
    assert math.isnan(curve.exponent)
    assert math.isnan(metrics.area_under_budgets({0.0: finals(1.0)}).value)
    assert metrics.budget_curve({}).budgets == ()


@calm
@given(st.floats(0.1, 3.0), st.floats(0.01, 100.0))
def test_exponent_of_a_power_law_is_its_power(power, factor):
    budgets = np.array([1.0, 2.0, 4.0, 8.0])
    assert rising_exponent(budgets, factor * budgets**power) == pytest.approx(power)


def test_exponent_ignores_what_is_flat_helpful_or_infinite():
    budgets = np.array([1.0, 2.0, 4.0, 8.0, math.inf])
    # -1 helped the policy; 8 is past the top.
    assert rising_exponent(budgets, np.array([-1.0, 2.0, 4.0, 4.0, 3.0])) == pytest.approx(1.0)
    assert math.isnan(rising_exponent(budgets, -np.ones(5)))
    assert math.isnan(rising_exponent(np.array([1.0]), np.array([1.0])))
