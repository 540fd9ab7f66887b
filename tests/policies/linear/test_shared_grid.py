"""SharedGrid: EXP4.P over arms, with experts that cover different attack budgets."""

import copy
import math

import numpy as np
import pytest
from scipy import stats

from catalogue import slow_if_compiled
from reference.playing import (
    agent_for,
    assert_same_play,
    block_of,
    memo_of,
    play,
    ridge_of,
    state_of,
)
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Rounds
from robustbandits.policies import LinUCB, RobustLinUCB, SharedGrid
from robustbandits.policies.linear._exp4 import MEMO_BORDERS, MEMO_CHANCE


def test_shared_grid_has_the_known_constants_at_the_papers_size():
    problem = Problem(arms=20, dim=10, rounds=10**6)
    state = SharedGrid().start(problem)
    assert state.levels.tolist() == [0.0, *(2.0**j for j in range(11))]
    assert state.exp4.floor == pytest.approx(math.sqrt(math.log(13) / (20 * 10**6)))
    assert state.exp4.floor == pytest.approx(3.6e-4, rel=0.01)
    assert state.exp4.trust == pytest.approx(math.sqrt(math.log(3900) / (20 * 10**6)))
    assert not state.exp4.log_weights.any()
    assert SharedGrid(candidates=[4, 0, 1]).start(problem).levels.tolist() == [0.0, 1.0, 4.0]


def test_shared_grid_leaves_half_of_a_short_game_to_the_experts():
    assert SharedGrid().start(Problem(arms=20, dim=3, rounds=5)).exp4.floor == 1 / 40


def test_shared_grid_refuses_more_candidates_than_a_memo_has_bits():
    with pytest.raises(ValueError, match="candidates must be at most 50, got 51"):
        SharedGrid(candidates=range(51))


@slow_if_compiled
@pytest.mark.parametrize("options", [{}, {"radius": "det"}, {"bonus": "paper"}])
def test_shared_grid_with_the_candidate_zero_alone_is_linucb_bit_for_bit(options):
    recipe = SharedGrid(candidates=[0], uniform=False, floor=0.0, **options)
    linucb = LinUCB(radius=options.get("radius", "trace"))
    assert_same_play(block_of(400, arms=8, dim=4), recipe, linucb)


@slow_if_compiled
def test_shared_grid_with_one_candidate_is_robust_linucb_bit_for_bit():
    recipe = SharedGrid(candidates=[7.0], uniform=False)  # one expert: no floor
    assert_same_play(block_of(300, arms=8, dim=4), recipe, RobustLinUCB(7.0, bonus="l2"))


@slow_if_compiled
def test_shared_grid_breaks_exact_ties_like_linucb():
    contexts = np.tile(np.repeat(np.eye(3), 3, axis=1), (200, 1, 1))
    luck = block_of(200, arms=9, dim=3).noise
    block = Rounds(contexts, np.zeros((200, 9)), np.zeros(200), luck)
    assert_same_play(block, SharedGrid(candidates=[0], uniform=False), LinUCB())


@slow_if_compiled
def test_shared_grid_no_arm_falls_below_the_floor_and_probabilities_sum_to_one():
    block = block_of(300, arms=6, dim=3)
    agent = agent_for(SharedGrid(floor=0.02), block)
    for contexts, means in zip(block.contexts, block.means, strict=True):
        decision = agent.choose(contexts.T)
        assert decision.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
        assert decision.probabilities.min() >= 0.02 - 1e-15
        chance = memo_of(agent, decision)[MEMO_CHANCE]
        assert chance == pytest.approx(decision.probabilities[decision.arm], rel=1e-12)
        agent.learn(decision, means[decision.arm])


@slow_if_compiled
def test_shared_grid_one_reward_raises_a_log_weight_by_at_most_one():
    block = block_of(300, arms=6, dim=3)
    agent = agent_for(SharedGrid(floor=0.05), block)
    exp4 = state_of(agent).exp4
    most = 0.5 * (1.0 + exp4.trust)  # (p_min/2)(1/p_min + a_m/p_min)
    for contexts, luck in zip(block.contexts, block.noise, strict=True):
        before = exp4.log_weights.copy()
        agent.learn(agent.choose(contexts.T), 50.0 * luck)
        step = exp4.log_weights - before
        assert np.all(step >= 0.0)
        assert np.all(step <= most + 1e-12)


