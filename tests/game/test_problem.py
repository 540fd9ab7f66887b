"""Problem: sizes and bounds that a policy may know."""

import numpy as np
import pytest

from robustbandits.game.problem import Problem


def test_by_default_unknown_values_are_none_and_bounds_are_one():
    problem = Problem(arms=3, dim=2)
    assert problem.rounds is problem.noise is problem.fixed_arms is None
    assert problem.context_bound == problem.theta_bound == 1.0
    assert problem.intercept is False


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("arms", 0),
        ("noise", -1.0),
        ("fixed_arms", 0),
    ],
)
def test_a_bad_value_is_an_error_with_its_name(argument, value):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be .*{value}"):
        Problem(**{"arms": 3, "dim": 2, argument: value})


def test_numpy_numbers_become_plain_ones():
    problem = Problem(arms=np.int64(3), dim=np.int32(2), rounds=np.int64(9), context_bound=2)
    assert [type(value) for value in (problem.arms, problem.dim, problem.rounds)] == [int] * 3
    assert type(problem.context_bound) is float
