"""RobustUCB: exact order statistics in a fixed space, and estimates that lies cannot move."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.playing_arms import arms_of, hire, rewards_of
from robustbandits.compiled.jit import jit_is_on, python_of
from robustbandits.game.problem import Problem
from robustbandits.policies import RobustUCB
from robustbandits.policies.arms import _histogram

compiles = pytest.mark.slow if jit_is_on else lambda test: test


@settings(deadline=None)
@given(
    bins=st.integers(2, 70),
    data=st.data(),
)
def test_sketch_sums_the_smallest(bins, data):
    numbers = data.draw(st.lists(st.integers(0, bins - 1), max_size=40))
    tree = _histogram.start_histograms(2, bins)
    for number in numbers:
        python_of(_histogram.add_reward)(tree, 1, number)
    step = _histogram.largest_step(bins)
    for count in range(len(numbers) + 1):
        found = python_of(_histogram.sum_of_smallest)(tree, 1, float(count), step)
        assert found == sum(sorted(numbers)[:count])
    assert not tree[0].any()


@settings(deadline=None)
@given(st.floats(allow_nan=True, allow_infinity=True), st.integers(2, 5000))
def test_every_number_has_a_bin(position, bins):
    assert 0 <= python_of(_histogram.bin_of)(position, bins) < bins


def teach(recipe, rewards, arms=2):
    """Return the state after these rewards of arm 0."""
    state = recipe.start(Problem(arms=arms, dim=1, rounds=1000))
    rng = np.random.default_rng(0)
    for reward in rewards:
        state.learn(0, np.zeros(1), float(reward), np.zeros(4), rng)
    return state


@compiles
def test_median_is_within_half_a_bin():
    recipe = RobustUCB()
    for size in (1, 2, 3, 10, 101, 500):
        rewards = np.random.default_rng(size).normal(0.5, 0.2, size).clip(-0.4, 1.4)
        state = teach(recipe, rewards)
        assert abs(state.means[0] - np.median(rewards)) <= 1 / 1024


@compiles
def test_a_minority_of_lies_cannot_move_the_median_out_of_the_truth():
    truth = np.random.default_rng(0).uniform(0.4, 0.6, 51)
    for lie in (-100.0, 100.0):
        state = teach(RobustUCB(), [*truth, *[lie] * 50])
        assert 0.4 - 0.001 <= state.means[0] <= 0.6 + 0.001


@compiles
def test_a_tenth_of_lies_cannot_move_the_trimmed_mean_out_of_the_truth():
    truth = np.random.default_rng(0).uniform(0.4, 0.6, 90)
    for lie in (-100.0, 100.0):
        state = teach(RobustUCB(estimator="trimmed", trim=0.1), [*truth, *[lie] * 10])
        assert 0.4 - 0.001 <= state.means[0] <= 0.6 + 0.001


@compiles
def test_order_of_rewards_does_not_matter():
    rewards = np.random.default_rng(0).normal(0.5, 0.3, 200)
    one, other = teach(RobustUCB(), rewards), teach(RobustUCB(), np.sort(rewards))
    assert np.array_equal(one.tree, other.tree)
    assert np.array_equal(one.means, other.means)


@compiles
def test_trimming_everything_is_the_median():
    rewards = rewards_of(300, 4)
    median = arms_of(hire(RobustUCB(), arms=4, rounds=300), rewards)
    trimmed = RobustUCB(estimator="trimmed", trim=0.5)
    assert arms_of(hire(trimmed, arms=4, rounds=300), rewards) == median


def test_memory_does_not_depend_on_the_horizon():
    sizes = {
        sum(array.nbytes for array in RobustUCB().start(Problem(arms=20, dim=1, rounds=rounds))[:4])
        for rounds in (10, 10**9)
    }
    assert len(sizes) == 1


@compiles
def test_every_arm_is_played_before_any_twice():
    arms = arms_of(hire(RobustUCB(), arms=9, rounds=300), rewards_of(9, 9))
    assert sorted(arms) == list(range(9))


@compiles
def test_choosing_again_without_a_reward_leaves_the_sketch_alone():
    agent = hire(RobustUCB(), arms=3, rounds=50)
    before = copy.deepcopy(agent._state)
    for _ in range(5):
        agent.choose(np.zeros((3, 1)))
    assert all(
        np.array_equal(one, other) for one, other in zip(agent._state[:4], before[:4], strict=True)
    )


@pytest.mark.slow
@pytest.mark.statistical
def test_median_finds_the_best_arm_although_a_fifth_of_its_rewards_are_lies():
    # Arm 0 is better by three standard deviations; every fifth reward of it reads -10.
    rounds = 600
    for estimator, trim in (("median", 0.1), ("trimmed", 0.25)):
        agent = hire(RobustUCB(estimator=estimator, trim=trim), arms=3, rounds=rounds)
        rng = np.random.default_rng(1)
        chosen = []
        for _ in range(rounds):
            decision = agent.choose(np.zeros((3, 1)))
            reward = (0.8, 0.5, 0.4)[decision.arm] + 0.1 * rng.standard_normal()
            plays = agent._state.counts[0]
            lie = decision.arm == 0 and plays % 5 == 4
            agent.learn(decision, -10.0 if lie else reward)
            chosen.append(decision.arm)
        assert np.mean(np.array(chosen[rounds // 2 :]) == 0) > 0.9
