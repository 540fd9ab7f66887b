"""Recipes typed on one line: parsed, never run."""

import math

import pytest

import robustbandits as rb
from robustbandits.experiments.recipe_text import parse_call, parse_recipe


@pytest.mark.parametrize(
    ("section", "text", "recipe"),
    [
        ("policies", "LinUCB", rb.policies.LinUCB()),
        ("policies", " LinUCB() ", rb.policies.LinUCB()),
        ("policies", "LinUCB(sigma=2e-1, radius=det)", rb.policies.LinUCB(sigma=0.2, radius="det")),
        ("policies", "LinUCB(radius='det')", rb.policies.LinUCB(radius="det")),
        ("policies", "RobustLinUCB(100)", rb.policies.RobustLinUCB(100)),
        ("policies", "RobustBandit.as_written", rb.policies.RobustBandit.as_written()),
        (
            "policies",
            "RobustBandit.as_coded(sigma=0.5)",
            rb.policies.RobustBandit.as_coded(sigma=0.5),
        ),
        (
            "policies",
            "BOBNoRestart(candidates=[0, 1], clip=false, alpha=None)",
            rb.policies.BOBNoRestart(candidates=[0, 1], clip=False),
        ),
        ("attacks", "Garcelon(budget=inf)", rb.attacks.Garcelon(math.inf)),
        ("attacks", "FlipTheta(3, center=-0.5)", rb.attacks.FlipTheta(3, center=-0.5)),
        ("environments", "Simulation(arms=3)", rb.environments.Simulation(arms=3)),
    ],
)
def test_a_recipe_is_read(section, text, recipe):
    assert parse_recipe(section, text) == recipe


def test_the_label_of_a_recipe_is_read_as_that_recipe():
    recipe = rb.attacks.Oracle(7, top="all-but-worst", margin=0.5)
    assert parse_recipe("attacks", recipe.label) == recipe


def test_an_extra_parameter_must_not_be_in_the_text():
    assert parse_recipe("attacks", "Garcelon", budget=5.0) == rb.attacks.Garcelon(5.0)
    with pytest.raises(ValueError, match="budget is given twice"):
        parse_recipe("attacks", "Garcelon(3)", budget=5.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a recipe"),
        ("LinUCB(", "is not a recipe"),
        ("LinUCB()()", "is not a recipe"),
        ("a.b.LinUCB", "is not a recipe"),
        ("(" * 500, "is not a recipe"),
        ("LinUCB(sigma=[0.1, 0.2])", "is a sweep"),
        ("LinUCB(3)", "by name"),
        ("LinUCB(**x)", "unexpected"),
        ("LinUCB(kind='Greedy')", "unexpected"),
        ("RobustLinUCB(1, budget=2)", "unexpected"),
        ("LinUBC", r"no policy 'LinUBC'; did you mean LinUCB"),
        ("LinUCB(sgima=1)", r"sgima is not a parameter of LinUCB; did you mean sigma\?"),
        ("LinUCB.as_written", "no preset 'as_written'"),
        ("LinUCB.from_dict", "no preset 'from_dict'"),
        ("LinUCB(sigma=-1)", "sigma must be >= 0, got -1"),
        ("LinUCB(sigma=hello)", "sigma must be a number, got 'hello'"),
        ("RobustLinUCB", "RobustLinUCB needs budget"),
        ("LinUCB(sigma=__import__('os').getpid())", "is not a number, a word or a list"),
        ("LinUCB(sigma=1+1)", "is not a number, a word or a list"),
    ],
)
def test_text_that_is_not_a_recipe_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_recipe("policies", text)


def test_a_call_is_split_into_its_name_and_parameters():
    text = "mabwiser:LinUCB(alpha=-1.5, layout=joint, sizes=[1, 2], flag=true)"
    values = {"alpha": -1.5, "layout": "joint", "sizes": [1, 2], "flag": True}
    assert parse_call(text) == ("mabwiser:LinUCB", values)
    assert parse_call(" river:Name ") == ("river:Name", {})


@pytest.mark.parametrize("text", ["A(1)", "A(x=1", "A(**x)", "A(x=1) + 2", "A(x=f(1))"])
def test_a_call_has_only_named_plain_parameters(text):
    with pytest.raises(ValueError, match=r"is not a|there is no attack"):
        parse_call(text)
