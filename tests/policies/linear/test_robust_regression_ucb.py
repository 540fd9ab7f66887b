"""RobustRegressionUCB: which rewards are left out, what leaves the memory, and when it fits."""

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import (
    agent_for,
    assert_same_play,
    block_of,
    play,
    ridge_of,
    state_of,
    tell,
)
from robustbandits.compiled.jit import jit_is_on
from robustbandits.kernels.ridge import COUNT, LOG_DET
from robustbandits.policies import LinUCB, RobustRegressionUCB
from robustbandits.policies.linear.robust_regression_ucb import LEARNED, NEXT_FIT

pytestmark = [pytest.mark.slow] if jit_is_on else []


def agent_and_memory(recipe):
    agent = rb.Agent(recipe, arms=2, dim=4, reward_range=(-100.0, 100.0))
    return agent, state_of(agent).memory


def unit(rng, dim=4):
    x = rng.normal(size=dim)
    return x / np.linalg.norm(x)


@pytest.mark.parametrize("radius", ["trace", "det"])
def test_robust_regression_that_leaves_nothing_out_is_linucb_bit_for_bit(radius):
    recipe = RobustRegressionUCB(fraction=0.0, radius=radius)
    assert_same_play(block_of(400, arms=6, dim=4), recipe, LinUCB(radius=radius))


def test_robust_regression_of_a_fraction_below_one_reward_is_linucb_up_to_rounding():
    # It fits from time to time, and leaves nothing out: the sums are those of least squares.
    block = block_of(300, arms=6, dim=4)
    recipes = (RobustRegressionUCB(fraction=0.001, radius="det"), LinUCB(radius="det"))
    agents = [agent_for(recipe, block) for recipe in recipes]
    assert play(agents[0], block) == play(agents[1], block)
    ours, theirs = map(ridge_of, agents)
    np.testing.assert_allclose(ours.theta, theirs.theta, atol=1e-10)
    np.testing.assert_allclose(ours.inverse, theirs.inverse, atol=1e-10)
    assert ours.tally[LOG_DET] == pytest.approx(theirs.tally[LOG_DET], rel=1e-9)


@pytest.mark.parametrize("memory", [10, 37, 100, 1000])
def test_robust_regression_sums_are_those_of_the_rewards_that_are_kept(memory):
    rng = np.random.default_rng(memory)
    agent, held = agent_and_memory(RobustRegressionUCB(fraction=0.2, memory=memory))
    ridge = ridge_of(agent)
    for t in range(400):
        tell(agent, unit(rng), rng.normal())
        size = min(t + 1, memory)
        x = held.contexts[:size][held.kept[:size] > 0]
        gram = 0.1 * np.eye(4) + held.old_gram + x.T @ x
        np.testing.assert_allclose(ridge.gram, gram, atol=1e-9)
        np.testing.assert_allclose(ridge.theta, np.linalg.solve(gram, ridge.moment), atol=1e-8)
        ratio = np.linalg.slogdet(gram)[1] - 4 * np.log(0.1)
        assert ridge.tally[LOG_DET] == pytest.approx(ratio, abs=1e-8)
    assert ridge.tally[COUNT] == 400


def test_robust_regression_leaves_out_its_fraction():
    rng = np.random.default_rng(5)
    agent, memory = agent_and_memory(RobustRegressionUCB(fraction=0.2, passes=1))
    for t in range(500):
        next_fit = memory.clock[NEXT_FIT]
        tell(agent, unit(rng), rng.normal())
        if t + 1 >= next_fit:
            assert np.count_nonzero(memory.kept[: t + 1] == 0) == int(0.2 * (t + 1))


def test_robust_regression_fits_on_a_geometric_grid_then_twice_a_memory():
    rng = np.random.default_rng(6)
    agent, memory = agent_and_memory(RobustRegressionUCB(memory=100))
    fits = []
    for t in range(1, 600):
        before = memory.clock[NEXT_FIT]
        tell(agent, unit(rng), rng.normal())
        if memory.clock[NEXT_FIT] != before:
            fits.append(t)
    gaps = np.diff(fits)
    assert fits[0] == 16
    assert gaps.max() == 50
    assert all(gap <= max(1, 0.25 * t) + 1 for t, gap in zip(fits, gaps, strict=False))


def test_robust_regression_leaves_out_the_corrupted_rewards():
    # Corruption ten times the largest noise: the worst tenth contains all corrupted rewards.
    rng = np.random.default_rng(7)
    theta = np.array([0.5, -0.3, 0.2, 0.1])
    agent, memory = agent_and_memory(RobustRegressionUCB(fraction=0.1))
    plain = rb.Agent(LinUCB(), arms=2, dim=4, reward_range=(-100.0, 100.0))
    corrupted = np.arange(500) % 20 == 3
    for t in range(500):
        x = unit(rng)
        y = x @ theta + rng.uniform(-0.1, 0.1) + (4.0 * np.sign(x[0]) if corrupted[t] else 0.0)
        tell(agent, x, y)
        tell(plain, x, y)
    fitted = int(500 / 1.25)  # the last fit is no older
    assert not np.any((memory.kept[:fitted] > 0) & corrupted[:fitted])
    ours, theirs = (np.linalg.norm(ridge_of(found).theta - theta) for found in (agent, plain))
    assert ours < 0.25 * theirs


def test_robust_regression_takes_rewards_out_of_order():
    block = block_of(120, arms=5, dim=3)
    agent = agent_for(RobustRegressionUCB(memory=30), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    for t in reversed(range(120)):
        agent.learn(decisions[t], float(block.means[t, decisions[t].arm]))
    assert state_of(agent).memory.clock[LEARNED] == 120
    assert np.isfinite(ridge_of(agent).theta).all()
