"""Greedy: LinUCB with nothing added."""

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.policies import Greedy, LinUCB

#: So small that its product with √0.1 is zero: a radius of exactly nothing.
NOTHING = 5e-324


@pytest.mark.parametrize("ties", ["random", "first"])
def test_greedy_is_linucb_with_a_radius_of_zero_bit_for_bit(ties):
    block = block_of(600, arms=13, dim=4)
    greedy = agent_for(Greedy(ties=ties), block)
    linucb = agent_for(LinUCB(sigma=0.0, ties=ties), block, theta_bound=NOTHING)
    assert play(greedy, block) == play(linucb, block)
    assert same_bits(ridge_of(greedy), ridge_of(linucb))


def test_greedy_confidence_parameters_change_nothing():
    block = block_of(300, arms=5, dim=3)
    plain, other = agent_for(Greedy(), block), agent_for(Greedy(delta=0.5, radius="det"), block)
    assert play(plain, block) == play(other, block)
    assert same_bits(plain._state, other._state)


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


def test_greedy_first_round_every_arm_is_as_likely():
    agent = rb.Agent(Greedy(), arms=4, dim=2)
    contexts = [[0.1, 0.0], [0.9, 0.0], [0.0, 0.5], [-0.3, 0.3]]
    assert agent.scores(contexts).probabilities.tolist() == [0.25] * 4
    assert {agent.choose(contexts).arm for _ in range(200)} == {0, 1, 2, 3}


def test_greedy_on_a_fixed_catalogue_locks_on_early_luck():
    # The defect the docstring confesses: with positive rewards the first arm stays for ever.
    contexts = np.eye(4)
    agent = rb.Agent(Greedy(), arms=4, dim=4, seed=1)
    first = agent.choose(contexts)
    agent.learn(first, 0.2)
    for _ in range(50):
        decision = agent.choose(contexts)
        agent.learn(decision, 0.2 if decision.arm == first.arm else 0.9)
        assert decision.arm == first.arm


def test_greedy_bad_parameter_is_named():
    with pytest.raises(ValueError, match=r"ridge must be > 0, got -0\.5"):
        Greedy(ridge=-0.5)
