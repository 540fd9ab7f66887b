"""Recipes are values: hashable, equal, frozen, and the same again after JSON."""

import dataclasses
import json
import pickle

import pytest

from robustbandits import policies
from robustbandits.policies import (
    BOBNoRestart,
    Greedy,
    LinTS,
    LinUCB,
    RobustBandit,
    RobustLinUCB,
)

RECIPES = [
    LinUCB(),
    LinUCB(ridge=1, delta=0.2, sigma=0, radius="det", ties="first"),
    LinTS(),
    LinTS(scale=0.25),
    Greedy(),
    Greedy(ridge=3.0),
    RobustLinUCB(100),
    RobustLinUCB(2.5, bonus="paper", max_corruption=2),
    RobustBandit(),
    RobustBandit.as_written(),
    RobustBandit.as_coded(),
    RobustBandit(candidates=[0, 1, 2.5], epoch=17, alpha=0.5),
    BOBNoRestart(),
    BOBNoRestart.as_written(),
    BOBNoRestart.as_coded(),
    BOBNoRestart(candidates=[0, 3], alpha=0.1, clip=False),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.label)
def test_recipe_comes_back_from_json_equal(recipe):
    values = json.loads(json.dumps(recipe.to_dict()))
    assert values["name"] == type(recipe).__name__
    again = getattr(policies, values["name"]).from_dict(values)
    assert again == recipe
    assert hash(again) == hash(recipe)
    assert again.to_dict() == recipe.to_dict()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.label)
def test_recipe_comes_back_from_pickle_equal(recipe):
    assert pickle.loads(pickle.dumps(recipe)) == recipe


def test_recipes_that_differ_are_unequal():
    assert len(set(RECIPES)) == len(RECIPES)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.label)
def test_recipe_is_frozen(recipe):
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.ridge = 5.0


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.label)
def test_recipe_changes_rebuild_it(recipe):
    assert type(recipe)(**recipe.changes()) == recipe


@pytest.mark.parametrize("kind", [LinUCB, LinTS, Greedy, RobustBandit, BOBNoRestart])
def test_recipe_unknown_parameter_in_a_dict_is_named(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__} has no parameter 'speed'; it has"):
        kind.from_dict({"name": kind.__name__, "speed": 3})


def test_recipe_bad_value_in_a_dict_is_named():
    with pytest.raises(ValueError, match=r"ridge must be > 0, got -1\.0"):
        LinUCB.from_dict({"name": "LinUCB", "ridge": -1.0})


def test_recipe_label_tells_what_differs_from_the_defaults():
    assert LinUCB().label == "LinUCB"
    assert LinUCB(ridge=1.0, radius="det").label == "LinUCB(ridge=1.0, radius='det')"
    assert RobustLinUCB(5).label == "RobustLinUCB(budget=5.0)"
    assert policies.CautiousLinUCB(300).label == "CautiousLinUCB(tolerance=300.0)"
