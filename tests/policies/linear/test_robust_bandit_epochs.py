"""RobustBandit: epochs, restarts, and what EXP3 is paid for them."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import (
    agent_for,
    answer,
    block_of,
    memo_of,
    play,
    ridge_of,
    same_bits,
    state_of,
)
from robustbandits.kernels.ridge import COUNT, start_ridge
from robustbandits.policies import RobustBandit
from robustbandits.policies.linear._blocks import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    EARNED,
    LEARNED,
    MEMO_CANDIDATE,
    NUMBER,
)
from robustbandits.policies.linear.robust_bandit import LEARNED_EVER

CONTEXT = [[0.6, 0.1]]


def diary_of(agent):
    return state_of(agent).diary


def weights_of(agent):
    return state_of(agent).exp3.log_weights


def single_arm_agent(rounds=100, **options):
    recipe = RobustBandit(**options)
    return rb.Agent(recipe, arms=1, dim=2, rounds=rounds, reward_range=(-9.0, 9.0))


def learn_all(agent, rewards):
    for reward in rewards:
        agent.learn(agent.choose(CONTEXT), reward)


@pytest.mark.parametrize(("rounds", "epoch"), [(100, 30), (90, 30), (29, 30), (12, 1), (5, 5)])
def test_robust_bandit_plays_as_many_epochs_as_planned(rounds, epoch):
    block = block_of(rounds, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=epoch), block)
    numbers = [0.0]  # of the epoch in which each round begins
    play(agent, block, watch=lambda t: numbers.append(diary_of(agent)[NUMBER]))
    plan = agent.policy.plan(agent.problem)
    lengths = np.bincount(np.array(numbers[:-1], dtype=int))
    assert len(lengths) == plan.epochs == math.ceil(rounds / epoch)
    assert (lengths[:-1] == epoch).all()
    assert lengths[-1] == rounds - (plan.epochs - 1) * epoch


def test_robust_bandit_keeps_its_candidate_within_an_epoch_and_draws_again_after():
    block = block_of(400, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=20, candidates=[0, 1, 2, 4, 8, 16], alpha=1.0), block)
    drawn, kept = np.empty(400), np.empty(400)
    for t in range(400):
        decision = agent.choose(block.contexts[t].T)
        drawn[t] = memo_of(agent, decision)[MEMO_CANDIDATE]
        agent.learn(decision, block.noise[t])
        kept[t] = diary_of(agent)[CANDIDATE]
    drawn = drawn.reshape(20, 20)
    assert (drawn == drawn[:, :1]).all()
    assert len(np.unique(drawn[:, 0])) > 2
    assert (kept.reshape(20, 20)[:, :-1] == drawn[:, :1]).all()


def test_robust_bandit_forgets_everything_after_an_epoch():
    block = block_of(50, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=25), block)
    for t in range(50):
        answer(agent, block, t)
        assert diary_of(agent)[LEARNED_EVER] == t + 1
        if t % 25 == 24:
            assert same_bits(ridge_of(agent), start_ridge(3, 0.1))
            assert diary_of(agent)[[LEARNED, CREDITED, EARNED]].tolist() == [0.0, 0.0, 0.0]
        else:
            assert ridge_of(agent).tally[COUNT] == t % 25 + 1


def test_robust_bandit_without_restart_keeps_what_it_learned():
    block = block_of(50, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=25, restart=False), block)
    play(agent, block)
    assert ridge_of(agent).tally[COUNT] == 50
    assert diary_of(agent)[NUMBER] == 2


def test_robust_bandit_as_coded_never_restarts_and_keeps_its_candidate():
    # `t % H == 0` with an H that is not whole is true in the first round only.
    block = block_of(3000, arms=4, dim=2)
    agent = agent_for(RobustBandit.as_coded(), block)
    candidates = set()
    play(agent, block, watch=lambda t: candidates.add(diary_of(agent)[CANDIDATE]))
    assert len(candidates) == 1
    assert diary_of(agent)[NUMBER] == 0
    assert ridge_of(agent).tally[COUNT] == 3000
    assert not weights_of(agent).any()


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
    agent = single_arm_agent(3, candidates=[0, 1, 2, 3], epoch=3, alpha=0.4, **options)
    learn_all(agent, rewards)
    assert weights_of(agent).sum() == pytest.approx(0.4 / 4 * paid / 0.25, abs=1e-15)
    assert np.count_nonzero(weights_of(agent)) == (1 if paid else 0)


def test_robust_bandit_pays_by_the_probability_with_which_its_candidate_was_drawn():
    agent = single_arm_agent(2, candidates=[0, 1], epoch=2, alpha=0.5)
    learn_all(agent, [1.0, 1.0])
    first = weights_of(agent).copy()
    weights = np.exp(first - first.max())
    probabilities = 0.5 * weights / weights.sum() + 0.25
    candidate = int(diary_of(agent)[CANDIDATE])
    assert diary_of(agent)[CHANCE] == pytest.approx(probabilities[candidate], rel=1e-14)
    learn_all(agent, [0.5, 0.5])
    step = weights_of(agent) - first
    assert step[candidate] == pytest.approx(0.25 * 0.5 / probabilities[candidate], rel=1e-13)
    assert step[1 - candidate] == 0.0


@pytest.mark.parametrize("candidates", [[0, 4], [3]])  # with one, the same candidate is drawn again
def test_robust_bandit_late_reward_is_learned_but_not_credited(candidates):
    agent = single_arm_agent(candidates=candidates, epoch=4, alpha=0.5)
    learn_all(agent, [0.5])
    late = agent.choose(CONTEXT)
    learn_all(agent, [0.5] * 3)
    assert diary_of(agent)[NUMBER] == 1
    before = diary_of(agent).copy()
    agent.learn(late, 1.0)
    assert diary_of(agent)[LEARNED] == before[LEARNED] + 1
    assert diary_of(agent)[CREDITED] == before[CREDITED] == 0
    assert diary_of(agent)[EARNED] == before[EARNED] == 0
    assert ridge_of(agent).tally[COUNT] == 1
    assert ridge_of(agent).moment.tolist() == [0.6, 0.1]
    # The epoch then ends after three rewards of its own, and is paid for those alone.
    weights, candidate = weights_of(agent).copy(), int(before[CANDIDATE])
    learn_all(agent, [0.2] * 3)
    assert diary_of(agent)[NUMBER] == 2
    step = weights_of(agent) - weights
    assert step[candidate] == pytest.approx(0.5 / len(candidates) * 0.2 / before[CHANCE])


@pytest.mark.parametrize("candidates", [[0, 4], [3]])
def test_robust_bandit_epoch_with_late_rewards_only_pays_no_candidate(candidates):
    agent = single_arm_agent(candidates=candidates, epoch=2, alpha=0.5)
    learn_all(agent, [0.5])
    late = [agent.choose(CONTEXT) for _ in range(3)]
    agent.learn(late[0], 0.5)
    paid = weights_of(agent).copy()
    for decision in late[1:]:
        agent.learn(decision, 1.0)
    assert diary_of(agent)[NUMBER] == 2
    assert np.array_equal(weights_of(agent), paid)


def test_robust_bandit_first_reward_decides_the_first_candidate():
    agent = single_arm_agent(candidates=[0, 1, 2, 4, 8], epoch=50, alpha=1.0)
    early = [agent.choose(CONTEXT) for _ in range(30)]
    drawn = [memo_of(agent, decision)[MEMO_CANDIDATE] for decision in early]
    assert len(set(drawn)) > 1  # nothing decided yet: each choice draws for itself
    assert diary_of(agent)[CANDIDATE] == -1
    agent.learn(early[17], 0.5)
    assert diary_of(agent)[CANDIDATE] == drawn[17]
    for decision in early[:17] + early[18:]:
        agent.learn(decision, 0.5)
    assert diary_of(agent)[LEARNED] == 30
    assert diary_of(agent)[CREDITED] == drawn.count(drawn[17])
