"""The registry: every policy can be made, and has an environment that it can play."""

from dataclasses import dataclass

import pytest

import robustbandits as rb
from robustbandits.experiments.registry import (
    MISSING,
    parameters,
    required_values,
    sample_environment,
    sample_policy,
)
from robustbandits.game.match import NATURE, stream
from robustbandits.game.recipe import Recipe


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_every_policy_starts_in_its_sample_environment(name):
    policy = sample_policy(name)
    assert type(policy).__name__ == name
    environment = sample_environment(policy, arms=5, dim=3)
    policy.start(environment.start(1000, stream(0, NATURE)).problem)


def test_parameters_of_samples_can_be_changed():
    assert sample_policy("RobustLinUCB").budget == 100.0
    assert sample_policy("RobustLinUCB", budget=7.0).budget == 7.0
    assert sample_environment(sample_policy("LinUCB"), arms=3).arms == 3


def test_a_parameter_without_a_default_is_refused_unless_it_has_a_typical_value():
    @dataclass(frozen=True)
    class Policy(Recipe):
        width: float

    assert required_values(rb.policies.RobustLinUCB) == {"budget": 100.0}
    with pytest.raises(ValueError, match=r"Policy has no default for width; give it one \(only"):
        required_values(Policy)


def test_parameters_of_a_preset_include_those_of_its_recipe():
    own = parameters(rb.policies.RobustLinUCB)
    assert own["budget"].default is MISSING
    assert own["sigma"].default == 0.1
    assert (
        parameters(rb.policies.RobustBandit, "as_written").items()
        >= {"sigma": parameters(rb.policies.RobustBandit)["sigma"]}.items()
    )
