"""RobustRegressionUCB: what is left out, what leaves the memory, and when fits come."""

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits, tell
from robustbandits.compiled.jit import jit_is_on
from robustbandits.policies import LinUCB, RobustRegressionUCB

pytestmark = [pytest.mark.slow] if jit_is_on else []


def hire(recipe):
    agent = rb.Agent(recipe, arms=2, dim=4, reward_range=(-100.0, 100.0))
    return agent, agent._state


def unit(rng, dim=4):
    x = rng.normal(size=dim)
    return x / np.linalg.norm(x)


@pytest.mark.parametrize("radius", ["trace", "det"])
def test_robust_regression_that_leaves_nothing_out_is_linucb_bit_for_bit(radius):
    block = block_of(400, arms=6, dim=4)
    ours = agent_for(RobustRegressionUCB(fraction=0.0, radius=radius), block)
    theirs = agent_for(LinUCB(radius=radius), block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))


def test_robust_regression_of_a_fraction_below_one_reward_is_linucb_up_to_rounding():
    # Fits come and go, and leave nothing out: the sums are those of least squares.
    block = block_of(300, arms=6, dim=4)
    ours = agent_for(RobustRegressionUCB(fraction=0.001, radius="det"), block)
    theirs = agent_for(LinUCB(radius="det"), block)
    assert play(ours, block) == play(theirs, block)
    np.testing.assert_allclose(ridge_of(ours).theta, ridge_of(theirs).theta, atol=1e-10)
    np.testing.assert_allclose(ridge_of(ours).inverse, ridge_of(theirs).inverse, atol=1e-10)
    assert ridge_of(ours).tally[1] == pytest.approx(ridge_of(theirs).tally[1], rel=1e-9)


@pytest.mark.parametrize("memory", [10, 37, 100, 1000])
def test_robust_regression_sums_are_those_of_what_is_kept(memory):
    rng = np.random.default_rng(memory)
    recipe = RobustRegressionUCB(fraction=0.2, memory=memory)
    agent, state = hire(recipe)
    for t in range(400):
        tell(agent, unit(rng), rng.normal())
        kept = state.memory.kept[: min(t + 1, memory)] > 0
        x = state.memory.contexts[: min(t + 1, memory)][kept]
        gram = 0.1 * np.eye(4) + state.memory.old_gram + x.T @ x
        np.testing.assert_allclose(state.optimist.ridge.gram, gram, atol=1e-9)
        np.testing.assert_allclose(
            state.optimist.ridge.theta,
            np.linalg.solve(gram, state.optimist.ridge.moment),
            atol=1e-8,
        )
        sign, log_det = np.linalg.slogdet(gram)
        assert sign == 1.0
        ratio = log_det - 4 * np.log(0.1)
        assert state.optimist.ridge.tally[1] == pytest.approx(ratio, abs=1e-8)
    assert state.optimist.ridge.tally[0] == 400


def test_robust_regression_leaves_out_its_fraction_and_no_more():
    rng = np.random.default_rng(5)
    agent, state = hire(RobustRegressionUCB(fraction=0.2, passes=1))
    for t in range(500):
        due = state.memory.clock[1]
        tell(agent, unit(rng), rng.normal())
        if t + 1 >= due:
            out = np.count_nonzero(state.memory.kept[: t + 1] == 0)
            assert out == int(0.2 * (t + 1))


def test_robust_regression_fits_on_a_geometric_grid_then_twice_a_memory():
    rng = np.random.default_rng(6)
    agent, state = hire(RobustRegressionUCB(memory=100))
    fits = []
    for t in range(1, 600):
        before = state.memory.clock[1]
        tell(agent, unit(rng), rng.normal())
        if state.memory.clock[1] != before:
            fits.append(t)
    gaps = np.diff(fits)
    assert fits[0] == 16
    assert gaps.max() == 50
    assert all(gap <= max(1, 0.25 * t) + 1 for t, gap in zip(fits, gaps, strict=False))


def test_robust_regression_finds_the_corrupted_rewards():
    # Corruption ten times the noise's reach: leaving out the worst tenth is leaving out the lies.
    rng = np.random.default_rng(7)
    theta = np.array([0.5, -0.3, 0.2, 0.1])
    agent, state = hire(RobustRegressionUCB(fraction=0.1))
    plain, _ = hire(LinUCB())
    lies = []
    for t in range(500):
        x = unit(rng)
        lie = t % 20 == 3
        y = x @ theta + rng.uniform(-0.1, 0.1) + (4.0 * np.sign(x[0]) if lie else 0.0)
        lies.append(lie)
        tell(agent, x, y)
        tell(plain, x, y)
    judged = int(500 / 1.25)  # the last fit is no older
    kept = state.memory.kept[:judged] > 0
    assert not np.any(kept & np.array(lies)[:judged])
    ours = np.linalg.norm(state.optimist.ridge.theta - theta)
    assert ours < 0.25 * np.linalg.norm(ridge_of(plain).theta - theta)


def test_robust_regression_rewards_out_of_order_do_no_harm():
    block = block_of(120, arms=5, dim=3)
    agent = agent_for(RobustRegressionUCB(memory=30), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    for t in reversed(range(120)):
        agent.learn(decisions[t], float(block.means[t, decisions[t].arm]))
    assert agent._state.memory.clock[0] == 120
    assert np.isfinite(ridge_of(agent).theta).all()
