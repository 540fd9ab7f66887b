"""RobustBandit: the policies it reduces to, what it reports, and the constants of a run."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from reference.playing import agent_for, assert_same_play, block_of, play, same_bits, state_of
from robustbandits.game.problem import Problem
from robustbandits.policies import BOBNoRestart, LinUCB, RobustBandit, RobustLinUCB
from robustbandits.policies.linear._blocks import CANDIDATE, NUMBER
from robustbandits.policies.linear._linear import BONUSES

PAPER = Problem(arms=20, dim=10, rounds=10**6)


@pytest.mark.parametrize("epoch", ["balanced", "never", "paper", 601, 10**9])
@pytest.mark.parametrize("radius", ["trace", "det"])
def test_robust_bandit_with_the_candidate_zero_and_one_epoch_is_linucb(epoch, radius):
    # With a noise of 0.5 the paper's epoch is longer than the game.
    sigma = 0.5 if epoch == "paper" else 0.1
    recipe = RobustBandit(candidates=[0], epoch=epoch, radius=radius, sigma=sigma)
    assert_same_play(block_of(600, arms=8, dim=4), recipe, LinUCB(radius=radius, sigma=sigma))


def test_robust_bandit_epoch_of_the_whole_game_plays_like_linucb():
    # The last reward restarts it, too late to matter.
    block = block_of(600, arms=8, dim=4)
    agent = agent_for(RobustBandit(candidates=[0], epoch=600), block)
    assert play(agent, block) == play(agent_for(LinUCB(), block), block)
    assert state_of(agent).diary[NUMBER] == 1


@pytest.mark.parametrize("bonus", BONUSES)
def test_robust_bandit_with_one_candidate_and_one_epoch_is_robust_linucb(bonus):
    recipe = RobustBandit(candidates=[6.0], epoch="never", bonus=bonus)
    assert_same_play(block_of(400, arms=8, dim=4), recipe, RobustLinUCB(6.0, bonus=bonus))


def test_robust_bandit_with_epochs_of_one_round_and_no_restart_is_bob_no_restart():
    # The two algorithms differ in epochs only; here both draw a candidate before every round.
    shared = {"candidates": [0, 1, 9], "alpha": 0.3, "radius": "det"}
    recipe = RobustBandit(epoch=1, restart=False, delta_split=False, **shared)
    agents = assert_same_play(block_of(300, arms=8, dim=4), recipe, BOBNoRestart(**shared))
    assert same_bits(*(state_of(agent).exp3 for agent in agents))


def test_robust_bandit_with_short_epochs_is_linucb_started_again():
    block = block_of(120, arms=8, dim=4)
    agent = agent_for(RobustBandit(candidates=[0], epoch=30, delta_split=False), block)
    fresh = []
    for start in range(0, 120, 30):
        part = type(block)(*(array[start : start + 30] for array in block))
        fresh += play(agent_for(LinUCB(), part), part)
    assert play(agent, block) == fresh


def test_robust_bandit_probabilities_are_over_candidates_that_are_not_drawn_yet():
    # A short arm and a long one, both unknown: widths decide, whatever the candidate.
    agent = rb.Agent(RobustBandit(candidates=[0, 4, 8]), arms=2, dim=2, rounds=100)
    assert agent.scores([[0.1, 0.0], [0.0, 0.9]]).probabilities.tolist() == [0.0, 1.0]
    equal = agent.scores([[0.9, 0.0], [0.0, 0.9]]).probabilities
    np.testing.assert_allclose(equal, [0.5, 0.5], rtol=1e-15)


def test_robust_bandit_bonuses_are_those_of_the_epochs_candidate():
    recipe = RobustBandit(candidates=[0, 100], epoch=1000, bonus="l1", delta_split=False)
    contexts = np.array([[0.3, 0.2], [0.1, -0.4]])
    bonuses = {}
    for seed in range(8):
        agent = rb.Agent(recipe, arms=2, dim=2, rounds=100, seed=seed, reward_range=(-1, 2))
        agent.learn(agent.choose(contexts[:1]), 0.5)
        bonuses[int(state_of(agent).diary[CANDIDATE])] = agent.scores(contexts).bonuses
    assert set(bonuses) == {0, 1}
    beta = 0.1 * math.sqrt(2 * math.log((1 + 2 / 0.1) / 0.01)) + math.sqrt(0.1)
    np.testing.assert_allclose(bonuses[1] / bonuses[0], (beta + 100) / beta, rtol=1e-12)


# ------------------------------------------------------------------------- constants of a run


@pytest.mark.parametrize(
    "recipe",
    [
        RobustBandit.as_coded(),
        RobustBandit(candidates=[0, 1], alpha=0.1, delta_split=False),
        RobustBandit(candidates=[0, 1], epoch=10, delta_split=False),
        RobustBandit(candidates=[0, 1], epoch=10, alpha=0.1),
    ],
)
def test_robust_bandit_needs_the_horizon_unless_everything_is_given(recipe):
    with pytest.raises(ValueError, match="RobustBandit needs to know the horizon"):
        recipe.start(Problem(arms=3, dim=2))
    given_all = RobustBandit(candidates=[0, 1], epoch=10, alpha=0.1, delta_split=False)
    state = given_all.start(Problem(arms=3, dim=2))
    assert (state.length, state.exp3.alpha) == (10.0, 0.1)


def test_plan_as_written_has_the_known_constants():
    plan = RobustBandit.as_written().plan(PAPER)
    beta, gamma = 1.7557855, 16.6225820
    exact = beta * gamma * math.sqrt(10**6) / math.sqrt(math.e - 1)
    assert gamma == pytest.approx(math.sqrt(20 * math.log(1 + 10**6)), abs=5e-8)
    assert len(plan.levels) == 28
    assert exact == pytest.approx(22265.0028, abs=2e-3)
    assert plan.epoch == 22266  # rounded up; the paper says only 22265.0028
    assert plan.epoch - 1 < exact <= plan.epoch
    assert plan.epochs == 45 == math.ceil(10**6 / plan.epoch)
    assert plan.alpha == 1.0  # 1.0985 before it is cut to 1: EXP3 can learn nothing
    assert plan.delta == 0.01
    by_rounds = RobustBandit.as_written(exp3_horizon="rounds").plan(PAPER)  # Theorem 3
    assert by_rounds.alpha == pytest.approx(0.0073688, abs=5e-8)


def test_plan_with_the_codes_noise_has_the_known_constants():
    plan = RobustBandit.as_written(sigma=0.01).plan(PAPER)
    assert (plan.epoch, plan.epochs) == (5836, 172)
    assert plan.alpha == pytest.approx(0.562, abs=5e-4)


def test_plan_as_coded_has_the_known_constants():
    plan = RobustBandit.as_coded().plan(PAPER)
    assert len(plan.levels) == 19
    assert plan.levels[-1] == 131072
    assert plan.epoch == math.inf  # the code's H is not whole, so it never restarts
    assert plan.epochs == 1
    exact = 5835.5577
    assert RobustBandit.as_coded(epoch="paper").plan(PAPER).epoch == math.ceil(exact)
    assert not any(t % exact == 0 for t in range(1, 10**5))
    assert plan.levels[-1] <= 2 * 20 * exact < 2 * plan.levels[-1]


@pytest.mark.parametrize(
    ("recipe", "dim", "size", "epoch", "epochs", "alpha"),
    [
        (RobustBandit(candidates="2KT"), 10, 28, 2306, 434, 0.3537),
        (RobustBandit(candidates="2KT", sigma=0.01), 10, 28, 605, 1653, 0.1812),
        (RobustBandit(), 11, 12, 4433, 226, 0.277),
    ],
)
def test_plan_balanced_has_the_known_constants(recipe, dim, size, epoch, epochs, alpha):
    problem = Problem(arms=20, dim=dim, rounds=10**6)
    plan = recipe.plan(problem)
    assert (len(plan.levels), plan.epoch, plan.epochs) == (size, epoch, epochs)
    assert plan.alpha == pytest.approx(alpha, abs=5e-4)
    # Balanced is the paper's epoch divided by √(N ln N), rounded up.
    longest = RobustBandit(**{**recipe.changes(), "epoch": "paper"}).plan(problem).epoch
    root = math.sqrt(size * math.log(size))
    assert (longest - 1) / root <= plan.epoch <= longest / root + 1
    assert plan.delta == pytest.approx(0.01 / epochs)


@given(
    st.integers(1, 100),
    st.integers(1, 50),
    st.integers(1, 10**7),
    st.sampled_from(["balanced", "paper", "never", 1, 100]),
    st.sampled_from(["sqrtT", "T", "2KT", "2KT-floor", "2KH-floor", (0.0,), (0.0, 3.0)]),
)
def test_plan_has_whole_epochs_that_cover_the_game(arms, dim, rounds, epoch, candidates):
    problem = Problem(arms=arms, dim=dim, rounds=rounds)
    plan = RobustBandit(epoch=epoch, candidates=candidates).plan(problem)
    assert plan.epoch >= 1
    assert plan.epoch == math.inf or plan.epoch == int(plan.epoch)
    assert (plan.epochs - 1) * min(plan.epoch, rounds) < rounds <= plan.epochs * plan.epoch
    assert 0.0 <= plan.alpha <= 1.0
    assert 0.0 < plan.delta <= 0.01
    assert plan.delta * plan.epochs == pytest.approx(0.01)
    assert plan.levels[0] == 0.0


def test_plan_keeps_a_given_alpha():
    assert RobustBandit(alpha=0.125).plan(PAPER).alpha == 0.125
