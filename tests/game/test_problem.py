"""Problem: sizes and bounds that a policy may be told."""

from __future__ import annotations

import json

import numpy as np
import pytest

from robustbandits.game.problem import Problem


def test_unknown_things_are_none_and_bounds_are_one():
    problem = Problem(arms=3, dim=2)
    assert problem.rounds is None
    assert problem.noise is None
    assert problem.context_bound == problem.theta_bound == 1.0
    assert problem.intercept is False


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("arms", 0),
        ("arms", 2.0),
        ("dim", 0),
        ("dim", None),
        ("rounds", 0),
        ("rounds", 1e6),
        ("noise", -1.0),
        ("context_bound", 0.0),
        ("context_bound", float("inf")),
        ("theta_bound", -1.0),
        ("intercept", 1),
    ],
)
def test_a_bad_value_is_refused_by_name(argument, value):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be .*{value}"):
        Problem(**{"arms": 3, "dim": 2, argument: value})


def test_numpy_numbers_become_plain_ones():
    problem = Problem(arms=np.int64(3), dim=np.int32(2), rounds=np.int64(9), context_bound=2)
    assert [type(value) for value in (problem.arms, problem.dim, problem.rounds)] == [int] * 3
    assert type(problem.context_bound) is float


def test_a_known_horizon_is_told():
    assert Problem(arms=1, dim=1, rounds=9).horizon("X") == 9


def test_an_unknown_horizon_is_asked_for_by_name():
    with pytest.raises(ValueError, match=r"^RobustBandit needs to know the horizon.*rounds="):
        Problem(arms=1, dim=1).horizon("RobustBandit")


def test_a_problem_comes_back_from_json():
    problem = Problem(arms=3, dim=2, rounds=10, noise=0.5, intercept=True)
    assert Problem(**json.loads(json.dumps(problem.to_dict()))) == problem
