"""Checks of arguments return plain numbers; their errors name the argument and the value."""

import math
from decimal import Decimal

import numpy as np
import pytest

from robustbandits.game import require


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.float32(3), np.int8(3), np.array(3.0)])
def test_numbers_are_returned_as_plain_floats(value):
    number = require.real("x", value)
    assert type(number) is float
    assert number == 3.0


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_counts_are_returned_as_plain_ints(value):
    number = require.count("x", value)
    assert type(number) is int
    assert number == 3


@pytest.mark.parametrize(
    "value", ["3", None, True, np.True_, [3.0], np.array([3.0]), 1j, Decimal(3)], ids=repr
)
def test_values_that_are_not_numbers_are_refused(value):
    with pytest.raises(TypeError, match=r"^x must be a number, got "):
        require.real("x", value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400])
def test_numbers_that_are_not_finite_floats_are_refused(value):
    with pytest.raises(ValueError, match=r"^x must be finite, got "):
        require.real("x", value)


@pytest.mark.parametrize("value", [3.0, "3", None, True, np.float64(3), np.array([3]), np.True_])
def test_values_that_are_not_whole_numbers_are_refused(value):
    with pytest.raises(TypeError, match=r"^x must be a whole number, got "):
        require.count("x", value)


def test_the_ends_of_closed_ranges_are_accepted():
    assert require.at_least("x", 0, 0.0) == 0.0
    assert require.between("x", 0, 0, 1) == 0.0
    assert require.between("x", 1, 0, 1) == 1.0
    assert require.count("x", 0, low=0) == 0
    assert require.fraction("x", 1e-200) == 1e-200
    assert require.budget("x", np.float64("inf")) == math.inf
    assert require.one_of("x", "a", ("a", "b")) == "a"
    assert require.flag("x", False) is False


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: require.at_least("budget", -1.0, 0.0), "budget must be >= 0, got -1.0"),
        (lambda: require.positive("ridge", 0), "ridge must be > 0, got 0"),
        (lambda: require.between("top", 1.5, 0, 1), "top must be between 0 and 1, got 1.5"),
        (lambda: require.fraction("p", 0), "p must be between 0 and 1 (both excluded), got 0"),
        (lambda: require.fraction("p", 1.0), "p must be between 0 and 1 (both excluded), got 1.0"),
        (lambda: require.fraction("p", 1e-300), "p must be at least 1e-200, got 1e-300"),
        (lambda: require.count("arms", 0), "arms must be >= 1, got 0"),
        (lambda: require.budget("budget", -0.5), "budget must be >= 0, got -0.5"),
        (lambda: require.budget("budget", math.nan), "budget must be finite, got nan"),
        (lambda: require.one_of("form", "c", ("a", "b")), "form must be one of 'a', 'b'; got 'c'"),
        (lambda: require.one_of("form", ["a"], ("a",)), "form must be one of 'a'; got ['a']"),
        (lambda: require.flag("clip", 1), "clip must be True or False, got 1"),
    ],
)
def test_errors_name_the_argument_what_is_expected_and_the_value(call, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert str(caught.value) == message
