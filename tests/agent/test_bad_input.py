"""Bad contexts, rewards and ids raise an error that says what to do, and change nothing."""

import math

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import DIM, contents, make_agent, trained_agent

GOOD = np.full((4, DIM), 0.5)


def with_value(value, row=2):
    """Return good contexts with one value replaced."""
    contexts = GOOD.copy()
    contexts[row, 1] = value
    return contexts


BAD_CONTEXTS = {
    "nan": (with_value(math.nan), r"finite.*row 2 is \[0.5 nan 0.5\]"),
    "inf": (with_value(math.inf), r"finite.*row 2 is \[0.5 inf 0.5\]"),
    "square overflows": (with_value(1e200), r"finite.*squares.*row 2"),
    "nan in the last row": (with_value(math.nan, 3), r"finite.*row 3"),
    "too long": (with_value(3.0), r"context_bound=1; row 2 has length 3.08.*scale.*larger"),
    "a little too long": ([[1 + 1e-8, 0, 0]], r"context_bound=1; row 0"),
    "one dimension": (np.zeros(DIM), r"shape \(arms, 3\).*got \(3,\)"),
    "transposed": (np.zeros((DIM, 4)), r"shape \(arms, 3\).*got \(3, 4\)"),
    "no arms": (np.zeros((0, DIM)), r"shape \(arms, 3\).*got \(0, 3\)"),
    "None": (None, r"numbers.*object"),
    "text": ([["0.1", "0.1", "0.1"]], r"numbers.*<U3"),
    "rows of several lengths": ([[0.1, 0.1, 0.1], [0.1]], r"row 0 has 3 features, row 1 has 1"),
    "complex": (np.zeros((4, DIM), dtype=complex), r"numbers.*complex128"),
    "masked": (np.ma.masked_less(GOOD, 1.0), r"masked.*fill"),
    "dictionary": ({"a": 1}, r"numbers"),
}


@pytest.mark.parametrize("method", ["choose", "scores"])
@pytest.mark.parametrize("case", BAD_CONTEXTS)
def test_bad_contexts_are_refused_and_change_nothing(case, method):
    contexts, message = BAD_CONTEXTS[case]
    agent = trained_agent("BOBNoRestart")
    before = contents(agent)
    with pytest.raises(ValueError, match=f"^contexts must .*{message}"), np.errstate(over="ignore"):
        getattr(agent, method)(contexts)
    assert contents(agent) == before


@pytest.mark.parametrize("method", ["choose", "scores"])
@pytest.mark.parametrize("length", [1.0, 1 + 1e-10])
def test_a_context_may_exceed_the_bound_by_a_rounding_error(method, length):
    half = length / math.sqrt(2)
    getattr(make_agent(), method)([[length, 0, 0], [half, half, 0]])


def test_a_larger_bound_accepts_longer_contexts():
    agent = make_agent(context_bound=5.0)
    agent.learn(agent.choose(with_value(3.0)), 0.5)
    with pytest.raises(ValueError, match="context_bound=5"):
        agent.choose(with_value(7.0))


@pytest.mark.parametrize("bound", [1e6, 1e300])
def test_a_bound_too_large_for_the_ridge_is_refused(bound):
    with pytest.raises(ValueError, match=r"ridge must be at least .* scale your features"):
        make_agent(context_bound=bound)


BAD_REWARDS = {
    "nan": (math.nan, ValueError, r"finite number between -0.6 and 1.6, got nan"),
    "inf": (math.inf, ValueError, r"finite number between -0.6 and 1.6, got inf"),
    "too large": (1.7, ValueError, r"got 1.7: scale your rewards to \[0, 1\], .* reward_range"),
    "too small": (-0.7, ValueError, r"got -0.7: scale"),
    "larger than any float": (10**400, ValueError, r"between"),
    "text": ("0.5", TypeError, r"a number, got '0.5'"),
    "None": (None, TypeError, r"a number, got None"),
    "list": ([0.5], TypeError, r"a number, got \[0.5\]"),
    "complex": (0.5 + 0j, TypeError, r"a number"),
}


@pytest.mark.parametrize("case", BAD_REWARDS)
def test_bad_rewards_are_refused_and_change_nothing(case):
    reward, kind, message = BAD_REWARDS[case]
    agent = trained_agent("BOBNoRestart")
    decision = agent.choose(GOOD)
    before = contents(agent)
    with pytest.raises(kind, match=f"^reward must be .*{message}"):
        agent.learn(decision, reward)
    assert contents(agent) == before
    agent.learn(decision, 0.5)  # the decision is still pending


@pytest.mark.parametrize("reward", [-5.0, 5, 0.0])
def test_reward_range_sets_which_rewards_are_accepted(reward):
    agent = make_agent(reward_range=(-5, 5))
    agent.learn(agent.choose(GOOD), reward)
    with pytest.raises(ValueError, match=r"between -5 and 5, got 5.1"):
        agent.learn(agent.choose(GOOD), 5.1)


def test_rewards_up_to_six_sigmas_beyond_the_unit_interval_are_accepted():
    agent = make_agent(rb.policies.LinUCB(sigma=0.5))
    for reward in (-3.0, 4.0):
        agent.learn(agent.choose(GOOD), reward)
    with pytest.raises(ValueError, match="between -3 and 4"):
        agent.learn(agent.choose(GOOD), 4.01)


BAD_IDS = {
    "whole number": (21, KeyError, r"not know decision 21: probably another agent .* are strings"),
    "short": (
        "21",
        KeyError,
        r"decision 21: probably it is not an id at all: ids have 32",
    ),
    "unknown": ("5" * 32, KeyError, r"not know decision 5{32}: probably another agent issued it"),
    "float": (21.0, TypeError, r"decision must be a Decision or its id.*got 21.0"),
    "True": (True, TypeError, r"decision must be .*got True"),
    "None": (None, TypeError, r"decision must be .*got None"),
    "array": (np.array(21), TypeError, r"decision must be"),
}


@pytest.mark.parametrize("case", BAD_IDS)
def test_bad_ids_are_refused_and_change_nothing(case):
    number, kind, message = BAD_IDS[case]
    agent = trained_agent("BOBNoRestart", rounds=20, pending=4)
    before = contents(agent)
    with pytest.raises(kind, match=message):
        agent.learn(number, 0.5)
    assert contents(agent) == before


@pytest.mark.parametrize("reward", [True, False, np.bool_(True), np.array(False), 1, 0])
def test_a_click_is_a_reward_of_one(reward):
    agent, twin = (make_agent(reward_range=(0, 1)) for _ in range(2))
    agent.learn(agent.choose(GOOD), reward)
    twin.learn(twin.choose(GOOD), float(reward))
    assert contents(agent) == contents(twin)
    with pytest.raises(ValueError, match=r"reward must be .* between 0 and 1, got 2: scale"):
        agent.learn(agent.choose(GOOD), 2)
