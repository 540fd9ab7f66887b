"""Numbers that float64 cannot carry are refused at the start, with an error that says so."""

import itertools
import time
import warnings

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few, policy
from robustbandits.game.facts import start_policy
from robustbandits.game.problem import Problem

POLICIES = rb.policies
CASES = {
    "HuberOFUL, tiny contexts": (POLICIES.HuberOFUL(), {"context_bound": 1e-200}),
    "HuberOFUL, huge theta": (POLICIES.HuberOFUL(), {"theta_bound": 1e160}),
    "MultiLevelWeightedOFUL": (
        POLICIES.MultiLevelWeightedOFUL(),
        {"context_bound": 1e-200, "theta_bound": 1e200},
    ),
    "SupportBasisExploration": (
        POLICIES.SupportBasisExploration(),
        {"context_bound": 1e20, "theta_bound": 1e300},
    ),
    "RobustBandit, huge contexts": (POLICIES.RobustBandit(), {"context_bound": 1e160}),
    "RobustBandit, huge ridge": (POLICIES.RobustBandit(ridge=1e300, delta=1e-100), {}),
    "RobustBandit, huge epoch": (POLICIES.RobustBandit(epoch=10**400), {}),
    "MaxMinUCB": (POLICIES.MaxMinUCB(ridge=1e300, sigma=1e160), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_extreme_numbers_are_refused_at_the_start(case):
    recipe, bounds = CASES[case]
    problem = Problem(**({"arms": 3, "dim": 2, "rounds": 1000} | bounds))
    with pytest.raises(ValueError, match=r"cannot compute its constants|must be (between|at most)"):
        start_policy(recipe, problem)


@pytest.mark.parametrize("name", ["arms", "dim", "rounds"])
def test_a_count_that_no_float_represents_is_refused(name):
    with pytest.raises(ValueError, match=rf"{name} must be <= 9007199254740992, got 1000"):
        Problem(**({"arms": 3, "dim": 2, "rounds": 1000} | {name: 10**400}))


def test_a_parameter_that_no_machine_integer_represents_is_refused():
    with pytest.raises(ValueError, match=r"passes must be <= 9007199254740992, got 1844"):
        POLICIES.RobustRegressionUCB(passes=2**64)


BOUNDS = list(itertools.product([1e-50, 1e-20, 1.0, 1e20, 1e50], repeat=2))


@pytest.mark.parametrize("name", compile_few(POLICIES.__all__, ["LinUCB", "LinTS", "Exp3"]))
def test_scores_are_finite_for_every_bound_that_is_accepted(name):
    """Policies refuse most of these bounds, or play with finite scores."""
    shown = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])
    for context_bound, theta_bound in BOUNDS:
        problem = {"arms": 3, "dim": 2, "rounds": 1000, "reward_range": (-1, 2)}
        bounds = {"context_bound": context_bound, "theta_bound": theta_bound}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # references for games warn in an agent
            try:
                agent = rb.Agent(policy(name), **problem, **bounds)
            except ValueError:
                continue
        for reward in (0.0, 1.0) * 5:
            decision = agent.choose(shown * context_bound)
            assert np.isfinite(decision.scores).all(), bounds
            agent.learn(decision, reward)


@pytest.mark.parametrize("name", ["BARBAR", "BARBAT"])
def test_many_arms_start_at_once(name):
    problem = Problem(arms=10**6, dim=1, rounds=10**6)
    began = time.process_time()
    state = policy(name).start(problem)
    assert time.process_time() - began < 2.0  # a loop in plain Python took 10 seconds
    assert state.cumulative[-1] == 1.0
