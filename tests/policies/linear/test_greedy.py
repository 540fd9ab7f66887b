"""Greedy: LinUCB with a radius of zero."""

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, assert_same_play, block_of, play, ridge_of, same_bits
from robustbandits.policies import Greedy, LinUCB

#: So small that it changes no score but 0.
TINY = 1e-50


@pytest.mark.parametrize("ties", ["random", "first"])
def test_greedy_is_linucb_with_a_radius_of_zero_bit_for_bit(ties):
    block = block_of(600, arms=13, dim=4)
    greedy = agent_for(Greedy(ties=ties), block)
    linucb = agent_for(LinUCB(sigma=0.0, ties=ties), block, theta_bound=TINY)
    for agent in (greedy, linucb):
        for arm in range(4):  # the scores of a new agent are 0
            agent.observe(block.contexts[arm].T, arm, 0.2 + 0.1 * arm)
    assert play(greedy, block) == play(linucb, block)
    assert same_bits(ridge_of(greedy), ridge_of(linucb))


def test_greedy_confidence_parameters_have_no_effect():
    assert_same_play(block_of(300, arms=5, dim=3), Greedy(), Greedy(delta=0.5, radius="det"))


def test_greedy_plays_the_largest_estimate_without_a_bonus():
    block = block_of(200, arms=6, dim=3)
    agent = agent_for(Greedy(), block)
    play(agent, block)
    contexts = block.contexts[7].T
    decision = agent.choose(contexts)
    estimates = contexts @ np.linalg.solve(ridge_of(agent).gram, ridge_of(agent).moment)
    assert decision.arm == np.argmax(estimates)
    np.testing.assert_allclose(decision.means, estimates, rtol=1e-9)
    assert not decision.bonuses.any()
    assert decision.probabilities.tolist() == [float(a == decision.arm) for a in range(6)]


def test_greedy_first_choice_is_uniform():
    agent = rb.Agent(Greedy(), arms=4, dim=2)
    contexts = [[0.1, 0.0], [0.9, 0.0], [0.0, 0.5], [-0.3, 0.3]]
    assert agent.scores(contexts).probabilities.tolist() == [0.25] * 4
    assert {agent.choose(contexts).arm for _ in range(200)} == {0, 1, 2, 3}


def test_greedy_on_a_fixed_catalogue_stays_with_its_first_arm():
    # The weakness that its docstring names: with positive rewards it never tries another arm.
    contexts = np.eye(4)
    agent = rb.Agent(Greedy(), arms=4, dim=4, seed=1)
    first = agent.choose(contexts)
    agent.learn(first, 0.2)
    for _ in range(50):
        decision = agent.choose(contexts)
        agent.learn(decision, 0.2 if decision.arm == first.arm else 0.9)
        assert decision.arm == first.arm
