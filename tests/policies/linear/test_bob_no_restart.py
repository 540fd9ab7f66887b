"""BOB-No-Restart: a candidate a round, paid that round's reward."""

import math

import numpy as np
import pytest
from scipy import stats

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.game.problem import Problem
from robustbandits.policies import BOBNoRestart, LinUCB, RobustLinUCB

PAPER = Problem(arms=20, dim=10, rounds=10**6)


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
@pytest.mark.parametrize("radius", ["trace", "det"])
def test_bob_with_the_candidate_zero_is_linucb_bit_for_bit(bonus, radius):
    block = block_of(600, arms=8, dim=4)
    bob = agent_for(BOBNoRestart(candidates=[0], bonus=bonus, radius=radius), block)
    linucb = agent_for(LinUCB(radius=radius), block)
    assert play(bob, block) == play(linucb, block)
    assert same_bits(ridge_of(bob), ridge_of(linucb))
    assert bob._state.exp3.log_weights.tolist() == [0.0]


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_bob_with_one_candidate_is_robust_linucb_bit_for_bit(bonus):
    block = block_of(400, arms=8, dim=4)
    bob = agent_for(BOBNoRestart(candidates=[7.0], bonus=bonus), block)
    robust = agent_for(RobustLinUCB(7.0, bonus=bonus), block)
    assert play(bob, block) == play(robust, block)
    assert same_bits(ridge_of(bob), ridge_of(robust))


@pytest.mark.parametrize(
    ("recipe", "size", "alpha"),
    [
        (BOBNoRestart.as_written(), 28, 0.0073688),
        (BOBNoRestart.as_coded(), 27, 0.0071964),
        (BOBNoRestart(candidates="T"), 22, 0.0062910),
        (BOBNoRestart(), 12, 0.0041658),
    ],
)
def test_bob_golden_constants_at_the_papers_point(recipe, size, alpha):
    state = recipe.start(PAPER)
    assert len(state.levels) == size
    assert state.exp3.alpha == pytest.approx(alpha, abs=5e-8)
    exact = math.sqrt(size * math.log(size) / ((math.e - 1) * 10**6))
    assert state.exp3.alpha == pytest.approx(exact, rel=1e-12)
    assert not state.exp3.log_weights.any()


def test_bob_as_written_has_the_papers_fields():
    assert BOBNoRestart.as_written() == BOBNoRestart(
        candidates="2KT", bonus="paper", clip=False, sigma=0.1, ties="random"
    )
    assert BOBNoRestart.as_written(clip=True, sigma=0.3).changes() == {
        "candidates": "2KT",
        "bonus": "paper",
        "sigma": 0.3,
    }


def test_bob_as_coded_has_the_codes_fields():
    assert BOBNoRestart.as_coded() == BOBNoRestart(
        candidates="2KT-floor", bonus="paper", clip=False, sigma=0.01, ties="first"
    )
    assert BOBNoRestart.as_coded(sigma=0.1).sigma == 0.1


def test_bob_name_is_the_papers():
    assert BOBNoRestart().name == "BOB-No-Restart"


@pytest.mark.parametrize(
    ("clip", "reward", "paid"), [(True, 1.4, 1.0), (True, -0.3, 0.0), (False, 1.4, 1.4)]
)
def test_bob_pays_exp3_the_reward_over_its_chance(clip, reward, paid):
    recipe = BOBNoRestart(candidates=[0, 5], clip=clip, alpha=0.4)
    agent = rb.Agent(recipe, arms=1, dim=2, reward_range=(-2.0, 2.0))
    decision = agent.choose([[0.5, 0.5]])
    agent.learn(decision, reward)
    weights = agent._state.exp3.log_weights
    assert np.count_nonzero(weights) == (1 if paid else 0)
    assert weights.sum() == pytest.approx(0.4 / 2 * paid / 0.5)
    # The regression learns what was seen, clipped or not.
    assert ridge_of(agent).moment.tolist() == [reward * 0.5, reward * 0.5]


