"""Theta and squared widths keep six digits for arms played in turn, by exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

import exact_ridge
import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on, program
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import learn
from robustbandits.kernels.ridge import MAX_CONDITION, observe, start_ridge

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="a million rounds of plain Python"),
]

ROUNDS = 1_000_000
REWARDS = np.random.default_rng(0).random(1009)
ARM = np.array([0.6, 0.7, 0.1])
APART = np.array([0.1, -0.2, 0.8])

#: Arms that are played in turn, as rows.
ARMS = {
    "one arm": np.array([ARM]),
    "two arms 1e-6 apart": np.array([ARM, ARM + 1e-6 * APART]),
    "two arms 1e-3 apart": np.array([ARM, ARM + 1e-3 * APART]),
    "three arms 0.03 apart": np.array([ARM, ARM + 0.03 * APART, ARM - 0.03 * APART[::-1]]),
    "one arm of 20 dimensions": np.random.default_rng(1).uniform(-0.2, 0.2, (1, 20)),
}


@program
def feed(ridge, arms, rewards, start, stop):
    for t in range(start, stop):
        observe(ridge, arms[t % arms.shape[0]], rewards[t % rewards.shape[0]], 1.0)


@program
def feed_policy(state, arms, rewards, start, stop, memo, rng):
    for t in range(start, stop):
        arm = t % arms.shape[0]
        learn(state, arm, arms[arm], rewards[t % rewards.shape[0]], memo, rng)


def exact_sums(arms, first, last):
    """Return how often each arm was played in rounds first to last - 1, and its sum of rewards."""
    rewards = [Fraction(value) for value in REWARDS]
    period = len(arms) * len(rewards)
    counts, sums = [0] * len(arms), [Fraction(0)] * len(arms)
    for t in range(period):
        times = len(range(first + (t - first) % period, last, period))
        counts[t % len(arms)] += times
        sums[t % len(arms)] += times * rewards[t % len(rewards)]
    return counts, sums


def errors(ridge, arms, first, last):
    """Return the relative errors of theta and of squared widths after rounds first to last - 1."""
    return exact_ridge.errors(ridge, arms, *exact_sums(arms, first, last))


def smallest_ridge(arms, rounds):
    return rounds * float((arms**2).sum(axis=1).max()) / MAX_CONDITION


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("length", [1.0, 30.0])
@pytest.mark.parametrize("times", [1, 4, 40])
def test_a_million_observations_keep_six_digits(name, length, times):
    arms = length * ARMS[name]
    ridge = start_ridge(arms.shape[1], times * smallest_ridge(arms, ROUNDS))
    done = 0
    for rounds in (1000, 30_000, 100_000, 300_000, 500_000, 800_000, ROUNDS):
        feed(ridge, arms, REWARDS, done, rounds)
        done = rounds
        assert max(errors(ridge, arms, 0, rounds)) < 1e-6, rounds


# Known limits of the promise: docs/decisions/0010.


@pytest.mark.parametrize("apart", [1e-6, 1e-3, 0.03])
def test_the_width_of_an_arm_that_is_no_longer_played_keeps_four_digits(apart):
    arms = np.array([ARM, ARM + apart * APART])
    ridge = start_ridge(3, smallest_ridge(arms, ROUNDS))
    half = ROUNDS // 2
    for arm in arms:
        feed(ridge, arm[np.newaxis], REWARDS, 0, half)
    _, (total,) = exact_sums(arms[:1], 0, half)
    _, of_widths = exact_ridge.errors(ridge, arms, [half, half], [total, total])
    assert of_widths < 1e-4


@pytest.mark.parametrize("name", ["one arm", "one arm of 20 dimensions"])
def test_theta_keeps_two_digits_if_rewards_jump_at_the_end(name):
    arms = ARMS[name]
    ridge = start_ridge(arms.shape[1], smallest_ridge(arms, ROUNDS))
    feed(ridge, arms, np.zeros(1), 0, ROUNDS - 10)
    feed(ridge, arms, np.ones(1), 0, 10)
    of_theta, of_widths = exact_ridge.errors(ridge, arms, [ROUNDS], [Fraction(10)])
    assert of_theta < 1e-2
    assert of_widths < 1e-6


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("rounds", [100, 3000, 30_000])
def test_smaller_ridges_for_fewer_rounds_keep_six_digits(name, rounds):
    arms = ARMS[name]
    ridge = start_ridge(arms.shape[1], smallest_ridge(arms, rounds))
    feed(ridge, arms, REWARDS, 0, rounds)
    assert max(errors(ridge, arms, 0, rounds)) < 1e-6


def test_the_default_ridge_keeps_six_digits_for_a_million_rounds():
    arms = ARMS["one arm"]
    ridge = start_ridge(3, rb.policies.LinUCB().ridge)
    feed(ridge, arms, REWARDS, 0, ROUNDS)
    assert max(errors(ridge, arms, 0, ROUNDS)) < 1e-6


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("window", [50, 3000, 200_000])
@pytest.mark.parametrize("ridge", [0.0025, 0.1])
def test_a_window_keeps_six_digits_for_a_million_rounds(name, window, ridge):
    arms = ARMS[name]
    problem = Problem(arms=len(arms), dim=arms.shape[1], rounds=ROUNDS)
    state = rb.policies.SlidingWindowLinUCB(window=window, ridge=ridge).start(problem)
    feed_policy(state, arms, REWARDS, 0, ROUNDS, np.zeros(8), np.random.default_rng(0))
    assert max(errors(state.optimist.ridge, arms, ROUNDS - window, ROUNDS)) < 1e-6


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("memory", [50, 2000])
def test_fits_over_a_memory_keep_six_digits_for_a_million_rounds(name, memory):
    arms = ARMS[name]
    problem = Problem(arms=len(arms), dim=arms.shape[1], rounds=ROUNDS)
    policy = rb.policies.RobustRegressionUCB(fraction=1e-9, memory=memory, ridge=0.1)
    state, done = policy.start(problem), 0
    for rounds in (2100, 30_000, 300_500, ROUNDS):  # a fraction of 1e-9 leaves nothing out
        feed_policy(state, arms, REWARDS, done, rounds, np.zeros(8), np.random.default_rng(0))
        done = rounds
        assert max(errors(state.optimist.ridge, arms, 0, rounds)) < 1e-6, rounds
