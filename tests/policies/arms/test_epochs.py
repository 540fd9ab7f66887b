"""BARBAR and BARBAT: lengths of epochs, shares of arms, gaps, and late rewards."""

import copy
import math

import numpy as np
import pytest

from catalogue import slow_if_compiled
from reference.playing import agent_for, block_of_means, play, state_of, turning_block
from robustbandits.game.problem import Problem
from robustbandits.policies import BARBAR, BARBAT
from robustbandits.policies.arms.barbar import LEARNED, LENGTH, NUMBER

PROBLEM = Problem(arms=20, dim=1, rounds=10**6)

RECIPES = pytest.mark.parametrize(
    "recipe", [BARBAR(lambda_const=0.5), BARBAT(lambda_const=0.2)], ids=lambda recipe: recipe.name
)


def test_barbar_first_epoch_is_a_quarter_of_a_million_rounds():
    state = BARBAR().start(PROBLEM)
    size = 1024 * math.log(8 * 20 / 0.01 * math.log2(10**6))
    assert size == pytest.approx(12977, abs=1)
    assert state.diary.tolist() == [1.0, 0.0, math.ceil(20 * size)]
    assert state.planned == pytest.approx(np.full(20, size), rel=1e-5)
    assert state.cumulative == pytest.approx(np.arange(1, 21) / 20)
    assert BARBAR(lambda_const=4.0).start(PROBLEM).diary[LENGTH] == 1014


def test_barbat_first_epoch_has_the_known_length():
    zeta = 5 * 4**5 * math.log(20)
    size = 256 * math.log(4 * 20 * 20 * zeta)
    assert BARBAT().start(Problem(arms=20, dim=1)).diary[LENGTH] == math.ceil(20 * size)


def epochs_of(recipe):
    """Play four arms, and return copies of the state at the start of each epoch after the first."""
    block = turning_block(1500, 4)
    agent = agent_for(recipe, block)
    state, seen = state_of(agent), []

    def watch(t):
        if state.diary[LEARNED] == 0:
            seen.append(copy.deepcopy(state))

    play(agent, block, watch)
    assert len(seen) >= 2
    return seen


@slow_if_compiled
@RECIPES
def test_epochs_have_bounded_gaps_and_probabilities_that_match_the_plan(recipe):
    for state in epochs_of(recipe):
        number, _, length = state.diary
        assert np.all(state.gaps >= 2.0 ** -(number - 1))
        assert np.all(state.gaps <= 1.0)
        assert state.planned.sum() == pytest.approx(length)
        # The planned number is the expected one: dividing by it makes means unbiased.
        expected = np.diff(state.cumulative, prepend=0.0) * length
        assert expected == pytest.approx(state.planned)
        assert state.cumulative[-1] == 1.0


@slow_if_compiled
def test_barbar_plans_by_the_inverse_square_of_gaps():
    size = 0.5 * math.log(8 * 4 / 0.01 * math.log2(1500))
    for state in epochs_of(BARBAR(lambda_const=0.5)):
        length = state.diary[LENGTH]
        assert length == math.ceil((size / state.gaps**2).sum())
        assert state.planned == pytest.approx(size / state.gaps**2, rel=1 / length)


@slow_if_compiled
def test_barbat_gives_the_best_arm_the_rounds_that_are_left():
    for state in epochs_of(BARBAT(lambda_const=0.2)):
        number, best = state.diary[NUMBER], state.means.argmax()
        zeta = (number + 4) * 4.0 ** (number + 4) * math.log(4)
        size = 0.2 * math.log(4 * 4 * 4 * zeta)
        assert state.diary[LENGTH] == math.ceil(4 * size * 4 ** (number - 1))
        others = np.delete(np.arange(4), best)
        assert state.planned[others] == pytest.approx(size / state.gaps[others] ** 2)
        assert state.planned[best] >= size / state.gaps.min() ** 2 * (1 - 1e-12)


@slow_if_compiled
def test_reward_of_an_earlier_epoch_is_not_used():
    agent = agent_for(BARBAR(lambda_const=0.05), turning_block(500, 2))
    contexts, state = np.zeros((2, 1)), state_of(agent)
    late = agent.choose(contexts)
    while state.diary[NUMBER] == 1.0:
        agent.learn(agent.choose(contexts), 0.5)
    before = state.sums.copy(), state.diary.copy()
    agent.learn(late, 1.0)
    assert np.array_equal(state.sums, before[0])
    assert np.array_equal(state.diary, before[1])


@slow_if_compiled
@pytest.mark.parametrize("recipe", [BARBAR(lambda_const=0.05), BARBAT(lambda_const=0.02)])
def test_rewards_far_outside_the_unit_interval_leave_every_number_finite(recipe):
    rewards = np.random.default_rng(0).choice([-100.0, 100.0, 0.5], (800, 1)) * np.ones(3)
    agent = agent_for(recipe, block_of_means(rewards), rounds=2000)
    play(agent, block_of_means(rewards))
    state_of(agent).check(np.ones((1, 4)))
    assert np.isfinite(state_of(agent).planned).all()


@pytest.mark.slow
@pytest.mark.statistical
@RECIPES
def test_means_of_an_epoch_without_attack_are_unbiased(recipe):
    # First epochs of 300 games, equal rewards: the counts are binomial, six standard errors.
    state = recipe.start(Problem(arms=4, dim=1, rounds=1500))
    planned, length, games = state.planned[0], int(state.diary[LENGTH]), 300
    block, found = block_of_means(np.full((length, 4), 0.7)), []
    for seed in range(games):
        agent = agent_for(recipe, block, rounds=1500, seed=seed)
        play(agent, block)
        assert state_of(agent).diary[NUMBER] == 2.0
        found.append(state_of(agent).means)
    share = planned / length
    spread = 0.7 * math.sqrt(length * share * (1 - share)) / planned
    assert np.mean(found, axis=0) == pytest.approx(0.7, abs=6 * spread / math.sqrt(games))
