"""Rewards that come late, in any order, by decision or by id, or never."""

import tracemalloc

import numpy as np
import pytest

from agent.agents import RECIPES, contents, draw_contexts, make_agent, theta, train


def decide(agent, count, seed=11):
    """Return decisions and the rewards that they will have."""
    rng = np.random.default_rng(seed)
    return [(agent.choose(draw_contexts(rng)), float(rng.uniform(0, 1))) for _ in range(count)]


@pytest.mark.parametrize("name", ["LinUCB", "Greedy", "RobustLinUCB", "LinTS"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_order_of_rewards_does_not_change_a_regression(name, seed):
    at_once, late = make_agent(name), make_agent(name)
    for decision, reward in decide(at_once, 200):
        at_once.learn(decision, reward)
    rewards = decide(late, 200)
    for index in np.random.default_rng(seed).permutation(200):
        late.learn(*rewards[index])
    np.testing.assert_allclose(theta(late), theta(at_once), rtol=0, atol=1e-9)
    assert at_once.pending == late.pending == 0


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("name", RECIPES)
def test_learning_by_id_and_by_decision_gives_the_same_bits(name, kind):
    by_decision, by_id = train(make_agent(name), 10), train(make_agent(name), 10)
    for decision, reward in reversed(decide(by_decision, 20)):
        by_decision.learn(decision, reward)
    for decision, reward in reversed(decide(by_id, 20)):
        by_id.learn(kind(decision.id), reward)
    assert contents(by_id) == contents(by_decision)


def test_a_pending_decision_keeps_its_own_copy_of_the_context():
    agent, twin = make_agent(), make_agent()
    contexts = draw_contexts(np.random.default_rng(1))
    decision = agent.choose(contexts)
    twin.learn(twin.choose(contexts.copy()), 0.5)
    contexts[:] = np.nan  # the caller reuses the array
    agent.learn(decision, 0.5)
    assert contents(agent) == contents(twin)


def test_only_the_newest_decisions_are_remembered():
    agent = make_agent(pending=10)
    decisions = [decision for decision, _ in decide(agent, 25)]
    assert agent.pending == 10
    for decision in decisions[15:]:
        agent.learn(decision, 0.5)
    assert agent.pending == 0


@pytest.mark.parametrize("number", [0, 14])
def test_the_reward_of_a_forgotten_decision_is_an_error_that_says_so(number):
    agent = make_agent(pending=10)
    decide(agent, 25)
    before = contents(agent)
    message = rf"decision {number} .* was forgotten.* newest 10 .* larger pending"
    with pytest.raises(KeyError, match=message):
        agent.learn(number, 0.5)
    assert contents(agent) == before


def test_decisions_without_a_reward_do_not_accumulate_in_memory():
    agent = make_agent("Greedy", arms=1, dim=1, pending=1000)
    contexts = np.ones((1, 1))

    def decide_often(count):
        for _ in range(count):
            agent.choose(contexts)

    decide_often(2000)
    tracemalloc.start()
    try:
        decide_often(10_000)
        before, _ = tracemalloc.get_traced_memory()
        decide_often(20_000)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert agent.pending == 1000
    assert after - before < 100_000  # bytes; 20,000 decisions would take 4 million
