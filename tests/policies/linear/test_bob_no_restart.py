"""BOB-No-Restart: a candidate in every round, paid that round's reward."""

import math

import numpy as np
import pytest
from scipy import stats

import robustbandits as rb
from reference.playing import agent_for, assert_same_play, block_of, play, ridge_of, state_of
from robustbandits.game.problem import Problem
from robustbandits.policies import BOBNoRestart, LinUCB, RobustLinUCB
from robustbandits.policies.linear._linear import BONUSES

PAPER = Problem(arms=20, dim=10, rounds=10**6)


@pytest.mark.parametrize("bonus", BONUSES)
@pytest.mark.parametrize("radius", ["trace", "det"])
def test_bob_no_restart_with_the_candidate_zero_is_linucb_bit_for_bit(bonus, radius):
    recipe = BOBNoRestart(candidates=[0], bonus=bonus, radius=radius)
    bob, _ = assert_same_play(block_of(600, arms=8, dim=4), recipe, LinUCB(radius=radius))
    assert state_of(bob).exp3.log_weights.tolist() == [0.0]


@pytest.mark.parametrize("bonus", BONUSES)
def test_bob_no_restart_with_one_candidate_is_robust_linucb_bit_for_bit(bonus):
    recipe = BOBNoRestart(candidates=[7.0], bonus=bonus)
    assert_same_play(block_of(400, arms=8, dim=4), recipe, RobustLinUCB(7.0, bonus=bonus))


@pytest.mark.parametrize(
    ("recipe", "size", "alpha"),
    [
        (BOBNoRestart.as_written(), 28, 0.0073688),
        (BOBNoRestart.as_coded(), 27, 0.0071964),
        (BOBNoRestart(candidates="T"), 22, 0.0062910),
        (BOBNoRestart(), 12, 0.0041658),
    ],
)
def test_bob_no_restart_has_the_known_constants_at_the_papers_size(recipe, size, alpha):
    state = recipe.start(PAPER)
    assert len(state.levels) == size
    assert state.exp3.alpha == pytest.approx(alpha, abs=5e-8)
    exact = math.sqrt(size * math.log(size) / ((math.e - 1) * 10**6))
    assert state.exp3.alpha == pytest.approx(exact, rel=1e-12)
    assert not state.exp3.log_weights.any()


@pytest.mark.parametrize(
    ("clip", "reward", "paid"), [(True, 1.4, 1.0), (True, -0.3, 0.0), (False, 1.4, 1.4)]
)
def test_bob_no_restart_pays_exp3_the_reward_divided_by_its_chance(clip, reward, paid):
    recipe = BOBNoRestart(candidates=[0, 5], clip=clip, alpha=0.4)
    agent = rb.Agent(recipe, arms=1, dim=2, reward_range=(-2.0, 2.0))
    agent.learn(agent.choose([[0.5, 0.5]]), reward)
    weights = state_of(agent).exp3.log_weights
    assert np.count_nonzero(weights) == (1 if paid else 0)
    assert weights.sum() == pytest.approx(0.4 / 2 * paid / 0.5)
    # The regression learns the reward as it was seen.
    assert ridge_of(agent).moment.tolist() == [reward * 0.5, reward * 0.5]


def test_bob_no_restart_rewards_out_of_order_pay_the_candidates_that_earned_them():
    block = block_of(40, arms=6, dim=3)
    agents = [agent_for(BOBNoRestart(candidates=[0, 3, 50], alpha=0.3), block) for _ in range(2)]
    for agent, order in zip(agents, (range(40), reversed(range(40))), strict=True):
        decisions = [agent.choose(contexts.T) for contexts in block.contexts]
        for t in order:
            agent.learn(decisions[t], block.means[t, decisions[t].arm])
    forward, backward = (state_of(agent).exp3.log_weights for agent in agents)
    np.testing.assert_allclose(forward, backward, rtol=1e-12)
    assert forward.min() > 0
    np.testing.assert_allclose(ridge_of(agents[0]).theta, ridge_of(agents[1]).theta, rtol=1e-9)


@pytest.mark.statistical
def test_bob_no_restart_chooses_arms_as_often_as_it_reports():
    block = block_of(100, arms=5, dim=3, seed=2)
    agent = agent_for(BOBNoRestart(candidates=[0, 0.2, 1, 30], alpha=0.5), block)
    play(agent, block)
    contexts = max(
        (contexts.T for contexts in block.contexts),
        key=lambda rows: np.count_nonzero(agent.scores(rows).probabilities),
    )
    probabilities = agent.scores(contexts).probabilities
    assert np.count_nonzero(probabilities) >= 2
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    times = 10_000
    counts = np.bincount([agent.choose(contexts).arm for _ in range(times)], minlength=5)
    for count, chance in zip(counts, probabilities, strict=True):
        low, high = stats.binom.ppf([1e-8, 1 - 1e-8], times, min(1.0, chance))
        assert low <= count <= high


def test_bob_no_restart_learns_to_prefer_the_candidate_that_earns():
    # One arm pays, and only a large candidate ever plays the wide, worthless ones.
    contexts = np.array([[0.3, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    agent = rb.Agent(BOBNoRestart(candidates=[0, 500], bonus="l1"), arms=3, dim=3, rounds=3000)
    for _ in range(3000):
        decision = agent.choose(contexts)
        agent.learn(decision, 0.9 if decision.arm == 0 else 0.0)
    assert np.argmax(state_of(agent).exp3.log_weights) == 0
    assert agent.scores(contexts).probabilities[0] > 0.9


@pytest.mark.parametrize("options", [{"alpha": 0.1}, {"candidates": [0, 1]}])
def test_bob_no_restart_needs_the_horizon_unless_everything_is_given(options):
    with pytest.raises(ValueError, match="BOB-No-Restart needs to know the horizon"):
        BOBNoRestart(**options).start(Problem(arms=3, dim=2))
    state = BOBNoRestart(candidates=[0, 1], alpha=0.25).start(Problem(arms=3, dim=2))
    assert state.levels.tolist() == [0.0, 1.0]
    assert state.exp3.alpha == 0.25


@pytest.mark.parametrize("kind", [BOBNoRestart, rb.policies.SharedGrid])
def test_candidates_that_need_epochs_are_refused_without_epochs(kind):
    with pytest.raises(ValueError, match="candidates='2KH-floor' needs epochs"):
        kind(candidates="2KH-floor")
