"""RobustUCB: exact order statistics in fixed memory, and estimates that few rewards cannot move."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from catalogue import slow_if_compiled
from reference.playing import agent_for, play, state_of, turning_block
from robustbandits.compiled.jit import python_of
from robustbandits.game.problem import Problem
from robustbandits.policies import RobustUCB
from robustbandits.policies.arms import _histogram


@given(bins=st.integers(2, 70), data=st.data())
def test_histogram_sums_the_rewards_between_two_ranks(bins, data):
    numbers = data.draw(st.lists(st.integers(0, bins - 1), max_size=20))
    tree = _histogram.start_histograms(2, bins)
    for number in numbers:
        python_of(_histogram.add_reward)(tree, 1, number)
    step = _histogram.largest_step(bins)
    for last in range(len(numbers) + 1):
        for first in range(last + 1):
            found = python_of(_histogram.sum_between)(tree, 1, float(first), float(last), step)
            assert found == sum(sorted(numbers)[first:last])
    assert not tree[0].any()


@given(st.floats(allow_nan=True, allow_infinity=True), st.integers(2, 5000))
def test_every_number_has_a_bin(position, bins):
    assert 0 <= python_of(_histogram.bin_of)(position, bins) < bins


def state_after(recipe, rewards):
    """Return the state after these rewards of arm 0."""
    state = recipe.start(Problem(arms=2, dim=1, rounds=1000))
    rng = np.random.default_rng(0)
    for reward in rewards:
        state.learn(0, np.zeros(1), float(reward), np.zeros(4), rng)
    return state


@slow_if_compiled
@pytest.mark.parametrize("size", [1, 2, 3, 10, 101, 500])
def test_median_is_exact_to_half_a_bin(size):
    rewards = np.random.default_rng(size).normal(0.5, 0.2, size).clip(-0.4, 1.4)
    assert abs(state_after(RobustUCB(), rewards).means[0] - np.median(rewards)) <= 1 / 1024


@slow_if_compiled
@pytest.mark.parametrize("corrupted", [-100.0, 100.0])
@pytest.mark.parametrize(
    ("recipe", "clean", "count"),
    [(RobustUCB(), 51, 50), (RobustUCB(estimator="trimmed", trim=0.1), 90, 10)],
)
def test_corrupted_rewards_cannot_move_the_estimate_beyond_the_others(
    recipe, clean, count, corrupted
):
    rewards = np.random.default_rng(0).uniform(0.4, 0.6, clean)
    state = state_after(recipe, [*rewards, *[corrupted] * count])
    assert 0.4 - 0.001 <= state.means[0] <= 0.6 + 0.001


@slow_if_compiled
def test_order_of_rewards_does_not_matter():
    rewards = np.random.default_rng(0).normal(0.5, 0.3, 200)
    states = [state_after(RobustUCB(), order) for order in (rewards, np.sort(rewards))]
    assert np.array_equal(states[0].tree, states[1].tree)
    assert np.array_equal(states[0].means, states[1].means)


def test_trimming_everything_is_refused():
    with pytest.raises(ValueError, match=r"trim must be < 0.5, got 0.5: use estimator='median'"):
        RobustUCB(estimator="trimmed", trim=0.5)
    assert RobustUCB(trim=0.5).trim == 0.5  # the median does not use it


@slow_if_compiled
def test_one_early_lie_is_trimmed():
    # crUCB leaves out ⌈αn⌉ at each end: one of three, although a share of 0.1 is less than one.
    state = state_after(RobustUCB(estimator="trimmed", trim=0.1), [0.4, 100.0, 0.6])
    assert state.means[0] == pytest.approx(0.6, abs=0.001)


def bonuses_of(recipe, rewards, rounds=None):
    """Return the bonus of arm 0 after these rewards, and that of arm 1, which has none."""
    state = recipe.start(Problem(arms=2, dim=1, rounds=rounds))
    for reward in rewards:
        state.learn(0, np.zeros(1), reward, np.zeros(4), np.random.default_rng(0))
    means, bonuses = np.empty(2), np.empty(2)
    state.score(np.zeros((1, 2)), np.zeros(4), means, bonuses)
    return bonuses.tolist()


@slow_if_compiled
@pytest.mark.parametrize(
    ("options", "width"),
    [
        ({}, 2 * 0.3),
        ({"estimator": "trimmed", "trim": 0.1}, 2 * 0.3 / 0.8),
        ({"estimator": "trimmed", "trim": 0.25}, 2 * 0.3 / 0.5),
        ({"width_scale": 1.0, "trim": 0.4}, 0.3),
    ],
)
def test_bonus_grows_with_the_logarithm_of_the_rewards_learned(options, width):
    for count in (1, 2, 7):
        expected = [width * math.sqrt(math.log(count) / n) for n in (count, 1)]
        found = bonuses_of(RobustUCB(sigma=0.3, **options), [0.5] * count)
        assert found == pytest.approx(expected)


@slow_if_compiled
def test_bonus_can_use_the_horizon():
    recipe = RobustUCB(sigma=0.3, clock="horizon")
    expected = [0.6 * math.sqrt(math.log(1000) / n) for n in (4, 1)]
    assert bonuses_of(recipe, [0.5] * 4, rounds=1000) == pytest.approx(expected)
    with pytest.raises(ValueError, match="RobustUCB needs to know the horizon"):
        recipe.start(Problem(arms=2, dim=1))


@slow_if_compiled
def test_bounds_of_all_arms_grow_with_every_reward():
    state = RobustUCB().start(Problem(arms=3, dim=1))
    rng, played = np.random.default_rng(0), [0, 2, 2, 2, 1, 2, 2]
    for t, arm in enumerate(played, 1):
        state.learn(arm, np.zeros(1), 0.5, np.zeros(4), rng)
        counts = np.bincount(played[:t], minlength=3)
        for a in np.flatnonzero(counts):
            bonus = 0.2 * math.sqrt(math.log(t) / counts[a])
            assert state.uppers[a] == pytest.approx(state.means[a] + bonus)
        assert all(state.uppers[counts == 0] > 1e9)


@slow_if_compiled
def test_agent_file_of_the_older_layout_is_read():
    agent = rb.Agent.load(Path(__file__).with_name("robust-ucb-without-roots.rb"))
    state = state_of(agent)
    assert state.tally.tolist() == [state.counts.sum(), 0.0]
    np.testing.assert_array_equal(state.roots, 1 / np.sqrt(state.counts))
    agent.learn(agent.choose(np.zeros((5, 4))), 0.5)
    bonuses = 0.2 * np.sqrt(np.log(state.counts.sum()) / state.counts)
    np.testing.assert_allclose(state.uppers, state.means + bonuses)


def test_memory_does_not_depend_on_the_horizon():
    states = [RobustUCB().start(Problem(arms=20, dim=1, rounds=rounds)) for rounds in (10, 10**9)]
    sizes = {sum(array.nbytes for array in state[:4]) for state in states}
    assert len(sizes) == 1


@slow_if_compiled
def test_every_arm_is_played_before_any_twice():
    agent = agent_for(RobustUCB(), turning_block(300, 9))
    assert sorted(play(agent, turning_block(9, 9))) == list(range(9))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("estimator", "trim"), [("median", 0.1), ("trimmed", 0.25)])
def test_best_arm_is_found_although_a_fifth_of_its_rewards_are_corrupted(estimator, trim):
    # Arm 0 is better by three standard deviations; every fifth reward of it reads -10.
    rounds, rng, chosen = 600, np.random.default_rng(1), []
    recipe = RobustUCB(estimator=estimator, trim=trim)
    agent = agent_for(recipe, turning_block(rounds, 3))
    for _ in range(rounds):
        decision = agent.choose(np.zeros((3, 1)))
        reward = (0.8, 0.5, 0.4)[decision.arm] + 0.1 * rng.standard_normal()
        corrupted = decision.arm == 0 and state_of(agent).counts[0] % 5 == 4
        agent.learn(decision, -10.0 if corrupted else reward)
        chosen.append(decision.arm)
    assert np.mean(np.array(chosen[rounds // 2 :]) == 0) > 0.9
