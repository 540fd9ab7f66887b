"""How to run an experiment again: the text reads as the same spec."""

import math

import pytest

import robustbandits as rb
from reports.sample_experiments import budget_sweep, linear_experiment
from robustbandits.experiments.spec import Spec, parse_spec, read_spec
from robustbandits.reports.rerun import rerun, slugs, to_toml


@pytest.mark.parametrize("name", ["smoke", "budget-sweep"])
def test_ready_spec_is_run_by_its_name(name):
    again = rerun(read_spec(name))
    assert again.file == ""
    assert again.commands.startswith(f"robustbandits run {name} --store")


def test_changed_ready_spec_is_not_run_by_its_name():
    spec = linear_experiment("smoke").spec
    assert rerun(spec).file == "smoke.toml"


@pytest.mark.parametrize(
    "spec",
    [
        linear_experiment().spec,
        budget_sweep().spec,
        linear_experiment('a "name"', about="back\\slash, ünïcode, 日本", seeds=[3, 5]).spec,
        linear_experiment(
            policies={"it's [odd] = x # y": rb.policies.RobustLinUCB(budget=2.5)}
        ).spec,
        linear_experiment(policies={"written": rb.policies.RobustBandit.as_written()}).spec,
    ],
    ids=lambda spec: spec.name,
)
def test_toml_reads_as_the_same_spec(spec):
    assert parse_spec(to_toml(spec)).to_dict() == spec.to_dict()
    assert rerun(spec).text == to_toml(spec)


@pytest.mark.parametrize(
    "attack",
    [
        rb.attacks.Garcelon(math.inf),
        rb.attacks.Burst(rb.attacks.Drip(rb.attacks.Garcelon(3.0))),
        rb.attacks.LeverageAware(rb.attacks.Garcelon(5.0, top="best")),
    ],
    ids=lambda attack: attack.name,
)
def test_infinity_and_attacks_inside_attacks_are_written_as_toml(attack):
    spec = Spec(
        name="small",
        environments=[rb.environments.Simulation()],
        attacks=[attack],
        policies=[rb.policies.LinUCB()],
        rounds=10,
        seeds=1,
    )
    assert parse_spec(to_toml(spec)).to_dict() == spec.to_dict()


def test_recipe_from_outside_is_written_as_json_with_a_note():
    class Mine(rb.policies.LinUCB):
        """A policy that the package does not export."""

    again = rerun(linear_experiment(policies={"Mine": Mine()}).spec)
    assert again.file == "mine.json"
    assert "Make it in Python" in again.commands
    assert "--allow-import" in again.commands
    assert '"Mine"' in again.text


def test_files_have_different_plain_names():
    assert slugs(["a b", "A-B", "../x", "日本"]) == ["a-b", "a-b-2", "x", "experiment"]
