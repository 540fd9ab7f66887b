"""Recipes: names, labels, and there and back as JSON."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest

import robustbandits as rb
from property.laws import ATTACKERS, PLAIN, POLICIES, WILD, attack_of

RECIPES = [
    *POLICIES.values(),
    *(attack_of(form, 7.5) for form in ATTACKERS),
    rb.attacks.NoAttack(),
    rb.attacks.Garcelon(math.inf),
    rb.policies.BOBNoRestart(candidates=(0.0, 2.5, 7.0)),
    rb.policies.RobustBandit.as_written(),
    rb.policies.RobustBandit.as_coded(),
    WILD,
    PLAIN,
]
EVERY_RECIPE = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.label)


def test_a_label_is_the_name_when_nothing_was_changed():
    assert rb.policies.LinUCB().label == rb.policies.LinUCB().name == "LinUCB"


def test_a_label_tells_what_was_changed():
    assert rb.policies.LinUCB(ridge=0.5, ties="first").label == "LinUCB(ridge=0.5, ties='first')"


def test_a_label_tells_the_parameters_that_have_no_default():
    assert rb.attacks.Garcelon(10).label == "Garcelon(budget=10.0)"


def test_a_parameter_given_its_default_is_no_change():
    assert rb.policies.LinUCB(ridge=0.1).changes() == {}


def test_the_papers_spelling_is_kept_for_tables():
    policy = rb.policies.BOBNoRestart(clip=False)
    assert policy.name == "BOB-No-Restart"
    assert policy.label == "BOB-No-Restart(clip=False)"
    assert policy.to_dict()["name"] == "BOBNoRestart"


@EVERY_RECIPE
def test_a_recipe_comes_back_from_json(recipe):
    words = json.loads(json.dumps(recipe.to_dict()))
    assert type(recipe).from_dict(words) == recipe


@EVERY_RECIPE
def test_equal_recipes_have_equal_hashes(recipe):
    twin = dataclasses.replace(recipe)
    assert twin == recipe
    assert hash(twin) == hash(recipe)


@EVERY_RECIPE
def test_a_recipe_cannot_be_changed(recipe):
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.budget = 3.0


@EVERY_RECIPE
def test_an_unknown_parameter_is_refused_by_name(recipe):
    with pytest.raises(ValueError, match="has no parameter 'colour'; it has"):
        type(recipe).from_dict({**recipe.to_dict(), "colour": "red"})


def test_a_bad_value_is_refused_when_read_back():
    words = rb.policies.LinUCB().to_dict() | {"ridge": -1.0}
    with pytest.raises(ValueError, match=r"ridge must be > 0, got -1\.0"):
        rb.policies.LinUCB.from_dict(words)


def test_another_recipes_words_are_refused():
    with pytest.raises(ValueError, match="Greedy"):
        rb.policies.LinUCB.from_dict(rb.policies.Greedy().to_dict())


def test_whole_numbers_are_kept_as_floats_so_that_nothing_is_compiled_twice():
    assert type(rb.policies.LinUCB(ridge=1).ridge) is float
    assert type(rb.attacks.Garcelon(budget=3).budget) is float
    assert type(rb.environments.Simulation(noise=0).noise) is float
