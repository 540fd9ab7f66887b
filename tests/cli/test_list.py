"""robustbandits list: all exported recipes and ready specs, with assumptions and parameters."""

import json

import pytest
from typer.testing import CliRunner

from catalogue import example
from robustbandits.cli.app import app
from robustbandits.experiments.registry import kinds
from robustbandits.experiments.spec import ready_specs
from robustbandits.game.facts import AttackFacts, EnvironmentFacts, PolicyFacts
from robustbandits.game.problem import Problem

runner = CliRunner()


def listed(what):
    result = runner.invoke(app, ["list", what, "--json"])
    assert result.exit_code == 0, result.output
    return {entry["name"]: entry for entry in json.loads(result.stdout)[what]}


@pytest.mark.parametrize("what", ["policies", "attacks", "environments"])
def test_every_exported_recipe_is_listed_with_a_summary_and_facts(what):
    entries = listed(what)
    assert list(entries) == list(kinds(what))
    for name, entry in entries.items():
        assert entry["summary"].strip(), name
        assert entry["facts"], f"{name} has no facts"


@pytest.mark.parametrize(
    ("what", "kind"),
    [("policies", PolicyFacts), ("attacks", AttackFacts), ("environments", EnvironmentFacts)],
)
def test_facts_have_the_type_of_their_section(what, kind):
    for name, recipe in kinds(what).items():
        assert isinstance(recipe.facts, kind), name


def test_facts_agree_with_the_parameters():
    for name, entry in listed("policies").items():
        required = [given["name"] for given in entry["parameters"] if given.get("required")]
        assert ("budget" in entry["facts"]["needs"]) == ("budget" in required), name


def test_policies_that_need_the_horizon_say_so():
    for recipe in kinds("policies").values():
        needs = recipe.facts.needs
        made = example(recipe)
        problem = Problem(arms=3, dim=2)
        if "horizon" in needs:
            with pytest.raises(ValueError, match="rounds"):
                made.start(problem)
        else:
            made.start(problem)


def test_parameters_are_listed_with_their_defaults():
    listed_parameters = listed("policies")["RobustLinUCB"]["parameters"]
    parameters = {given["name"]: given for given in listed_parameters}
    assert parameters["budget"]["required"]
    assert parameters["sigma"]["default"] == 0.1
    assert listed("policies")["RobustBandit"]["presets"] == ["as_coded", "as_written"]


def test_specs_are_listed_with_their_text():
    entries = listed("specs")
    assert {name: entry["text"] for name, entry in entries.items()} == ready_specs()
    assert all(entry["summary"] for entry in entries.values())


def test_without_an_argument_everything_is_listed():
    result = runner.invoke(app, ["list"])
    assert result.exit_code == 0
    for word in ("POLICIES", "ATTACKS", "ENVIRONMENTS", "SPECS", "LinUCB", "Garcelon", "smoke"):
        assert word in result.output


def test_the_text_has_assumptions_and_parameters():
    text = runner.invoke(app, ["list", "policies"]).output
    assert "needs: budget; adversary: strong, rewards; contexts with" in text
    assert "ridge=0.1, delta=0.01" in text


def test_experimental_policies_are_marked():
    text = " ".join(runner.invoke(app, ["list", "policies"]).output.split())
    assert "MLAER (experimental): " in text
    assert "provenance: experimental, constants from summaries;" in text
    assert "BARBAR: " in text
    assert text.count(" (experimental): ") == text.count("provenance: experimental,")


@pytest.mark.parametrize(("what", "name"), [("policies", "LinUCB"), ("specs", "smoke")])
def test_one_entry_can_be_listed_by_its_name(what, name):
    result = runner.invoke(app, ["list", what, name, "--json"])
    assert json.loads(result.stdout)[what] == [listed(what)[name]]
    result = runner.invoke(app, ["list", what, name + "x"])
    assert result.exit_code == 1
    assert f"did you mean {name}" in result.stderr


def test_an_unknown_section_is_a_usage_error():
    assert runner.invoke(app, ["list", "polices"]).exit_code == 2
