"""SlidingWindowLinUCB: the last observations, and nothing else."""

import math

import numpy as np
import pytest

from reference import twins_window as twins
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from reference.test_twins import assert_twins
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import COUNT, ENERGY, LOG_DET, replay, start_ridge
from robustbandits.policies import LinUCB, SlidingWindowLinUCB
from robustbandits.policies.linear._window import MOST_NUMBERS, NEXT

pytestmark = [pytest.mark.slow] if jit_is_on else []

VARIANTS = [
    {"window": 1},
    {"window": 3},
    {"window": 40},
    {"window": 40, "growing": False},
    {"window": 25, "radius": "det", "ridge": 0.5},
    {"variation": 40.0},
    {},
]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize(("dim", "arms", "rounds"), [(1, 2, 150), (3, 6, 200), (6, 10, 150)])
def test_window_plays_like_its_twin(options, dim, arms, rounds):
    recipe = SlidingWindowLinUCB(**options)
    assert_twins(recipe, twins.SlidingWindow, options, dim, arms, rounds)


@pytest.mark.parametrize("radius", ["trace", "det"])
@pytest.mark.parametrize("window", [300, 5000])
def test_window_that_never_fills_is_linucb_bit_for_bit(radius, window):
    block = block_of(300, intercept=False, arms=6, dim=4)
    sliding = agent_for(SlidingWindowLinUCB(window=window, radius=radius), block)
    linucb = agent_for(LinUCB(radius=radius), block)
    assert play(sliding, block) == play(linucb, block)
    assert same_bits(ridge_of(sliding), ridge_of(linucb))


def test_window_drops_exactly_what_is_older():
    block = block_of(200, intercept=False, arms=5, dim=3)
    agent = agent_for(SlidingWindowLinUCB(window=17), block)
    seen = []

    def watch(t):
        ridge = ridge_of(agent)
        assert ridge.tally[COUNT] == min(t + 1, 17)
        assert agent._state.diary[NEXT] == (t + 1) % 17

    for t in range(200):
        decision = agent.choose(block.contexts[t].T)
        reward = block.means[t, decision.arm] + block.noise[t]
        agent.learn(decision, reward)
        seen.append((block.contexts[t][:, decision.arm], reward))
        watch(t)
    X, y = (np.array(part) for part in zip(*seen[-17:], strict=True))
    V = 0.1 * np.eye(3) + X.T @ X
    ridge = ridge_of(agent)
    np.testing.assert_allclose(ridge.gram, V, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ridge.inverse, np.linalg.inv(V), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ridge.theta, np.linalg.solve(V, X.T @ y), rtol=1e-9)
    assert ridge.tally[LOG_DET] == pytest.approx(
        np.linalg.slogdet(V)[1] - 3 * math.log(0.1), rel=1e-9
    )


def test_window_learns_what_it_holds_anew_after_as_many_removals():
    # 20 to fill the window and 20 that remove one each: then a fresh LinUCB has the same bits.
    block = block_of(40, intercept=False, arms=5, dim=3)
    agent = agent_for(SlidingWindowLinUCB(window=20), block)
    arms = play(agent, block)
    fresh = LinUCB().start(Problem(arms=5, dim=3))
    rng, memo = np.random.default_rng(0), np.zeros(4)
    for t in range(20, 40):
        context = block.contexts[t][:, arms[t]].copy()
        fresh.learn(arms[t], context, block.means[t, arms[t]] + block.noise[t], memo, rng)
    assert same_bits(ridge_of(agent), fresh.optimist.ridge)
    assert ridge_of(agent).tally[ENERGY] > 0.0