@slow_if_compiled
def test_shared_grid_estimates_are_unbiased():
    # Pay every arm in turn, weighted by its probability: each expert gets the mean of its advice.
    block = block_of(60, arms=4, dim=3)
    agent = agent_for(SharedGrid(candidates=[0, 1, 30, 900], floor=0.03), block)
    play(agent, block)
    contexts, rewards = block.contexts[7], np.array([0.1, 0.9, 0.4, 0.7])
    seen = {}
    while len(seen) < 4:  # each arm has a probability of 0.03 or more
        decision = agent.choose(contexts.T)
        seen[decision.arm] = decision
    mean = np.zeros(5)
    for arm, decision in seen.items():
        trials = [copy.deepcopy(agent) for _ in range(2)]
        for trial, reward in zip(trials, (0.0, rewards[arm]), strict=True):
            trial.learn(decision.id, reward)
        without, paid = (state_of(trial).exp4.log_weights for trial in trials)
        mean += memo_of(agent, decision)[MEMO_CHANCE] * (paid - without) / (0.03 / 2)
    # Each optimistic expert gets the reward of one arm, the uniform expert the mean of all.
    for value in mean[:4]:
        assert np.abs(rewards - value).min() < 1e-9
    assert mean[4] == pytest.approx(rewards.mean())


@slow_if_compiled
def test_shared_grid_memo_tells_where_the_advice_changes():
    block = block_of(150, arms=12, dim=4)
    recipe = SharedGrid(candidates=[0, 0.1, 0.5, 2, 10, 100, 5000], bonus="l1")
    agent = agent_for(recipe, block)
    play(agent, block)
    ridge, changes = ridge_of(agent), 0
    beta = 0.1 * math.sqrt(5 * math.log((1 + 151 / 0.1) / 0.01)) + math.sqrt(0.1)
    for contexts in block.contexts:
        width = np.sqrt((contexts * (ridge.inverse @ contexts)).sum(axis=0))
        advice = [
            np.argmax(ridge.theta @ contexts + (beta + level) * width)
            for level in recipe.candidates
        ]
        borders = sum(1 << j for j in range(6) if advice[j] != advice[j + 1])
        assert memo_of(agent, agent.choose(contexts.T))[MEMO_BORDERS] == borders
        changes += borders > 0
    assert changes > 50


@pytest.mark.slow
@pytest.mark.statistical
def test_shared_grid_chooses_arms_as_often_as_it_reports():
    block = block_of(100, arms=5, dim=3, seed=2)
    agent = agent_for(SharedGrid(candidates=[0, 0.2, 1, 30], floor=0.05), block)
    play(agent, block)
    contexts = block.contexts[3].T
    probabilities = agent.scores(contexts).probabilities
    times = 4000
    counts = np.bincount([agent.choose(contexts).arm for _ in range(times)], minlength=5)
    for count, chance in zip(counts, probabilities, strict=True):
        low, high = stats.binom.ppf([1e-8, 1 - 1e-8], times, chance)
        assert low <= count <= high


@slow_if_compiled
def test_shared_grid_late_rewards_pay_all_experts_and_stay_finite():
    block = block_of(80, arms=6, dim=3)
    agent = agent_for(SharedGrid(floor=0.05), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    for t in reversed(range(0, 80, 2)):
        agent.learn(decisions[t], float(block.means[t, decisions[t].arm]))
    weights = state_of(agent).exp4.log_weights
    assert np.isfinite(weights).all()
    assert weights.min() > 0.0


@slow_if_compiled
def test_shared_grid_learns_to_prefer_the_candidate_that_earns():
    # One arm pays, and only a large candidate ever plays the wide, worthless ones.
    contexts = np.array([[0.3, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    block = block_of(1500, arms=3, dim=3, intercept=False)
    agent = agent_for(SharedGrid(candidates=[0, 500], bonus="l1", floor=0.05), block)
    for _ in range(1500):
        decision = agent.choose(contexts)
        agent.learn(decision, 0.9 if decision.arm == 0 else 0.0)
    assert np.argmax(state_of(agent).exp4.log_weights) == 0
    assert agent.scores(contexts).probabilities[0] > 0.8
