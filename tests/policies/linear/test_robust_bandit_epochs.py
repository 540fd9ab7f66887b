"""RobustBandit: epochs, restarts, and what EXP3 is paid for them."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.kernels.ridge import COUNT, start_ridge
from robustbandits.policies import RobustBandit
from robustbandits.policies.linear.robust_bandit import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    EARNED,
    EVER,
    LEARNED,
    NUMBER,
)


def diary(agent):
    return agent._state.diary


@pytest.mark.parametrize(("rounds", "epoch"), [(100, 30), (90, 30), (29, 30), (12, 1), (5, 5)])
def test_robust_bandit_plays_as_many_epochs_as_planned(rounds, epoch):
    block = block_of(rounds, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=epoch), block)
    numbers = [0.0]  # of the epoch that each round begins in
    play(agent, block, watch=lambda t: numbers.append(diary(agent)[NUMBER]))
    plan = agent.policy.plan(agent.problem)
    lengths = np.bincount(np.array(numbers[:-1], dtype=int))
    assert len(lengths) == plan.epochs == math.ceil(rounds / epoch)
    assert (lengths[:-1] == epoch).all()
    assert lengths[-1] == rounds - (plan.epochs - 1) * epoch


def test_robust_bandit_candidate_is_kept_within_an_epoch_and_redrawn_after():
    block = block_of(400, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=20, candidates=[0, 1, 2, 4, 8, 16], alpha=1.0), block)
    seen = []
    memos = []
    for contexts, reward in zip(block.contexts, block.noise, strict=True):
        decision = agent.choose(contexts.T)
        memos.append(agent._pending[decision.id][1][0])
        agent.learn(decision, reward)
        seen.append(diary(agent)[CANDIDATE])
    drawn = np.array(memos).reshape(20, 20)
    assert (drawn == drawn[:, :1]).all()
    assert len(np.unique(drawn[:, 0])) > 2
    assert (np.array(seen).reshape(20, 20)[:, :-1] == drawn[:, :1]).all()


def test_robust_bandit_after_an_epoch_is_fresh():
    block = block_of(50, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=25), block)
    resets = []

    def watch(t):
        if t % 25 == 24:
            resets.append(same_bits(ridge_of(agent), start_ridge(3, 0.1)))
            assert diary(agent)[[LEARNED, CREDITED, EARNED]].tolist() == [0.0, 0.0, 0.0]
            assert diary(agent)[EVER] == t + 1
        else:
            assert ridge_of(agent).tally[COUNT] == t % 25 + 1

    play(agent, block, watch)
    assert resets == [True, True]


def test_robust_bandit_without_restart_keeps_what_it_learned():
    block = block_of(50, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=25, restart=False), block)
    play(agent, block)
    assert ridge_of(agent).tally[COUNT] == 50
    assert diary(agent)[NUMBER] == 2


def test_robust_bandit_as_coded_never_restarts_and_keeps_its_candidate():
    # The trap of `t % H == 0` with an H that is not whole: true in the first round only.
    block = block_of(3000, arms=4, dim=2)
    agent = agent_for(RobustBandit.as_coded(), block)
    candidates = set()
    play(agent, block, watch=lambda t: candidates.add(diary(agent)[CANDIDATE]))
    assert len(candidates) == 1
    assert diary(agent)[NUMBER] == 0
    assert ridge_of(agent).tally[COUNT] == 3000
    assert not agent._state.exp3.log_weights.any()


@pytest.mark.parametrize("epoch", [5835.5577, 100.0, np.float64(7.0), True])
def test_robust_bandit_epoch_that_is_not_whole_is_refused(epoch):
    with pytest.raises(TypeError, match="epoch must be a whole number, got"):
        RobustBandit(epoch=epoch)


def rewarded(recipe, rewards):
    """Play a game of one arm with these rewards; return the agent."""
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=len(rewards), reward_range=(-9.0, 9.0))
    for reward in rewards:
        agent.learn(agent.choose([[0.6, 0.1]]), reward)
    return agent


@pytest.mark.parametrize(
    ("options", "rewards", "paid"),
    [
        ({}, [0.2, 0.4, 0.9], 0.5),
        ({}, [2.0, 2.0, 2.0], 1.0),
        ({}, [-1.0, 0.1, 0.1], 0.0),
        ({"clip": False}, [2.0, 2.0, 2.0], 2.0),
        ({"clip": False}, [-1.0, 0.1, 0.0], -0.3),
        ({"reward_scale": "none"}, [0.2, 0.4, 0.9], 1.5),
        ({"reward_scale": "none"}, [-1.0, 0.1, 0.0], -0.9),
    ],
)
def test_robust_bandit_pays_exp3_for_an_epoch(options, rewards, paid):
    recipe = RobustBandit(candidates=[0, 1, 2, 3], epoch=3, alpha=0.4, **options)
    weights = rewarded(recipe, rewards)._state.exp3.log_weights
    assert weights.sum() == pytest.approx(0.4 / 4 * paid / 0.25, abs=1e-15)
    assert np.count_nonzero(weights) == (1 if paid else 0)


def test_robust_bandit_pays_with_the_chance_its_candidate_was_drawn_with():
    recipe = RobustBandit(candidates=[0, 1], epoch=2, alpha=0.5)
    agent = rewarded(recipe, [1.0, 1.0])
    first = agent._state.exp3.log_weights.copy()
    weights = np.exp(first - first.max())
    chances = 0.5 * weights / weights.sum() + 0.25
    candidate = int(diary(agent)[CANDIDATE])
    assert diary(agent)[CHANCE] == pytest.approx(chances[candidate], rel=1e-14)
    for _ in range(2):
        agent.learn(agent.choose([[0.6, 0.1]]), 0.5)
    step = agent._state.exp3.log_weights - first
    assert step[candidate] == pytest.approx(0.25 * 0.5 / chances[candidate], rel=1e-13)
    assert step[1 - candidate] == 0.0


@pytest.mark.parametrize("candidates", [[0, 4], [3]])  # with one, the candidate is the same again
def test_robust_bandit_late_reward_is_learned_but_not_credited(candidates):
    recipe = RobustBandit(candidates=candidates, epoch=4, alpha=0.5)
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=100)
    context = [[0.6, 0.1]]
    agent.learn(agent.choose(context), 0.5)
    late = agent.choose(context)
    for _ in range(3):
        agent.learn(agent.choose(context), 0.5)
    assert diary(agent)[NUMBER] == 1
    before = diary(agent).copy()
    agent.learn(late, 1.0)
    assert diary(agent)[LEARNED] == before[LEARNED] + 1
    assert diary(agent)[CREDITED] == before[CREDITED] == 0
    assert diary(agent)[EARNED] == before[EARNED] == 0
    assert ridge_of(agent).tally[COUNT] == 1
    assert ridge_of(agent).moment.tolist() == [0.6, 0.1]
    # The epoch then ends after three rewards of its own, and is paid for those alone.
    weights = agent._state.exp3.log_weights.copy()
    candidate, chance = int(before[CANDIDATE]), before[CHANCE]
    for _ in range(3):
        agent.learn(agent.choose(context), 0.2)
    assert diary(agent)[NUMBER] == 2
    step = agent._state.exp3.log_weights - weights
    assert step[candidate] == pytest.approx(0.5 / len(candidates) * 0.2 / chance)


@pytest.mark.parametrize("candidates", [[0, 4], [3]])
def test_robust_bandit_epoch_of_late_rewards_only_pays_nobody(candidates):
    recipe = RobustBandit(candidates=candidates, epoch=2, alpha=0.5)
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=100)
    context = [[0.6, 0.1]]
    agent.learn(agent.choose(context), 0.5)
    late = [agent.choose(context) for _ in range(3)]
    agent.learn(late[0], 0.5)
    paid = agent._state.exp3.log_weights.copy()
    for decision in late[1:]:
        agent.learn(decision, 1.0)
    assert diary(agent)[NUMBER] == 2
    assert np.array_equal(agent._state.exp3.log_weights, paid)


def test_robust_bandit_first_reward_settles_the_first_candidate():
    recipe = RobustBandit(candidates=[0, 1, 2, 4, 8], epoch=50, alpha=1.0)
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=100)
    early = [agent.choose([[0.6, 0.1]]) for _ in range(30)]
    memos = [agent._pending[decision.id][1][0] for decision in early]
    assert len(set(memos)) > 1  # nothing settled yet: each choice draws for itself
    assert diary(agent)[CANDIDATE] == -1
    agent.learn(early[17], 0.5)
    assert diary(agent)[CANDIDATE] == memos[17]
    for t, decision in enumerate(early):
        if t != 17:
            agent.learn(decision, 0.5)
    assert diary(agent)[LEARNED] == 30
    assert diary(agent)[CREDITED] == memos.count(memos[17])