def worst_error(ridge, held, penalty):
    X = np.array(held)
    expected = np.linalg.inv(penalty * np.eye(X.shape[1]) + X.T @ X)
    return np.abs(ridge.inverse - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("penalty", [1e-1, 1e-3, 1e-9, 1e-12])
def test_window_keeps_its_digits_with_next_to_no_penalty(penalty):
    # Arms along the axes, in turns of different length: many an observation leaves as the only
    # one of its direction, which is where removals lose digits. A fresh regression on the same
    # observations has its own rounding errors; the window's must not be much larger.
    state = SlidingWindowLinUCB(window=7, ridge=penalty).start(Problem(arms=3, dim=3))
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
        errors.append([worst_error(one, held, penalty) for one in (ridge, fresh)])
        assert np.linalg.eigvalsh(ridge.inverse)[0] > 0.0
    ours, theirs = np.max(errors, axis=0)
    assert ours < 20 * theirs + 1e-13


def test_window_of_theory():
    base = Problem(arms=20, dim=10, rounds=10**6)
    assert SlidingWindowLinUCB().window_for(base) == 46415  # ⌊(10^7)^(2/3)⌋
    assert SlidingWindowLinUCB(variation=100.0).window_for(base) == 2154
    assert SlidingWindowLinUCB(variation=0.0).window_for(base) == 10**6
    assert SlidingWindowLinUCB(variation=1e-3).window_for(base) == 10**6
    assert SlidingWindowLinUCB(variation=1e300).window_for(base) == 1
    # Whole roots are not lost to rounding: (10 · 100)^(2/3) = 100.
    assert SlidingWindowLinUCB().window_for(Problem(arms=2, dim=1, rounds=1000)) == 100
    assert SlidingWindowLinUCB(window=7).window_for(base) == 7


def test_window_holds_what_it_says():
    state = SlidingWindowLinUCB(window=50).start(Problem(arms=3, dim=4))
    assert state.ring.shape == (50, 5)


def test_window_forgets_rewards_out_of_order_alike():
    block = block_of(30, intercept=False, arms=4, dim=2)
    agent = agent_for(SlidingWindowLinUCB(window=6), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    order = list(reversed(range(30)))
    for t in order:
        agent.learn(decisions[t], block.means[t, decisions[t].arm])
    last = [block.contexts[t][:, decisions[t].arm] for t in order[-6:]]
    V = 0.1 * np.eye(2) + sum(np.outer(x, x) for x in last)
    np.testing.assert_allclose(ridge_of(agent).gram, V, rtol=1e-12)


def test_window_too_large_for_any_memory_is_refused():
    recipe = SlidingWindowLinUCB(window=MOST_NUMBERS)
    with pytest.raises(ValueError, match=r"window must hold at most .* got 268435456"):
        recipe.start(Problem(arms=2, dim=1))


def test_window_without_a_horizon_says_so():
    with pytest.raises(ValueError, match="SlidingWindowLinUCB needs to know the horizon"):
        SlidingWindowLinUCB().start(Problem(arms=3, dim=2))
    assert SlidingWindowLinUCB(window=9).start(Problem(arms=3, dim=2)).ring.shape == (9, 3)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"window": 0}, ValueError, "window must be >= 1, got 0"),
        ({"window": 2.5}, TypeError, r"window must be a whole number, got 2\.5"),
        ({"variation": -1.0}, ValueError, r"variation must be >= 0, got -1\.0"),
        ({"growing": 1}, TypeError, "growing must be True or False, got 1"),
        ({"ridge": 0}, ValueError, "ridge must be > 0, got 0"),
    ],
)
def test_window_bad_parameter_is_named(parameters, error, words):
    with pytest.raises(error, match=words):
        SlidingWindowLinUCB(**parameters)


def test_window_as_written_has_the_papers_radius():
    assert SlidingWindowLinUCB.as_written() == SlidingWindowLinUCB(growing=False)
    assert SlidingWindowLinUCB.as_written(window=4).changes() == {"window": 4, "growing": False}


def state_after(rounds, window=5):
    block = block_of(rounds, intercept=False, arms=3, dim=2)
    agent = agent_for(SlidingWindowLinUCB(window=window), block)
    play(agent, block)
    return agent._state


NO_MEMOS = np.empty((0, 4))


@pytest.mark.parametrize("place", [-1.0, 5.0, 1.5, 1e18])
def test_check_refuses_a_row_outside_the_window(place):
    state = state_after(8)
    state.check(NO_MEMOS)
    state.diary[NEXT] = place
    with pytest.raises(ValueError, match="outside its window"):
        state.check(NO_MEMOS)


@pytest.mark.parametrize("window", [0.0, 6.0, 2.5, -3.0, 1e300])
def test_check_refuses_a_window_beyond_the_ring(window):
    state = state_after(8)
    state.windows[0] = window
    with pytest.raises(ValueError, match="do not fit"):
        state.check(NO_MEMOS)


@pytest.mark.parametrize("memo", [[1.0, 1.0, 0, 0], [0.0, 0.0, 0, 0], [-1.0, 1.0, 0, 0]])
def test_check_refuses_memos_of_no_candidate(memo):
    with pytest.raises(ValueError, match="does not exist"):
        state_after(8).check(np.array([memo]))


@pytest.mark.parametrize("candidate", [1.0, -2.0, 0.5])
def test_check_refuses_a_diary_of_no_candidate(candidate):
    state = state_after(8)
    state.diary[0] = candidate
    with pytest.raises(ValueError, match="does not exist"):
        state.check(NO_MEMOS)
