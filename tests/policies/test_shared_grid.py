"""SharedGrid: EXP4.P over arms, advised by optimists."""

import math

import numpy as np
import pytest
from scipy import stats

from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.agent.file_contents import state_arrays
from robustbandits.compiled.jit import jit_is_on
from robustbandits.policies import LinUCB, RobustLinUCB, SharedGrid

pytestmark = [pytest.mark.slow] if jit_is_on else []


@pytest.mark.parametrize("options", [{}, {"radius": "det"}, {"bonus": "paper"}])
def test_shared_grid_with_the_candidate_zero_alone_is_linucb_bit_for_bit(options):
    block = block_of(400, arms=8, dim=4)
    grid = agent_for(SharedGrid(candidates=[0], uniform=False, floor=0.0, **options), block)
    options.pop("bonus", None)
    linucb = agent_for(LinUCB(**options), block)
    assert play(grid, block) == play(linucb, block)
    assert same_bits(ridge_of(grid), ridge_of(linucb))


def test_shared_grid_with_one_candidate_is_robust_linucb_bit_for_bit():
    block = block_of(300, arms=8, dim=4)
    grid = agent_for(SharedGrid(candidates=[7.0], uniform=False), block)  # one expert: no floor
    robust = agent_for(RobustLinUCB(7.0), block)
    assert play(grid, block) == play(robust, block)
    assert same_bits(ridge_of(grid), ridge_of(robust))


def test_shared_grid_exact_ties_are_linucbs():
    contexts = np.repeat(np.eye(3), 3, axis=0)
    block = block_of(200, arms=9, dim=3, intercept=False)
    grid = agent_for(SharedGrid(candidates=[0], uniform=False), block)
    linucb = agent_for(LinUCB(), block)
    for reward in block.noise:
        ours, theirs = grid.choose(contexts), linucb.choose(contexts)
        assert ours.arm == theirs.arm
        grid.learn(ours, reward)
        linucb.learn(theirs, reward)


def test_shared_grid_no_arm_falls_below_the_floor_and_chances_sum_to_one():
    block = block_of(300, arms=6, dim=3)
    agent = agent_for(SharedGrid(floor=0.02), block)
    for contexts, means in zip(block.contexts, block.means, strict=True):
        decision = agent.choose(contexts.T)
        assert decision.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
        assert decision.probabilities.min() >= 0.02 - 1e-15
        memo = agent._pending[decision.id][1]
        assert memo[2] == pytest.approx(decision.probabilities[decision.arm], rel=1e-12)
        agent.learn(decision, means[decision.arm])


def test_shared_grid_one_step_moves_a_weight_by_no_more_than_one():
    block = block_of(300, arms=6, dim=3)
    agent = agent_for(SharedGrid(floor=0.05), block)
    exp4 = agent._state.exp4
    most = 0.5 * (1.0 + exp4.trust)  # (p_min/2)(1/p_min + a_m/p_min)
    for contexts, luck in zip(block.contexts, block.noise, strict=True):
        before = exp4.log_weights.copy()
        decision = agent.choose(contexts.T)
        agent.learn(decision, 50.0 * luck)
        step = exp4.log_weights - before
        assert np.all(step >= 0.0)
        assert np.all(step <= most + 1e-12)


def test_shared_grid_estimates_are_unbiased_by_enumeration():
    # Pay every arm in turn, weighed by its chance: each expert gets the mean of its advice.
    block = block_of(60, arms=4, dim=3)
    recipe = SharedGrid(candidates=[0, 1, 30, 900], floor=0.03)
    agent = agent_for(recipe, block)
    play(agent, block)
    state, contexts = agent._state, block.contexts[7]
    names = [name for name, _ in state_arrays(state)]
    rewards = np.array([0.1, 0.9, 0.4, 0.7])
    seen = {}
    while len(seen) < 4:  # each arm has a chance of 0.03 or more
        decision = agent.choose(contexts.T)
        seen[decision.arm] = decision
    saved = [array.copy() for _, array in state_arrays(state)]
    mean = np.zeros(5)
    for arm, decision in seen.items():
        gains = []
        for reward in (0.0, rewards[arm]):
            note = agent._pending[decision.id]
            agent.learn(decision, reward)
            agent._pending[decision.id] = note
            gains.append(state.exp4.log_weights - saved[names.index("state.exp4.log_weights")])
            for (_, array), old in zip(state_arrays(state), saved, strict=True):
                array[...] = old
        mean += note[1][2] * (gains[1] - gains[0]) / (0.03 / 2)
    # Each optimist gets the reward of one arm, the uniform expert the mean of all.
    for value in mean[:4]:
        assert np.abs(rewards - value).min() < 1e-9
    assert mean[4] == pytest.approx(rewards.mean())


def test_shared_grid_advice_comes_in_runs_and_the_memo_tells_them():
    block = block_of(150, arms=12, dim=4)
    recipe = SharedGrid(candidates=[0, 0.1, 0.5, 2, 10, 100, 5000], bonus="l1")
    agent = agent_for(recipe, block)
    play(agent, block)
    state, several = agent._state, 0
    for contexts in block.contexts:
        memo = agent._pending[agent.choose(contexts.T).id][1]
        inverse, theta = ridge_of(agent).inverse, ridge_of(agent).theta
        width = np.sqrt((contexts * (inverse @ contexts)).sum(axis=0))
        growth = (1 + 151 / 0.1) / 0.01
        beta = 0.1 * math.sqrt(5 * math.log(growth)) + math.sqrt(0.1)
        advice = [np.argmax(theta @ contexts + (beta + c) * width) for c in state.levels]
        borders = sum(1 << j for j in range(6) if advice[j] != advice[j + 1])
        assert memo[0] == borders
        several += borders > 0
    assert several > 50


@pytest.mark.slow
@pytest.mark.statistical
def test_shared_grid_chooses_arms_as_often_as_it_says():
    block = block_of(100, arms=5, dim=3, seed=2)
    agent = agent_for(SharedGrid(candidates=[0, 0.2, 1, 30], floor=0.05), block)
    play(agent, block)
    contexts = block.contexts[3].T
    chances = agent.scores(contexts).probabilities
    times = 4000
    counts = np.bincount([agent.choose(contexts).arm for _ in range(times)], minlength=5)
    for count, chance in zip(counts, chances, strict=True):
        low, high = stats.binom.ppf([1e-8, 1 - 1e-8], times, chance)
        assert low <= count <= high


def test_shared_grid_late_rewards_pay_everybody_and_stay_finite():
    block = block_of(80, arms=6, dim=3)
    agent = agent_for(SharedGrid(floor=0.05), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    for t in reversed(range(0, 80, 2)):
        agent.learn(decisions[t], float(block.means[t, decisions[t].arm]))
    weights = agent._state.exp4.log_weights
    assert np.isfinite(weights).all()
    assert weights.min() > 0.0


def test_shared_grid_learns_to_trust_the_candidate_that_earns():
    # One arm pays, and only a large candidate ever plays the wide, worthless ones.
    contexts = np.array([[0.3, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    block = block_of(1500, arms=3, dim=3, intercept=False)
    agent = agent_for(SharedGrid(candidates=[0, 500], bonus="l1", floor=0.05), block)
    for _ in range(1500):
        decision = agent.choose(contexts)
        agent.learn(decision, 0.9 if decision.arm == 0 else 0.0)
    assert np.argmax(agent._state.exp4.log_weights) == 0
    assert agent.scores(contexts).probabilities[0] > 0.8
