"""Checks of arguments: what passes comes back plain, and errors name argument and value."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from robustbandits.game import require


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.float32(3), np.int8(3), np.array(3.0)])
def test_numbers_come_back_as_plain_floats(value):
    number = require.real("x", value)
    assert type(number) is float
    assert number == 3.0


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_counts_come_back_as_plain_ints(value):
    number = require.count("x", value)
    assert type(number) is int
    assert number == 3


@pytest.mark.parametrize("value", ["3", None, True, False, [3.0], np.array([3.0]), 1j, Decimal(3)])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match=r"^x must be a number, got "):
        require.real("x", value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match=r"^x must be finite, got "):
        require.real("x", value)


def test_a_whole_number_too_large_for_a_float_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^x must be "):
        require.real("x", 10**400)


def test_a_numpy_truth_value_is_no_number():
    with pytest.raises(TypeError, match=r"^x must be a number, got "):
        require.real("x", np.True_)


@pytest.mark.parametrize("value", [3.0, "3", None, True, np.float64(3), np.array([3]), np.True_])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(TypeError, match=r"^x must be a whole number, got "):
        require.count("x", value)


def test_the_ends_of_ranges_belong_to_them_or_not():
    assert require.at_least("x", 0, 0.0) == 0.0
    assert require.between("x", 0, 0, 1) == 0.0
    assert require.between("x", 1, 0, 1) == 1.0
    assert require.count("x", 0, low=0) == 0
    for check, value in [
        (require.positive, 0),
        (require.fraction, 0),
        (require.fraction, 1),
        (require.count, 0),
    ]:
        with pytest.raises(ValueError, match=r"^x must be "):
            check("x", value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: require.at_least("budget", -1.0, 0.0), "budget must be >= 0, got -1.0"),
        (lambda: require.positive("ridge", -2), "ridge must be > 0, got -2"),
        (lambda: require.between("top", 1.5, 0, 1), "top must be between 0 and 1, got 1.5"),
        (
            lambda: require.fraction("delta", 1.0),
            "delta must be between 0 and 1 (both excluded), got 1.0",
        ),
        (lambda: require.count("arms", 0), "arms must be >= 1, got 0"),
        (lambda: require.budget("budget", -0.5), "budget must be >= 0, got -0.5"),
        (lambda: require.one_of("form", "c", ("a", "b")), "form must be one of 'a', 'b'; got 'c'"),
        (lambda: require.flag("clip", 1), "clip must be True or False, got 1"),
    ],
)
def test_messages_name_the_argument_the_value_and_the_remedy(call, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [math.inf, np.float64("inf")])
def test_a_budget_may_be_infinite(value):
    assert require.budget("budget", value) == math.inf


@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_a_budget_may_not_be_anything_else_that_is_not_finite(value):
    with pytest.raises(ValueError, match=r"^budget must be "):
        require.budget("budget", value)


@pytest.mark.parametrize("value", ["A", "", None, 0, ["a"]])
def test_one_of_takes_a_listed_word_only(value):
    assert require.one_of("form", "a", ("a", "b")) == "a"
    with pytest.raises(ValueError, match=r"^form must be one of 'a', 'b'; got "):
        require.one_of("form", value, ("a", "b"))


def test_flags_come_back_as_they_are():
    assert require.flag("clip", True) is True
    assert require.flag("clip", False) is False


def test_a_fraction_is_one_that_can_be_divided_by():
    assert require.fraction("delta", 1e-200) == 1e-200
    with pytest.raises(ValueError, match="delta must be at least 1e-200, got 1e-300"):
        require.fraction("delta", 1e-300)
