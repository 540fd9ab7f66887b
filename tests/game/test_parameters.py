"""Recipes check their parameters by annotation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from robustbandits.game.parameters import (
    CheckedRecipe,
    Count,
    Flag,
    NonNegative,
    Positive,
    Probability,
    Share,
)


@dataclass(frozen=True, kw_only=True)
class Base(CheckedRecipe):
    positive: Positive = 1.0
    optional: NonNegative | None = None


@dataclass(frozen=True, kw_only=True)
class Example(Base):
    probability: Probability = 0.5
    share: Share = 0.5
    count: Count = 1
    flag: Flag = True
    word: Literal["one", "two"] = "one"
    optional_word: Literal["one"] | None = None
    anything: Any = None
    plain: float = 0.0


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("positive", 0.0, "positive must be > 0, got 0.0"),
        ("optional", -1, "optional must be >= 0, got -1"),
        ("flag", 1, "flag must be True or False, got 1"),
        ("word", "three", "word must be one of 'one', 'two'; got 'three'"),
        ("optional_word", "two", "optional_word must be one of 'one'; got 'two'"),
        ("positive", None, "positive must be a number, got None"),
    ],
)
def test_bad_value_is_refused_by_name(name, value, words):
    with pytest.raises((TypeError, ValueError), match=words):
        Example(**{name: value})


def test_good_values_are_stored_in_their_type():
    recipe = Example(positive=3, optional=0, share=1, count=2, word="two", optional_word="one")
    assert (recipe.positive, recipe.optional, recipe.share) == (3.0, 0.0, 1.0)
    assert all(type(value) is float for value in (recipe.positive, recipe.optional, recipe.share))
    assert (recipe.count, recipe.word, recipe.optional_word) == (2, "two", "one")
    assert Example(optional=None).optional is None


def test_other_annotations_are_not_checked():
    recipe = Example(anything="x", plain="y")
    assert (recipe.anything, recipe.plain) == ("x", "y")
