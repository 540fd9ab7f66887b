"""LinUCB: the score of an arm, ties, and what does not change a choice."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits, state_of
from robustbandits.policies import LinUCB


@pytest.mark.parametrize(("sigma", "beta"), [(0.1, 1.153), (0.01, 0.400)])
def test_linucb_first_bonus_is_beta_times_length(sigma, beta):
    contexts = np.eye(10)[:4] * [[0.1], [0.5], [1.0], [0.0]]
    scores = rb.Agent(LinUCB(sigma=sigma), arms=4, dim=10).scores(contexts)
    widths = np.linalg.norm(contexts, axis=1) / math.sqrt(0.1)
    exact = sigma * math.sqrt(10 * math.log((1 + 1 / 0.1) / 0.01)) + math.sqrt(0.1)
    assert exact == pytest.approx(beta, abs=5e-4)
    np.testing.assert_allclose(scores.bonuses, exact * widths, rtol=1e-12)
    assert not scores.means.any()


def test_linucb_scores_are_estimate_plus_radius_times_width():
    block = block_of(300, arms=7, dim=4)
    agent = agent_for(LinUCB(radius="det"), block)
    play(agent, block)
    ridge, contexts = ridge_of(agent), block.contexts[0].T
    scores = agent.scores(contexts)
    ratio = np.linalg.slogdet(ridge.gram)[1] - 5 * math.log(0.1)
    beta = 0.1 * math.sqrt(ratio + 2 * math.log(100)) + math.sqrt(0.1)
    widths = np.sqrt(np.diag(contexts @ np.linalg.inv(ridge.gram) @ contexts.T))
    np.testing.assert_allclose(scores.means, contexts @ ridge.theta, rtol=1e-12)
    np.testing.assert_allclose(scores.bonuses, beta * widths, rtol=1e-9)
    assert agent.choose(contexts).arm == np.argmax(scores.scores)


def test_linucb_larger_sigma_explores_more():
    block = block_of(2000, arms=6, dim=3)
    regrets = []
    for sigma in (0.1, 3.0):
        arms = play(agent_for(LinUCB(sigma=sigma), block), block)
        regrets.append((block.best - block.means[range(len(arms)), arms]).sum())
    assert regrets[0] < 0.5 * regrets[1]


def test_linucb_same_seed_gives_the_same_bits():
    block = block_of(200, arms=5, dim=3)
    agents = [agent_for(LinUCB(), block) for _ in range(2)]
    assert play(agents[0], block) == play(agents[1], block)
    assert same_bits(*map(state_of, agents))


def test_linucb_takes_any_number_of_arms_in_each_round():
    rng = np.random.default_rng(0)
    agent = rb.Agent(LinUCB(), arms=3, dim=2)
    for arms in (1, 2, 9, 30, 3):
        decision = agent.choose(rng.uniform(-0.7, 0.7, (arms, 2)))
        assert 0 <= decision.arm < arms
        agent.learn(decision, 0.5)


def test_linucb_probability_is_one_for_the_best_and_shared_among_equals():
    agent = rb.Agent(LinUCB(), arms=3, dim=2)
    unequal = agent.scores([[0.1, 0.0], [0.9, 0.0], [0.0, 0.5]])
    equal = agent.scores([[0.9, 0.0], [0.1, 0.0], [0.9, 0.0]])
    assert unequal.probabilities.tolist() == [0.0, 1.0, 0.0]
    assert equal.probabilities.tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize(
    ("ties", "arms", "probabilities"),
    [("first", {1}, [0.0, 1.0, 0.0]), ("random", {1, 2}, [0.0, 0.5, 0.5])],
)
def test_linucb_tie_rule_decides_among_equal_arms(ties, arms, probabilities):
    agent = rb.Agent(LinUCB(ties=ties), arms=3, dim=2)
    contexts = [[0.1, 0.0], [0.9, 0.0], [0.9, 0.0]]
    assert {agent.choose(contexts).arm for _ in range(60)} == arms
    assert agent.scores(contexts).probabilities.tolist() == probabilities
