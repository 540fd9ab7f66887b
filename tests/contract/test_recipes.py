"""Every policy and preset is a value: equal and hashable, frozen, the same again after JSON."""

import dataclasses
import json
import pickle

import pytest

import robustbandits as rb
from catalogue import policy
from robustbandits.experiments.registry import presets

#: What each preset changes. docs/presets.md says why the practical ones have these values.
PRESETS = {
    "RobustBandit.as_written": {
        "candidates": "2KT",
        "epoch": "paper",
        "reward_scale": "none",
        "bonus": "paper",
        "delta_split": False,
        "clip": False,
    },
    "RobustBandit.as_coded": {
        "sigma": 0.01,
        "ties": "first",
        "candidates": "2KH-floor",
        "epoch": "never",
        "restart": False,
        "reward_scale": "none",
        "bonus": "paper",
        "index": "global",
        "delta_split": False,
        "clip": False,
    },
    "BOBNoRestart.as_written": {"candidates": "2KT", "bonus": "paper", "clip": False},
    "BOBNoRestart.as_coded": {
        "sigma": 0.01,
        "ties": "first",
        "candidates": "2KT-floor",
        "bonus": "paper",
        "clip": False,
    },
    "SlidingWindowLinUCB.as_written": {"growing": False, "delta": None},
    "BOB.as_written": {"growing": False, "delta": None, "clip": False},
    "MLAER.practical": {"width_scale": 0.15},
    "SuccessiveElimination.practical": {"budget": 5.0, "width_scale": 0.15},
    "BARBAR.practical": {"lambda_const": 1.0},
    "BARBAT.practical": {"lambda_const": 1.0},
    "WeightedOFUL.practical": {"budget": 5.0, "radius_scale": 0.01},
    "MultiLevelWeightedOFUL.practical": {"radius_scale": 0.01},
    "COBE.practical": {"test_scale": 0.02},
    "HuberOFUL.practical": {"radius_scale": 0.003},
    "RobustPhasedElimination.practical": {"budget": 5.0, "threshold": "tight"},
    "SupportBasisExploration.practical": {"scale": 0.003},
    "EnlargedGPUCB.practical": {"budget": 5.0, "bonus_scale": 0.1},
    "MultiLayerGPUCB.practical": {"alpha": 1.0, "bonus_scale": 0.3},
}


def make_preset(name, **changes):
    kind, preset = name.split(".")
    needed = {"budget": 5.0} if "budget" in PRESETS[name] else {}
    return getattr(getattr(rb.policies, kind), preset)(**needed, **changes)


RECIPES = pytest.mark.parametrize(
    "recipe",
    [*map(policy, rb.policies.__all__), *map(make_preset, PRESETS)],
    ids=lambda recipe: recipe.label[:60],
)


@RECIPES
def test_recipe_comes_back_equal_from_json_pickle_and_its_changes(recipe):
    values = json.loads(json.dumps(recipe.to_dict()))
    kind = getattr(rb.policies, values["name"])
    for again in (
        kind.from_dict(values),
        pickle.loads(pickle.dumps(recipe)),
        kind(**recipe.changes()),
    ):
        assert again == recipe
        assert hash(again) == hash(recipe)


@RECIPES
def test_recipe_is_frozen(recipe):
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.delta = 0.5


@RECIPES
def test_recipe_takes_parameters_by_name_except_the_first_required_one(recipe):
    with pytest.raises(TypeError, match="positional"):
        type(recipe)(5.0, 0.1, 0.1)


def test_every_preset_is_listed_here():
    found = [f"{n}.{p}" for n in rb.policies.__all__ for p in presets(getattr(rb.policies, n))]
    assert sorted(found) == sorted(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_preset_changes_what_is_listed_and_takes_other_values(name):
    assert make_preset(name).changes() == PRESETS[name]
    kind = getattr(rb.policies, name.split(".")[0])
    defaults = {key: getattr(kind, key) for key in PRESETS[name] if key != "budget"}
    assert make_preset(name, **defaults).changes().keys() <= {"budget"}
