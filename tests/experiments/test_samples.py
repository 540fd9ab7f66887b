"""Samples: every policy can be made, and has a place to play."""

import pytest

import robustbandits as rb
from robustbandits.experiments.fit import able, problem_of
from robustbandits.experiments.samples import sample_place, sample_policy


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_every_policy_can_be_made_and_starts_in_its_place(name):
    policy = sample_policy(name)
    assert type(policy).__name__ == name
    problem = problem_of(sample_place(policy, arms=5, dim=3), 1000, 0)
    assert able({name: policy}, problem) == [name]


def test_parameters_may_be_changed():
    assert sample_policy("RobustLinUCB", budget=7.0).budget == 7.0
    assert sample_place(sample_policy("LinUCB"), arms=3).arms == 3


def test_unknown_policy_is_told_what_there_is():
    with pytest.raises(ValueError, match="did you mean LinUCB"):
        sample_policy("LinUBC")
