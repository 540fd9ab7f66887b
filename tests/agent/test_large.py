"""Large decisions: blocks of arms on all cores have the bits of small decisions."""

import subprocess
import sys

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import contents
from robustbandits.agent import large
from robustbandits.agent.compiled_steps import BLOCK

POLICIES = [
    rb.policies.LinUCB(),
    rb.policies.CautiousLinUCB(),
    rb.policies.Greedy(),
    rb.policies.RobustLinUCB(20.0, bonus="tight"),
]


def draw(arms: int, dim: int) -> np.ndarray:
    rows = np.random.default_rng(0).standard_normal((arms, dim))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * 0.9


def agent_for(policy: rb.policies.LinUCB, arms: int, dim: int) -> rb.Agent:
    agent = rb.Agent(policy, arms=arms, dim=dim, rounds=1000, seed=0)
    for k, row in enumerate(draw(8, dim)):
        agent.learn(agent.choose(row[np.newaxis]), 0.1 * k)
    return agent


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_large_decision_has_the_bits_of_a_game(policy, monkeypatch):
    arms, dim = 3 * BLOCK + 5, 6
    agent, threaded = (agent_for(policy, arms, dim) for _ in range(2))
    state, shown = agent._state, draw(arms, dim).T.copy()
    means, bonuses, shares = np.empty((3, arms))
    state.score(shown, np.zeros(4), means, bonuses)
    state.probability(shown, np.zeros(4), shares)
    arm = state.choose(shown, np.random.default_rng(0), np.zeros(4))
    monkeypatch.setattr("robustbandits.agent.agent.LARGE", 1)
    monkeypatch.setattr(large, "available_cores", lambda: 3)
    for decision in (agent.choose_many([shown.T])[0], threaded.choose(shown.T)):
        assert decision.arm == arm
        assert np.array_equal(decision.means, means)
        assert np.array_equal(decision.bonuses, bonuses)
        assert np.array_equal(decision.probabilities, shares)
    assert contents(agent) == contents(threaded)


@pytest.mark.parametrize(("arms", "dim"), [(40, 5), (2000, 80)])
def test_small_and_large_decisions_are_right(arms, dim):
    contexts = draw(arms, dim)
    policy = rb.policies.LinUCB(ridge=0.1, sigma=0.1, delta=0.01)
    agent = rb.Agent(policy, arms=arms, dim=dim, seed=0)
    gram, target = 0.1 * np.eye(dim), np.zeros(dim)
    for k, row in enumerate(contexts[:30]):
        agent.learn(agent.choose(row[np.newaxis]), k / 30)
        gram, target = gram + np.outer(row, row), target + k / 30 * row
    decision = agent.choose(contexts)
    solved = np.linalg.solve(gram, contexts.T)
    radius = 0.1 * np.sqrt(dim * np.log((1 + 31 / 0.1) / 0.01)) + np.sqrt(0.1)
    widths = np.sqrt(np.einsum("ad,da->a", contexts, solved))
    assert np.allclose(decision.means, target @ solved, rtol=0.0, atol=1e-10)
    assert np.allclose(decision.bonuses, radius * widths, rtol=0.0, atol=1e-10)
    assert decision.arm == np.argmax(decision.scores)


def test_the_first_bad_context_of_a_large_decision_is_reported(monkeypatch):
    monkeypatch.setattr("robustbandits.agent.agent.LARGE", 1)
    agent = agent_for(rb.policies.LinUCB(), 300, 3)
    before = contents(agent)
    for value, message in [(np.inf, "must be finite numbers"), (9.0, "must be no longer than")]:
        shown = draw(300, 3)
        shown[[120, 200, 299]] = value
        with pytest.raises(ValueError, match=rf"contexts {message}.* row 120 "):
            agent.choose(shown)
    assert contents(agent) == before


MEASURE = """
import resource, numpy as np, robustbandits as rb
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
agent = rb.Agent(rb.policies.LinUCB(), arms=100_000, dim=64)
agent.choose(np.full((2000, 64), 0.1))
contexts = np.full((100_000, 64), 0.1)
before = peak()
agent.choose(contexts)
print((peak() - before) / contexts.nbytes)
"""


@pytest.mark.slow
def test_a_large_decision_needs_little_memory_beside_its_contexts():
    command = [sys.executable, "-c", MEASURE]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert float(run.stdout) < 1.0
