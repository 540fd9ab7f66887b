"""BARBAR and BARBAT: lengths, shares, gaps, and what late rewards do."""

import math

import numpy as np
import pytest

from reference.playing_arms import arms_of, hire, rewards_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import BARBAR, BARBAT
from robustbandits.policies.arms._epochs import LEARNED, LENGTH, NUMBER

compiles = pytest.mark.slow if jit_is_on else lambda test: test

BASE = Problem(arms=20, dim=1, rounds=10**6)


def test_barbar_first_epoch_at_the_base_point_is_a_quarter_of_the_game():
    state = BARBAR().start(BASE)
    size = 1024 * math.log(8 * 20 / 0.01 * math.log2(10**6))
    assert size == pytest.approx(12977, abs=1)
    assert state.diary.tolist() == [1.0, 0.0, math.ceil(20 * size)]
    assert state.planned == pytest.approx(np.full(20, size), rel=1e-5)
    assert state.cumulative == pytest.approx(np.arange(1, 21) / 20)


def test_barbar_four_makes_a_first_epoch_of_a_thousand_rounds():
    assert BARBAR(lambda_const=4.0).start(BASE).diary[LENGTH] == 1014


def test_barbat_first_epoch_needs_no_horizon():
    zeta = 5 * 4**5 * math.log(20)
    size = 256 * math.log(4 * 20 * 20 * zeta)
    state = BARBAT().start(Problem(arms=20, dim=1))
    assert state.diary[LENGTH] == math.ceil(20 * size)


def epochs_of(recipe, arms=4, rounds=1500):
    """Play, and return what held at the start of each epoch: number, length, gaps, planned."""
    agent = hire(recipe, arms=arms, rounds=rounds)
    state, seen = agent._state, []

    def note(t):
        if state.diary[LEARNED] == 0:
            seen.append((int(state.diary[NUMBER]), state.diary[LENGTH], *map(
                np.copy, (state.gaps, state.planned, state.cumulative, state.means))))  # fmt: skip

    arms_of(agent, rewards_of(rounds, arms), note)
    return state, seen


@compiles
@pytest.mark.parametrize(
    "recipe", [BARBAR(lambda_const=0.5), BARBAT(lambda_const=0.2)], ids=lambda recipe: recipe.name
)
def test_epochs_keep_their_promises(recipe):
    _, seen = epochs_of(recipe)
    assert len(seen) >= 2
    for number, length, gaps, planned, cumulative, _ in seen:
        assert np.all(gaps >= 2.0 ** -(number - 1))
        assert np.all(gaps <= 1.0)
        assert planned.sum() == pytest.approx(length)
        # Planned is expected: dividing by it makes means unbiased.
        assert np.diff(cumulative, prepend=0.0) * length == pytest.approx(planned)
        assert cumulative[-1] == 1.0


@compiles
def test_barbar_plans_by_the_square_of_gaps():
    recipe = BARBAR(lambda_const=0.5)
    _, seen = epochs_of(recipe)
    size = 0.5 * math.log(8 * 4 / 0.01 * math.log2(1500))
    for _, length, gaps, planned, _, _ in seen:
        assert length == math.ceil((size / gaps**2).sum())
        assert planned == pytest.approx(size / gaps**2, rel=1 / length)


@compiles
def test_barbat_trusts_the_best_arm_with_the_rest():
    _, seen = epochs_of(BARBAT(lambda_const=0.2))
    for number, length, gaps, planned, _, means in seen:
        zeta = (number + 4) * 4.0 ** (number + 4) * math.log(4)
        size = 0.2 * math.log(4 * 4 * 4 * zeta)
        assert length == math.ceil(4 * size * 4 ** (number - 1))
        others = np.delete(np.arange(4), means.argmax())
        assert planned[others] == pytest.approx(size / gaps[others] ** 2)
        assert planned[means.argmax()] >= size / gaps.min() ** 2 * (1 - 1e-12)


@compiles
def test_reward_of_an_earlier_epoch_is_not_used():
    agent = hire(BARBAR(lambda_const=0.05), arms=2, rounds=500)
    contexts = np.zeros((2, 1))
    late = agent.choose(contexts)
    while agent._state.diary[NUMBER] == 1.0:
        agent.learn(agent.choose(contexts), 0.5)
    before = agent._state.sums.copy(), agent._state.diary.copy()
    agent.learn(late, 1.0)
    assert np.array_equal(agent._state.sums, before[0])
    assert np.array_equal(agent._state.diary, before[1])


@compiles
def test_rewards_far_outside_leave_every_number_finite():
    for recipe in (BARBAR(lambda_const=0.05), BARBAT(lambda_const=0.02)):
        agent = hire(recipe, arms=3, rounds=2000)
        luck = np.random.default_rng(0).choice([-100.0, 100.0, 0.5], (800, 1)) * np.ones(3)
        arms_of(agent, luck)
        agent._state.check(np.ones((1, 4)))
        assert np.isfinite(agent._state.planned).all()


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(
    "recipe", [BARBAR(lambda_const=0.5), BARBAT(lambda_const=0.2)], ids=lambda recipe: recipe.name
)
def test_means_of_clean_epochs_are_unbiased(recipe):
    # First epochs of 300 games, equal rewards: the counts are binomial, six standard errors.
    state = recipe.start(Problem(arms=4, dim=1, rounds=1500))
    planned, length, games = state.planned[0], int(state.diary[LENGTH]), 300
    found = []
    for seed in range(games):
        agent = hire(recipe, arms=4, rounds=1500, seed=seed)
        arms_of(agent, np.full((length, 4), 0.7))
        assert agent._state.diary[NUMBER] == 2.0
        found.append(agent._state.means)
    share = planned / length
    spread = 0.7 * math.sqrt(length * share * (1 - share)) / planned
    assert np.mean(found, axis=0) == pytest.approx(0.7, abs=6 * spread / math.sqrt(games))
