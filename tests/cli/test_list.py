"""robustbandits list: all exported recipes and ready specs, with assumptions and parameters."""

import os
import subprocess
import sys

import pytest

from cli.commands import invoke, invoke_json
from robustbandits.experiments.registry import kinds
from robustbandits.experiments.spec import ready_specs
from robustbandits.game.facts import AttackFacts, EnvironmentFacts, PolicyFacts


def listed(what):
    return {entry["name"]: entry for entry in invoke_json("list", what)[what]}


@pytest.mark.parametrize(
    ("what", "facts"),
    [("policies", PolicyFacts), ("attacks", AttackFacts), ("environments", EnvironmentFacts)],
)
def test_every_exported_recipe_is_listed_with_a_summary_and_the_facts_of_its_section(what, facts):
    entries = listed(what)
    assert list(entries) == list(kinds(what)) != []
    for name, entry in entries.items():
        assert entry["summary"].strip(), name
        assert entry["facts"], f"{name} has no facts"
        assert isinstance(kinds(what)[name].facts, facts), name
        required = [given["name"] for given in entry["parameters"] if given.get("required")]
        if what == "policies":
            assert ("budget" in entry["facts"]["needs"]) == ("budget" in required), name


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
    result = invoke("list")
    for word in ("POLICIES", "ATTACKS", "ENVIRONMENTS", "SPECS", "LinUCB", "Garcelon", "smoke"):
        assert word in result.output


def test_the_text_has_assumptions_and_parameters():
    text = invoke("list", "policies").output
    assert "needs: budget; adversary: strong, rewards or contexts" in text
    assert "ridge=0.1, delta=0.01" in text


def test_experimental_policies_are_marked():
    text = " ".join(invoke("list", "policies").output.split())
    assert "MLAER (experimental): " in text
    assert "provenance: experimental: constants from summaries or from memory;" in text
    assert "BARBAR: " in text
    assert text.count(" (experimental): ") == text.count("provenance: experimental:")


@pytest.mark.parametrize(("what", "name"), [("policies", "LinUCB"), ("specs", "smoke")])
def test_one_entry_can_be_listed_by_its_name(what, name):
    assert invoke_json("list", what, name)[what] == [listed(what)[name]]
    result = invoke("list", what, name + "x", code=1)
    assert f"did you mean {name}" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_reader_that_stops_early_is_no_failure(options):
    command = [sys.executable, "-m", "robustbandits", "list", *options]
    reading, writing = os.pipe()
    os.close(reading)  # a reader that is gone already
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
