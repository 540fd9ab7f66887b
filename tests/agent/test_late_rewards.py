"""Rewards that come late, in any order, by decision or by id, or never."""

import tracemalloc

import numpy as np
import pytest

from agent.agents import RECIPES, contents, draw_contexts, make_agent, reload, theta, train


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


@pytest.mark.parametrize("kind", [str, np.str_])
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


@pytest.mark.filterwarnings("ignore:this agent has forgotten")
def test_only_the_newest_decisions_are_remembered():
    agent = make_agent(pending=10)
    decisions = [decision for decision, _ in decide(agent, 25)]
    assert agent.pending == 10
    for decision in decisions[15:]:
        agent.learn(decision, 0.5)
    assert agent.pending == 0


@pytest.mark.parametrize("number", [0, 14])
@pytest.mark.filterwarnings("ignore:this agent has forgotten")
def test_the_reward_of_a_forgotten_decision_is_an_error_that_says_so(number):
    agent = make_agent(pending=10)
    forgotten = decide(agent, 25)[number][0].id
    before = contents(agent)
    message = rf"decision {forgotten} .* was forgotten.* newest 10 .* larger pending"
    with pytest.raises(KeyError, match=message):
        agent.learn(forgotten, 0.5)
    assert contents(agent) == before


def test_forgotten_decisions_are_counted_and_warned_about_once(tmp_path):
    agent = make_agent(pending=10)
    decide(agent, 10)
    assert agent.forgotten == 0
    with pytest.warns(UserWarning, match=r"more than pending=10 were waiting") as caught:
        decide(agent, 15)
    assert len(caught) == 1
    assert caught[0].filename == __file__  # the line that called choose
    assert agent.forgotten == 15
    loaded = reload(agent, tmp_path / "agent.rb")
    assert loaded.forgotten == 15
    decide(loaded, 1)  # warnings are errors in these tests, so there is no second one
    assert loaded.forgotten == 16


@pytest.mark.filterwarnings("ignore:this agent has forgotten")
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
