"""Rewards that come late, in any order, by decision or by id, or never."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from agent.players import RECIPES, bits, contexts_of, hire, theta, train
from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import Simulation
from robustbandits.game.match import NATURE, stream
from robustbandits.game.simulate import simulate


def decide(agent, count, seed=11):
    dice = np.random.default_rng(seed)
    return [(agent.choose(contexts_of(dice)), float(dice.uniform(0, 1))) for _ in range(count)]


@pytest.mark.parametrize("name", ["LinUCB", "Greedy", "RobustLinUCB", "LinTS"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_order_of_rewards_does_not_matter_to_a_regression(name, seed):
    prompt, late = hire(name), hire(name)
    for decision, reward in decide(prompt, 200):
        prompt.learn(decision, reward)
    rewards = decide(late, 200)
    for index in np.random.default_rng(seed).permutation(200):
        late.learn(*rewards[index])
    np.testing.assert_allclose(theta(late), theta(prompt), rtol=0, atol=1e-9)
    assert prompt.pending == late.pending == 0


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("name", RECIPES)
def test_an_id_teaches_the_same_bits_as_its_decision(name, kind):
    by_decision, by_id = train(hire(name), 10), train(hire(name), 10)
    for decision, reward in reversed(decide(by_decision, 20)):
        by_decision.learn(decision, reward)
    for decision, reward in reversed(decide(by_id, 20)):
        by_id.learn(kind(decision.id), reward)
    assert bits(by_id) == bits(by_decision)


@pytest.mark.parametrize("name", RECIPES)
def test_rewards_may_come_mixed_with_decisions(name):
    agent, dice, waiting = hire(name), np.random.default_rng(13), []
    for _ in range(100):
        waiting.append(agent.choose(contexts_of(dice)))
        if dice.random() < 0.6:
            agent.learn(waiting.pop(dice.integers(len(waiting))), float(dice.uniform(0, 1)))
    assert agent.pending == len(waiting)
    assert np.isfinite(agent.scores(contexts_of(dice)).scores).all()


@pytest.mark.parametrize("name", RECIPES)
def test_an_agent_plays_as_the_simulated_game_does(name):
    nature = Simulation(arms=4, dim=3)
    ledger = simulate(environment=nature, policy=RECIPES[name], rounds=300, seed=5)
    begun = nature.start(300, stream(5, NATURE))
    rounds, problem = begun.draw(300), begun.problem
    agent = hire(
        name,
        dim=problem.dim,
        rounds=300,
        seed=5,
        context_bound=problem.context_bound,
        theta_bound=problem.theta_bound,
    )
    pulls = np.zeros(4, dtype=int)
    for t in range(300):
        decision = agent.choose(rounds.contexts[t].T)
        agent.learn(decision, rounds.means[t, decision.arm] + rounds.noise[t])
        pulls[decision.arm] += 1
    assert pulls.tolist() == ledger.pulls.tolist()


def test_a_decision_that_waits_keeps_its_own_context():
    agent, twin = hire(), hire()
    contexts = contexts_of(np.random.default_rng(1))
    decision = agent.choose(contexts)
    twin.learn(twin.choose(contexts.copy()), 0.5)
    contexts[:] = np.nan  # the caller reuses the array
    agent.learn(decision, 0.5)
    assert bits(agent) == bits(twin)


# ------------------------------------------------------------------------------- never rewarded


def test_only_the_newest_decisions_wait():
    agent = hire(pending=10)
    decisions = [decision for decision, _ in decide(agent, 25)]
    assert agent.pending == 10
    for decision in decisions[15:]:
        agent.learn(decision, 0.5)
    assert agent.pending == 0


@pytest.mark.parametrize("number", [0, 14])
def test_a_forgotten_decision_says_so(number):
    agent = hire(pending=10)
    decide(agent, 25)
    before = bits(agent)
    message = rf"decision {number} .* no longer remembered.* newest 10 .* larger pending"
    with pytest.raises(KeyError, match=message):
        agent.learn(number, 0.5)
    assert bits(agent) == before


def test_a_rewarded_decision_makes_room():
    agent = hire(pending=2)
    first, second = (decision for decision, _ in decide(agent, 2))
    agent.learn(second, 0.5)
    decide(agent, 1)
    agent.learn(first, 0.5)  # two waited, none had to go


def test_decisions_without_reward_cost_no_memory():
    agent = hire("Greedy", arms=1, dim=1, pending=1000)
    contexts = np.ones((1, 1))

    def decide_often(count):
        for _ in range(count):
            agent.choose(contexts)

    decide_often(2000)
    tracemalloc.start()
    try:
        decide_often(10_000)
        before, _ = tracemalloc.get_traced_memory()
        decide_often(190_000 if jit_is_on else 20_000)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert agent.pending == 1000
    assert after - before < 100_000  # bytes; 20,000 decisions would be 4 million
