"""SlidingWindowLinUCB: a regression of the last observations only."""

import math

import numpy as np
import pytest

from reference.playing import agent_for, answer, assert_same_play, block_of, ridge_of, state_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import COUNT, LOG_DET, observe, replay, start_ridge
from robustbandits.policies import LinUCB, SlidingWindowLinUCB
from robustbandits.policies.linear.sliding_window_linucb import MOST_NUMBERS, NEXT

pytestmark = [pytest.mark.slow] if jit_is_on else []


@pytest.mark.parametrize("radius", ["trace", "det"])
@pytest.mark.parametrize("window", [300, 5000])
def test_window_that_never_fills_is_linucb_bit_for_bit(radius, window):
    block = block_of(300, intercept=False, arms=6, dim=4)
    recipe = SlidingWindowLinUCB(window=window, radius=radius)
    assert_same_play(block, recipe, LinUCB(radius=radius))


def test_window_holds_exactly_the_last_observations():
    block = block_of(200, intercept=False, arms=5, dim=3)
    agent = agent_for(SlidingWindowLinUCB(window=17), block)
    contexts, rewards, ridge = [], [], ridge_of(agent)
    for t in range(200):
        arm = answer(agent, block, t)
        contexts.append(block.contexts[t][:, arm])
        rewards.append(block.means[t, arm] + block.noise[t])
        assert ridge.tally[COUNT] == min(t + 1, 17)
        assert state_of(agent).diary[NEXT] == (t + 1) % 17
    X, y = np.array(contexts[-17:]), np.array(rewards[-17:])
    V = 0.1 * np.eye(3) + X.T @ X
    np.testing.assert_allclose(ridge.gram, V, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ridge.inverse, np.linalg.inv(V), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ridge.theta, np.linalg.solve(V, X.T @ y), rtol=1e-9)
    ratio = np.linalg.slogdet(V)[1] - 3 * math.log(0.1)
    assert ridge.tally[LOG_DET] == pytest.approx(ratio, rel=1e-9)


def test_window_is_computed_again_after_as_many_removals():
    # 20 rounds fill the window and 20 remove one observation each: then the bits are those of a
    # regression that has learned the last 20 observations only.
    block = block_of(40, intercept=False, arms=5, dim=3)
    agent = agent_for(SlidingWindowLinUCB(window=20), block)
    fresh = start_ridge(3, 0.1)
    arms = [answer(agent, block, t) for t in range(40)]
    rewards = block.means[range(40), arms] + block.noise
    for t in range(20, 40):
        observe(fresh, block.contexts[t][:, arms[t]].copy(), rewards[t], 1.0)
    for ours, theirs in zip(ridge_of(agent), fresh, strict=True):
        assert np.array_equal(ours, theirs)


def worst_error(ridge, held, penalty):
    X = np.array(held)
    expected = np.linalg.inv(penalty * np.eye(X.shape[1]) + X.T @ X)
    return np.abs(ridge.inverse - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("penalty", [1e-1, 1e-3, 1e-6])
def test_window_keeps_its_digits_with_a_tiny_penalty(penalty):
    # Arms along the axes, in turns of different length: an observation often leaves as the only one
    # of its direction, which is where removals lose digits. A fresh regression on the same
    # observations has its own rounding errors; the window's must not be much larger.
    state = SlidingWindowLinUCB(window=7, ridge=penalty).start(Problem(arms=3, dim=3, rounds=300))
    rng, memo = np.random.default_rng(1), np.array([0.0, 1.0, 0.0, 0.0])
    held, errors = [], []
    for t in range(300):
        context = np.eye(3)[int(rng.integers(3))] if t % 50 < 25 else np.eye(3)[0]
        context = context + 0.01 * rng.normal(size=3)
        context /= max(1.0, np.linalg.norm(context))
        state.learn(0, context, 0.5, memo, rng)
        held = [*held, context][-7:]
        fresh = start_ridge(3, penalty)
        replay(fresh, np.column_stack([held, np.full(len(held), 0.5)]), 0, len(held))
        ridge = state.optimist.ridge
        errors.append([worst_error(found, held, penalty) for found in (ridge, fresh)])
        assert np.linalg.eigvalsh(ridge.inverse)[0] > 0.0
    ours, theirs = np.max(errors, axis=0)
    assert ours < 20 * theirs + 1e-13


def test_window_of_the_theory():
    problem = Problem(arms=20, dim=10, rounds=10**6)
    assert SlidingWindowLinUCB().window_for(problem) == 46415  # ⌊(10^7)^(2/3)⌋
    assert SlidingWindowLinUCB(variation=100.0).window_for(problem) == 2154
    assert SlidingWindowLinUCB(variation=0.0).window_for(problem) == 10**6
    assert SlidingWindowLinUCB(variation=1e-3).window_for(problem) == 10**6
    assert SlidingWindowLinUCB(variation=1e300).window_for(problem) == 1
    # Roots that are whole numbers are not lost to rounding: (10 · 100)^(2/3) = 100.
    assert SlidingWindowLinUCB().window_for(Problem(arms=2, dim=1, rounds=1000)) == 100
    assert SlidingWindowLinUCB(window=7).window_for(problem) == 7


def test_window_as_written_has_the_radius_of_the_paper():
    # R√(d ln((1 + wL²/λ)/δ)) + √λ S with δ = 1/T, from the first round on.
    problem = Problem(arms=2, dim=3, rounds=5000)
    state = SlidingWindowLinUCB.as_written(window=70).start(problem)
    means, bonuses = np.empty(2), np.empty(2)
    state.score(np.eye(3, 2), np.zeros(4), means, bonuses)
    radius = 0.1 * math.sqrt(3 * math.log((1 + 70 / 0.1) * 5000)) + math.sqrt(0.1)
    np.testing.assert_allclose(bonuses * math.sqrt(0.1), radius)
    with pytest.raises(ValueError, match="SlidingWindowLinUCB needs to know the horizon"):
        SlidingWindowLinUCB.as_written(window=70).start(Problem(arms=2, dim=3))


def test_window_facts_give_the_bound_of_the_default_too():
    regret = SlidingWindowLinUCB.facts.regret
    assert "B^⅓ T^⅔ if B is known" in regret
    assert "(B+1) T^⅔ by default" in regret


def test_window_that_is_given_needs_no_horizon():
    assert SlidingWindowLinUCB(window=9).start(Problem(arms=3, dim=2)).ring.shape == (9, 3)


def test_window_holds_the_last_rewards_that_arrive_whatever_their_order():
    block = block_of(30, intercept=False, arms=4, dim=2)
    agent = agent_for(SlidingWindowLinUCB(window=6), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    for t in reversed(range(30)):
        agent.learn(decisions[t], block.means[t, decisions[t].arm])
    last = [block.contexts[t][:, decisions[t].arm] for t in range(6)]
    V = 0.1 * np.eye(2) + sum(np.outer(x, x) for x in last)
    np.testing.assert_allclose(ridge_of(agent).gram, V, rtol=1e-12)


def test_window_that_needs_too_much_memory_is_refused():
    recipe = SlidingWindowLinUCB(window=MOST_NUMBERS)
    with pytest.raises(ValueError, match=r"window must hold at most .* got 268435456"):
        recipe.start(Problem(arms=2, dim=1))
