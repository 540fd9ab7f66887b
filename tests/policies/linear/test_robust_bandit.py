"""RobustBandit: what it reduces to, what it reports, and its parameters."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.game.problem import Problem
from robustbandits.policies import BOBNoRestart, LinUCB, RobustBandit, RobustLinUCB
from robustbandits.policies.linear.robust_bandit import (
    CANDIDATE,
    NUMBER,
)


def diary(agent):
    return agent._state.diary


@pytest.mark.parametrize("epoch", ["balanced", "never", "paper", 601, 10**9])
@pytest.mark.parametrize("radius", ["trace", "det"])
def test_robust_bandit_with_the_candidate_zero_and_one_epoch_is_linucb(epoch, radius):
    block = block_of(600, arms=8, dim=4)
    robust = RobustBandit(candidates=[0], epoch=epoch, radius=radius)
    if epoch == "paper":  # with this noise the paper's epoch is longer than the game
        robust = RobustBandit(candidates=[0], epoch=epoch, radius=radius, sigma=0.5)
    linucb = LinUCB(radius=radius, sigma=robust.sigma)
    ours, theirs = agent_for(robust, block), agent_for(linucb, block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))


def test_robust_bandit_epoch_of_the_whole_game_plays_like_linucb():
    # Epoch = rounds: the last reward restarts it, too late to matter.
    block = block_of(600, arms=8, dim=4)
    ours = agent_for(RobustBandit(candidates=[0], epoch=600), block)
    assert play(ours, block) == play(agent_for(LinUCB(), block), block)
    assert diary(ours)[NUMBER] == 1


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_robust_bandit_with_one_candidate_and_one_epoch_is_robust_linucb(bonus):
    block = block_of(400, arms=8, dim=4)
    ours = agent_for(RobustBandit(candidates=[6.0], epoch="never", bonus=bonus), block)
    theirs = agent_for(RobustLinUCB(6.0, bonus=bonus), block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))


def test_robust_bandit_with_epochs_of_one_round_and_no_restart_is_bob():
    # The two algorithms differ in epochs only; here both draw a candidate before every round.
    block = block_of(300, arms=8, dim=4)
    shared = {"candidates": [0, 1, 9], "alpha": 0.3, "radius": "det"}
    ours = agent_for(RobustBandit(epoch=1, restart=False, delta_split=False, **shared), block)
    theirs = agent_for(BOBNoRestart(**shared), block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))
    assert same_bits(ours._state.exp3, theirs._state.exp3)


def test_robust_bandit_with_short_epochs_is_linucb_started_anew():
    block = block_of(120, arms=8, dim=4)
    ours = agent_for(RobustBandit(candidates=[0], epoch=30, delta_split=False), block)
    fresh = []
    for start in range(0, 120, 30):
        part = type(block)(*(array[start : start + 30] for array in block))
        fresh += play(agent_for(LinUCB(), part), part)
    assert play(ours, block) == fresh


def test_robust_bandit_probabilities_are_over_the_candidates_not_yet_drawn():
    # A short arm with nothing known and a long one: widths decide, whatever the candidate.
    recipe = RobustBandit(candidates=[0, 4, 8])
    agent = rb.Agent(recipe, arms=2, dim=2, rounds=100)
    assert agent.scores([[0.1, 0.0], [0.0, 0.9]]).probabilities.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(
        agent.scores([[0.9, 0.0], [0.0, 0.9]]).probabilities, [0.5, 0.5], rtol=1e-15
    )


def test_robust_bandit_bonuses_follow_the_settled_candidate():
    recipe = RobustBandit(candidates=[0, 100], epoch=1000, bonus="l1", delta_split=False)
    contexts = np.array([[0.3, 0.2], [0.1, -0.4]])
    bonuses = {}
    for seed in range(8):
        agent = rb.Agent(recipe, arms=2, dim=2, rounds=100, seed=seed, reward_range=(-1, 2))
        decision = agent.choose(contexts[:1])
        agent.learn(decision, 0.5)
        bonuses[int(diary(agent)[CANDIDATE])] = agent.scores(contexts).bonuses
    assert set(bonuses) == {0, 1}
    beta = 0.1 * math.sqrt(2 * math.log((1 + 2 / 0.1) / 0.01)) + math.sqrt(0.1)
    np.testing.assert_allclose(bonuses[1] / bonuses[0], (beta + 100) / beta, rtol=1e-12)


@pytest.mark.parametrize(
    "recipe",
    [
        RobustBandit(),
        RobustBandit.as_written(),
        RobustBandit.as_coded(),
        RobustBandit(candidates=[0, 1], alpha=0.1, delta_split=False),
        RobustBandit(candidates=[0, 1], epoch=10, delta_split=False),
        RobustBandit(candidates=[0, 1], epoch=10, alpha=0.1),
    ],
)
def test_robust_bandit_without_a_horizon_says_so_in_one_sentence(recipe):
    with pytest.raises(ValueError, match="RobustBandit needs to know the horizon") as caught:
        recipe.start(Problem(arms=3, dim=2))
    assert "rounds=" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_robust_bandit_with_everything_given_needs_no_horizon():
    recipe = RobustBandit(candidates=[0, 1], epoch=10, alpha=0.1, delta_split=False)
    state = recipe.start(Problem(arms=3, dim=2))
    assert (state.length, state.exp3.alpha) == (10.0, 0.1)


def test_robust_bandit_as_written_has_the_papers_fields():
    assert RobustBandit.as_written() == RobustBandit(
        candidates="2KT",
        epoch="paper",
        restart=True,
        reward_scale="none",
        exp3_horizon="epochs",
        bonus="paper",
        index="local",
        delta_split=False,
        clip=False,
        sigma=0.1,
        ties="random",
    )
    assert RobustBandit.as_written(epoch=9).epoch == 9


def test_robust_bandit_as_coded_has_the_codes_fields():
    assert RobustBandit.as_coded() == RobustBandit(
        candidates="2KH-floor",
        epoch="never",
        restart=False,
        reward_scale="none",
        bonus="paper",
        index="global",
        delta_split=False,
        clip=False,
        sigma=0.01,
        ties="first",
    )
    assert RobustBandit.as_coded(ties="random").ties == "random"


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"epoch": 0}, ValueError, "epoch must be >= 1, got 0"),
        ({"epoch": "long"}, ValueError, "epoch must be one of .*; got 'long'"),
        ({"epoch": None}, TypeError, "epoch must be a whole number, got None"),
        ({"restart": 0}, TypeError, "restart must be True or False, got 0"),
        ({"reward_scale": "sum"}, ValueError, "reward_scale must be one of .*; got 'sum'"),
        ({"exp3_horizon": "T"}, ValueError, "exp3_horizon must be one of .*; got 'T'"),
        ({"bonus": None}, ValueError, "bonus must be one of .*; got None"),
        ({"max_corruption": 0.0}, ValueError, r"max_corruption must be > 0, got 0\.0"),
        ({"index": "both"}, ValueError, "index must be one of .*; got 'both'"),
        ({"delta_split": "yes"}, TypeError, "delta_split must be True or False, got 'yes'"),
        ({"clip": None}, TypeError, "clip must be True or False, got None"),
        ({"alpha": -1}, ValueError, "alpha must be between 0 and 1, got -1"),
        ({"delta": 0}, ValueError, "delta must be between 0 and 1 .*, got 0"),
    ],
)
def test_robust_bandit_bad_parameter_is_named(parameters, error, words):
    with pytest.raises(error, match=words):
        RobustBandit(**parameters)
