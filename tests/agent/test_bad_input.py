"""Bad input raises an error that helps, and changes nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agent.players import DIM, RECIPES, bits, hire, theta, veteran

GOOD = np.full((4, DIM), 0.5)


def spoiled(value, row=2):
    contexts = GOOD.copy()
    contexts[row, 1] = value
    return contexts


BAD_CONTEXTS = {
    "nan": (spoiled(math.nan), r"finite.*row 2 is \[0.5 nan 0.5\]"),
    "inf": (spoiled(math.inf), r"finite.*row 2 is \[0.5 inf 0.5\]"),
    "-inf": (spoiled(-math.inf), r"finite.*row 2"),
    "square overflows": (spoiled(1e200), r"finite.*moderate.*row 2"),
    "nan in the first row": (spoiled(math.nan, 0), r"finite.*row 0"),
    "nan in the last row": (spoiled(math.nan, 3), r"finite.*row 3"),
    "too long": (spoiled(3.0), r"context_bound=1; row 2 has length 3.08.*scale.*larger"),
    "a little too long": ([[1 + 1e-8, 0, 0]], r"context_bound=1; row 0"),
    "one dimension": (np.zeros(DIM), r"shape \(arms, 3\).*got \(3,\)"),
    "three dimensions": (np.zeros((1, 4, DIM)), r"shape \(arms, 3\).*got \(1, 4, 3\)"),
    "wrong dim": (np.zeros((4, 2)), r"shape \(arms, 3\).*got \(4, 2\)"),
    "transposed": (np.zeros((DIM, 4)), r"shape \(arms, 3\).*got \(3, 4\)"),
    "no arms": (np.zeros((0, DIM)), r"shape \(arms, 3\).*got \(0, 3\)"),
    "nothing": ([], r"shape \(arms, 3\).*got \(0,\)"),
    "number": (1.0, r"shape \(arms, 3\).*got \(\)"),
    "None": (None, r"numbers.*object"),
    "None inside": ([[None, 0.1, 0.1]], r"numbers.*object"),
    "word": ("abc", r"numbers.*<U3"),
    "words": ([["a", "b", "c"]], r"numbers.*<U1"),
    "numbers as words": ([["0.1", "0.1", "0.1"]], r"numbers.*<U3"),
    "words among numbers": (np.array([[0.1, 0.1, "0.1"]], dtype=object), r"numbers.*<U"),
    "bytes": (np.array([[b"1", b"2", b"3"]]), r"numbers.*S1"),
    "ragged": ([[0.1, 0.1, 0.1], [0.1]], r"numbers.*inhomogeneous"),
    "complex": (np.zeros((4, DIM), dtype=complex), r"numbers.*complex128"),
    "dates": (np.zeros((4, DIM), dtype="M8[s]"), r"numbers.*datetime64"),
    "masked": (np.ma.masked_less(GOOD, 1.0), r"masked.*fill"),
    "dictionary": ({"a": 1}, r"numbers"),
    "set": ({0.1, 0.2, 0.3}, r"numbers"),
}


@pytest.mark.parametrize("verb", ["choose", "scores"])
@pytest.mark.parametrize("case", BAD_CONTEXTS)
def test_bad_contexts_are_refused_and_change_nothing(case, verb):
    contexts, message = BAD_CONTEXTS[case]
    agent = veteran("BOBNoRestart")
    before = bits(agent)
    refused = pytest.raises(ValueError, match=f"(?s)^contexts must .*{message}")
    with refused, np.errstate(over="ignore"):
        getattr(agent, verb)(contexts)
    assert bits(agent) == before


@pytest.mark.parametrize("name", RECIPES)
def test_every_policy_survives_bad_contexts(name):
    agent = veteran(name)
    before = bits(agent)
    for bad in (spoiled(math.nan), spoiled(9.0), np.zeros((4, 2))):
        with pytest.raises(ValueError, match="contexts"):
            agent.choose(bad)
    assert bits(agent) == before


@pytest.mark.parametrize("verb", ["choose", "scores"])
@pytest.mark.parametrize("length", [1.0, 1 + 1e-10])
def test_rounding_beyond_the_bound_is_forgiven(verb, length):
    getattr(hire(), verb)([[length, 0, 0], [length / math.sqrt(2), length / math.sqrt(2), 0]])


def test_a_larger_bound_takes_longer_contexts():
    agent = hire(context_bound=5.0)
    agent.learn(agent.choose(spoiled(3.0)), 0.5)
    with pytest.raises(ValueError, match="context_bound=5"):
        agent.choose(spoiled(7.0))


def test_a_tiny_bound_is_compared_without_underflow():
    hire(context_bound=1e-100).scores(np.full((1, DIM), 1e-100 / 4))


@pytest.mark.parametrize("bound", [1e6, 1e100, 1e300])
def test_a_bound_too_large_for_the_ridge_is_refused(bound):
    with pytest.raises(ValueError, match=r"ridge must be at least .* scale your features"):
        hire(context_bound=bound)


# ---------------------------------------------------------------------------------------- rewards

BAD_REWARDS = {
    "nan": (math.nan, ValueError, r"finite number between -0.6 and 1.6, got nan"),
    "inf": (math.inf, ValueError, r"finite number between -0.6 and 1.6, got inf"),
    "-inf": (-math.inf, ValueError, r"got -inf"),
    "numpy nan": (np.float32("nan"), ValueError, r"nan"),
    "too large": (1.7, ValueError, r"got 1.7: scale your rewards to \[0, 1\], .* reward_range"),
    "too small": (-0.7, ValueError, r"got -0.7: scale"),
    "larger than any float": (10**400, ValueError, r"between"),
    "True": (True, TypeError, r"number, got True"),
    "numpy True": (np.bool_(True), TypeError, r"a number, got .*True"),
    "word": ("0.5", TypeError, r"a number, got '0.5'"),
    "numpy word": (np.str_("0.5"), TypeError, r"a number"),
    "None": (None, TypeError, r"a number, got None"),
    "list": ([0.5], TypeError, r"a number, got \[0.5\]"),
    "array": (np.array([0.5]), TypeError, r"a number"),
    "complex": (0.5 + 0j, TypeError, r"a number"),
    "numpy complex": (np.complex128(0.5), TypeError, r"a number"),
    "date": (np.datetime64("2020-01-01"), TypeError, r"a number"),
}


@pytest.mark.parametrize("case", BAD_REWARDS)
def test_bad_rewards_are_refused_and_change_nothing(case):
    reward, kind, message = BAD_REWARDS[case]
    agent = veteran("BOBNoRestart")
    decision = agent.choose(GOOD)
    before = bits(agent)
    with pytest.raises(kind, match=f"^reward must be .*{message}"):
        agent.learn(decision, reward)
    assert bits(agent) == before
    agent.learn(decision, 0.5)  # the decision still waits for a good one


@pytest.mark.parametrize("reward", [-5.0, 5, 0.0])
def test_a_reward_range_widens_what_is_taken(reward):
    agent = hire(reward_range=(-5, 5))
    agent.learn(agent.choose(GOOD), reward)
    with pytest.raises(ValueError, match=r"between -5 and 5, got 5.1"):
        agent.learn(agent.choose(GOOD), 5.1)


def test_six_sigmas_of_noise_are_taken():
    agent = hire(RECIPES["LinUCB"].__class__(sigma=0.5))
    for reward in (-3.0, 4.0):
        agent.learn(agent.choose(GOOD), reward)
    with pytest.raises(ValueError, match="between -3 and 4"):
        agent.learn(agent.choose(GOOD), 4.01)


# ------------------------------------------------------------------------------------------- ids

BAD_IDS = {
    "never made": (99, KeyError, r"decision 99 was never made .* has made 24"),
    "next": (24, KeyError, r"decision 24 was never made"),
    "negative": (-1, KeyError, r"decision -1 was never made"),
    "giant": (10**30, KeyError, r"was never made"),
    "rewarded": (3, KeyError, r"decision 3 has its reward already"),
    "numpy, rewarded": (np.int64(3), KeyError, r"decision 3 has its reward already"),
    "float": (21.0, TypeError, r"decision must be a Decision or its id.*got 21.0"),
    "numpy float": (np.float64(21.0), TypeError, r"decision must be"),
    "nan": (math.nan, TypeError, r"decision must be"),
    "True": (True, TypeError, r"decision must be .*got True"),
    "numpy True": (np.bool_(True), TypeError, r"decision must be"),
    "word": ("21", TypeError, r"decision must be .*got '21'"),
    "None": (None, TypeError, r"decision must be .*got None"),
    "list": ([21], TypeError, r"decision must be"),
    "array": (np.array(21), TypeError, r"decision must be"),
}


@pytest.mark.parametrize("case", BAD_IDS)
def test_bad_ids_are_refused_and_change_nothing(case):
    number, kind, message = BAD_IDS[case]
    agent = veteran("BOBNoRestart", rounds=20, waiting=4)
    before = bits(agent)
    with pytest.raises(kind, match=message):
        agent.learn(number, 0.5)
    assert bits(agent) == before


@pytest.mark.parametrize("first", ["decision", "id"])
@pytest.mark.parametrize("second", ["decision", "id"])
def test_a_second_reward_is_refused(first, second):
    agent = hire()
    decision = agent.choose(GOOD)
    ways = {"decision": decision, "id": decision.id}
    agent.learn(ways[first], 0.5)
    before = bits(agent)
    with pytest.raises(KeyError, match="has its reward already"):
        agent.learn(ways[second], 0.5)
    assert bits(agent) == before


def test_a_decision_of_another_agent_is_refused_when_it_shows():
    agent, other = hire(), hire()
    agent.choose([[0.5, 0, 0], [0.1, 0, 0]])
    decision = other.choose([[0.1, 0, 0], [0.5, 0, 0]])
    before = bits(agent)
    with pytest.raises(ValueError, match="decision must be one of this agent's"):
        agent.learn(decision, 0.5)
    assert bits(agent) == before


def test_an_agent_goes_on_after_errors_as_if_there_had_been_none():
    agent, twin = hire("LinTS"), hire("LinTS")
    for t in range(20):
        for bad in (spoiled(math.nan), "words"):
            with pytest.raises(ValueError, match="contexts"):
                agent.choose(bad)
        decision, expected = agent.choose(GOOD * t / 20), twin.choose(GOOD * t / 20)
        with pytest.raises(ValueError, match="reward"):
            agent.learn(decision, math.nan)
        agent.learn(decision, 0.5)
        twin.learn(expected, 0.5)
    assert theta(agent).tolist() == theta(twin).tolist()
    assert bits(agent) == bits(twin)