def test_bob_rewards_out_of_order_pay_the_candidates_that_earned_them():
    block = block_of(40, arms=6, dim=3)
    recipe = BOBNoRestart(candidates=[0, 3, 50], alpha=0.3)
    forward, backward = agent_for(recipe, block), agent_for(recipe, block)
    for agent, order in ((forward, range(40)), (backward, reversed(range(40)))):
        decisions = [agent.choose(contexts.T) for contexts in block.contexts]
        for t in order:
            agent.learn(decisions[t], block.means[t, decisions[t].arm])
    np.testing.assert_allclose(
        forward._state.exp3.log_weights, backward._state.exp3.log_weights, rtol=1e-12
    )
    assert forward._state.exp3.log_weights.min() > 0
    np.testing.assert_allclose(ridge_of(forward).theta, ridge_of(backward).theta, rtol=1e-9)


def test_bob_choosing_changes_nothing_it_remembers():
    block = block_of(30, arms=6, dim=3)
    agent, other = (agent_for(BOBNoRestart(), block) for _ in range(2))
    play(agent, block)
    play(other, block)
    for contexts in block.contexts:
        agent.choose(contexts.T)
    assert same_bits(agent._state, other._state)


@pytest.mark.statistical
def test_bob_chooses_arms_as_often_as_it_says():
    block = block_of(100, arms=5, dim=3, seed=2)
    agent = agent_for(BOBNoRestart(candidates=[0, 0.2, 1, 30], alpha=0.5), block)
    play(agent, block)
    contexts = max(
        (contexts.T for contexts in block.contexts),
        key=lambda rows: np.count_nonzero(agent.scores(rows).probabilities),
    )
    chances = agent.scores(contexts).probabilities
    assert np.count_nonzero(chances) >= 2
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    times = 10_000
    counts = np.bincount([agent.choose(contexts).arm for _ in range(times)], minlength=5)
    for count, chance in zip(counts, chances, strict=True):
        low, high = stats.binom.ppf([1e-8, 1 - 1e-8], times, min(1.0, chance))
        assert low <= count <= high


def test_bob_learns_to_trust_the_candidate_that_earns():
    # One arm pays, and only a large candidate ever plays the wide, worthless ones.
    contexts = np.array([[0.3, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    agent = rb.Agent(BOBNoRestart(candidates=[0, 500], bonus="l1"), arms=3, dim=3, rounds=3000)
    for _ in range(3000):
        decision = agent.choose(contexts)
        agent.learn(decision, 0.9 if decision.arm == 0 else 0.0)
    assert np.argmax(agent._state.exp3.log_weights) == 0
    assert agent.scores(contexts).probabilities[0] > 0.9


@pytest.mark.parametrize(
    "recipe", [BOBNoRestart(), BOBNoRestart(alpha=0.1), BOBNoRestart(candidates=[0, 1])]
)
def test_bob_without_a_horizon_says_so_in_one_sentence(recipe):
    with pytest.raises(ValueError, match="BOB-No-Restart needs to know the horizon") as caught:
        recipe.start(Problem(arms=3, dim=2))
    assert "rounds=" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bob_with_everything_given_needs_no_horizon():
    state = BOBNoRestart(candidates=[0, 1], alpha=0.25).start(Problem(arms=3, dim=2))
    assert state.levels.tolist() == [0.0, 1.0]
    assert state.exp3.alpha == 0.25


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"candidates": "2KH-floor"}, ValueError, "candidates='2KH-floor' needs epochs"),
        ({"bonus": "L2"}, ValueError, "bonus must be one of .*; got 'L2'"),
        ({"max_corruption": -1.0}, ValueError, r"max_corruption must be > 0, got -1\.0"),
        ({"clip": 1}, TypeError, "clip must be True or False, got 1"),
        ({"alpha": 1.01}, ValueError, r"alpha must be between 0 and 1, got 1\.01"),
        ({"alpha": "0.1"}, TypeError, r"alpha must be a number, got '0\.1'"),
        ({"ridge": 0}, ValueError, "ridge must be > 0, got 0"),
    ],
)
def test_bob_bad_parameter_is_named(parameters, error, words):
    with pytest.raises(error, match=words):
        BOBNoRestart(**parameters)
