"""Recipes: names, labels, and conversion to JSON and back."""

import dataclasses
import json
import math

import pytest

import robustbandits as rb
from property.laws import ATTACKERS, PLAIN, attack_of

#: Policies are tested in tests/contract/test_recipes.py.
RECIPES = [
    *(attack_of(form, 7.5) for form in ATTACKERS),
    rb.attacks.NoAttack(),
    rb.attacks.Garcelon(math.inf),
    PLAIN,
]


def test_a_label_is_the_name_with_the_parameters_that_are_not_defaults():
    assert rb.policies.LinUCB(ridge=0.1).label == rb.policies.LinUCB().name == "LinUCB"
    assert rb.policies.LinUCB(ridge=0.5, ties="first").label == "LinUCB(ridge=0.5, ties='first')"
    assert rb.attacks.Garcelon(10).label == "Garcelon(budget=10.0)"
    assert rb.policies.LinUCB(ridge=0.1).changes() == {}


def test_a_name_for_tables_may_differ_from_the_class():
    policy = rb.policies.BOBNoRestart(clip=False)
    assert policy.name == "BOB-No-Restart"
    assert policy.label == "BOB-No-Restart(clip=False)"
    assert policy.to_dict()["name"] == "BOBNoRestart"


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.label)
def test_a_recipe_is_frozen_hashable_and_the_same_after_json(recipe):
    values = json.loads(json.dumps(recipe.to_dict()))
    twin = type(recipe).from_dict(values)
    assert twin == recipe
    assert hash(twin) == hash(recipe)
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.budget = 3.0
    with pytest.raises(ValueError, match="has no parameter 'color'; it has"):
        type(recipe).from_dict({**values, "color": "red"})


def test_from_dict_refuses_bad_values_and_other_recipes():
    with pytest.raises(ValueError, match=r"ridge must be > 0, got -1\.0"):
        rb.policies.LinUCB.from_dict(rb.policies.LinUCB().to_dict() | {"ridge": -1.0})
    with pytest.raises(ValueError, match="expected parameters of LinUCB, got those of Greedy"):
        rb.policies.LinUCB.from_dict(rb.policies.Greedy().to_dict())
