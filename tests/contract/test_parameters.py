"""Every parameter of every policy refuses bad values by name, and takes the ends of its range."""

import dataclasses
import math
import types
import typing

import pytest

import robustbandits as rb
from catalogue import policy
from robustbandits.game.parameters import Count, Flag, NonNegative, Positive, Probability, Share

NOT_NUMBERS = ("1", True, [1.0], math.nan, math.inf)
POSITIVE = (0.0, -1.0, *NOT_NUMBERS)
NON_NEGATIVE = (-1.0, *NOT_NUMBERS)
PROBABILITY = (0.0, 1.0, -0.1, *NOT_NUMBERS)
SHARE = (-0.1, 1.1, *NOT_NUMBERS)
COUNT = (0, -1, 2.5, "3", True)
FLAG = (0, 1, "yes")
WORD = ("unknown", 1, ["first"])

#: Values to refuse and values to accept, by the name of the parameter, for all policies.
VALUES = {
    "alpha": (SHARE, (0, 1)),
    **dict.fromkeys(
        (("FastSlowGPUCB", "alpha"), ("MultiLayerGPUCB", "alpha")),
        ((0.9, -1.0, *NOT_NUMBERS), (1, 5)),
    ),
    "bins": ((1, (1 << 16) + 1, 2.5, "3"), (2, 1 << 16)),
    "block": (COUNT, (1,)),
    "bonus": (WORD, ("paper", "l1", "l2", "tight")),
    "bonus_scale": (NON_NEGATIVE, (0,)),
    "budget": (NON_NEGATIVE, (0,)),
    "c_hat_scale": (NON_NEGATIVE, (0,)),
    "candidates": (("2kt", [], 5, [0, -1.0], [0, math.nan], [0, "1"], [2, 2.0]), ([0, 2], "T")),
    "clip": (FLAG, (False, True)),
    "clock": (WORD, ("rewards", "horizon")),
    "delta": (PROBABILITY, (1e-9,)),
    "delta_split": (FLAG, (False, True)),
    "divide_by": (WORD, ("planned", "actual")),
    "epoch": (("long", 0, 100.0, True), ("balanced", "paper", "never", 1)),
    "error": (NON_NEGATIVE, (0,)),
    "estimator": (WORD, ("median", "trimmed")),
    "exp3_horizon": (WORD, ("epochs", "rounds")),
    "first_phase": (COUNT, (1,)),
    "floor": ((-0.1, 0.6, *NOT_NUMBERS), (0, 0.5)),
    "fraction": ((-0.1, 0.5, 0.6, *NOT_NUMBERS), (0, 0.49)),
    "growing": (FLAG, (False, True)),
    "growth": (POSITIVE, (1,)),
    "high": ((-0.5, -1.0, *NOT_NUMBERS), (2,)),
    "index": (WORD, ("local", "global")),
    "kernel": (WORD, ("linear", "rbf", "matern")),
    "lambda_const": (POSITIVE, (1,)),
    "layers": (COUNT, (1,)),
    "lengthscale": (POSITIVE, (1,)),
    "levels": ((*COUNT, 41), (1, 40)),
    "low": (NOT_NUMBERS, (1,)),
    "max_corruption": (POSITIVE, (1,)),
    "memory": ((9, 0, 10.5, "20"), (10,)),
    "moment": ((1.0, 0.9, 2.1, *NOT_NUMBERS[:3]), (2,)),
    "noise_bound": (NON_NEGATIVE, (0,)),
    "norm_bound": (POSITIVE, (1,)),
    "passes": (COUNT, (1,)),
    "radius": (WORD, ("trace", "det")),
    "radius_scale": (POSITIVE, (1,)),
    "restart": (FLAG, (False, True)),
    "reward_scale": (WORD, ("epoch", "none")),
    "ridge": (POSITIVE, (1,)),
    "scale": (POSITIVE, (1,)),
    ("LinTS", "scale"): (NON_NEGATIVE, (0,)),
    "sigma": (NON_NEGATIVE, (0,)),
    "smoothness": ((2.0, *POSITIVE), (0.5, 1.5, 2.5)),
    "test_scale": (POSITIVE, (1,)),
    "threshold": (WORD, ("paper", "tight")),
    "ties": (WORD, ("random", "first")),
    "tolerance": (NON_NEGATIVE, (0,)),
    "trim": ((-0.1, 0.6, *NOT_NUMBERS), (0, 0.5)),
    "uniform": (FLAG, (False, True)),
    "variation": (NON_NEGATIVE, (0,)),
    "width_scale": (POSITIVE, (1,)),
    "window": (COUNT, (1,)),
    "windows": (([], "all", 5, [3, 3], [0], [2.5]), ([3, 1],)),
}

#: The same for parameters of other names, by their type.
VALUES_OF_TYPE = {
    Positive: (POSITIVE, (1,)),
    NonNegative: (NON_NEGATIVE, (0,)),
    Probability: (PROBABILITY, (1e-9,)),
    Share: (SHARE, (0, 1)),
    Count: (COUNT, (1,)),
    Flag: (FLAG, (False, True)),
}

#: Theory chooses the penalty by sigma, unless it is given.
NEEDED = {("CWOFUL", "sigma"): {"ridge": 1.0}, ("COBE", "sigma"): {"ridge": 1.0}}

PARAMETERS = pytest.mark.parametrize(
    ("name", "field"),
    [
        pytest.param(name, field, id=f"{name}-{field.name}")
        for name in rb.policies.__all__
        for field in dataclasses.fields(getattr(rb.policies, name))
    ],
)


def values_for(name, field):
    listed = VALUES.get((name, field.name)) or VALUES.get(field.name)
    return listed or values_of_type(name, field.name)


def values_of_type(name, parameter):
    """Return values to refuse and to accept by the type of a parameter."""
    hint = typing.get_type_hints(getattr(rb.policies, name), include_extras=True)[parameter]
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    if typing.get_origin(hint) is typing.Literal:
        return WORD, typing.get_args(hint)
    advice = f"give {name}.{parameter} a type of game/parameters.py, or list its values here"
    assert hint in VALUES_OF_TYPE, advice
    return VALUES_OF_TYPE[hint]


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("LinUCB", "ridge"), ("LinUCB", "delta"), ("CWOFUL", "budget"), ("LinUCB", "ties")],
)
def test_values_by_type_are_those_listed(name, parameter):
    bad, good = values_of_type(name, parameter)
    assert bad == VALUES[parameter][0]
    assert set(good) == set(VALUES[parameter][1])


@PARAMETERS
def test_policy_parameter_refuses_bad_values_by_name(name, field):
    bad, _ = values_for(name, field)
    optional = str(field.type).endswith("| None")
    for value in bad if optional else (*bad, None):
        with pytest.raises((TypeError, ValueError), match=rf"^{field.name} must "):
            policy(name, **{field.name: value})


@PARAMETERS
def test_policy_parameter_takes_good_values_and_keeps_floats_as_floats(name, field):
    _, good = values_for(name, field)
    for value in good:
        recipe = policy(name, **NEEDED.get((name, field.name), {}), **{field.name: value})
        stored = getattr(recipe, field.name)
        assert stored == (tuple(value) if isinstance(value, list) else value)
        assert type(stored) is float or not isinstance(field.default, float)
