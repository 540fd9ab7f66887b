"""WeightedOFUL and its multi-level form: reductions, levels, and what late rewards do."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, tell
from robustbandits.compiled.jit import jit_is_on
from robustbandits.kernels.ridge import observe
from robustbandits.policies import LinUCB, MultiLevelWeightedOFUL, WeightedOFUL

pytestmark = [pytest.mark.slow] if jit_is_on else []


@pytest.mark.parametrize("options", [{}, {"radius_scale": 0.003}, {"sigma": 3.0, "ties": "first"}])
def test_multi_level_with_one_level_is_weighted_oful_with_budget_two_bit_for_bit(options):
    block = block_of(400, arms=6, dim=4)
    many = agent_for(MultiLevelWeightedOFUL(levels=1, **options), block)
    one = agent_for(WeightedOFUL(2.0, **options), block)
    assert play(many, block) == play(one, block)
    ours, theirs = many._state.ridges, one._state.ridges
    for name in ("inverse", "gram", "moment", "theta", "tally"):
        for level in (0, 1):
            assert np.array_equal(getattr(ours, name)[level], getattr(theirs, name)[0])


@pytest.mark.parametrize("unit", [{"noise_bound": 1.0}, {"noise_bound": 0.0, "sigma": 1.0}])
def test_weighted_oful_with_unit_variances_is_linucb_up_to_the_radius(unit):
    # (R + 1)/√d = 1, or σ = 1 above that: every weight is 1, and budget 0 adds nothing.
    block = block_of(300, arms=6, dim=4, intercept=False)
    agent = agent_for(WeightedOFUL(0.0, ridge=0.5, **unit), block)
    linucb = agent_for(LinUCB(ridge=0.5), block)
    own = linucb._state.optimist.ridge
    for t, contexts in enumerate(block.contexts, start=1):
        scores, plain = agent.scores(contexts.T), linucb.scores(contexts.T)
        assert np.array_equal(scores.means, plain.means)
        beta = 0.1 * math.sqrt(4 * math.log((1 + t / 0.5) / 0.01)) + math.sqrt(0.5)
        tail = math.log(4 * t * t / 0.01)
        inside = math.log(1 + t / (0.5 * (unit["noise_bound"] + 1) ** 2))
        radius = 8 * math.sqrt(4 * inside * tail) + 8 * tail + math.sqrt(0.5)
        np.testing.assert_allclose(scores.bonuses / radius, plain.bonuses / beta, rtol=1e-9)
        # Both learn what the first has played.
        decision = agent.choose(contexts.T)
        reward = block.means[t - 1, decision.arm] + block.noise[t - 1]
        agent.learn(decision, reward)
        observe(own, contexts[:, decision.arm].copy(), reward, 1.0)
    for name in ("inverse", "gram", "theta"):
        assert np.array_equal(getattr(agent._state.ridges, name)[0], getattr(own, name))


def test_multi_level_observations_reach_everybody_and_their_level_once():
    block = block_of(400, arms=5, dim=3)
    agent = agent_for(MultiLevelWeightedOFUL(levels=4), block)
    play(agent, block)
    tally = agent._state.ridges.tally[:, 0]
    assert tally[0] == 400
    assert tally[1:].sum() == 400
    assert tally[1] > tally[2:].max()


def test_multi_level_score_is_the_smaller_upper_bound():
    block = block_of(300, arms=7, dim=3)
    agent = agent_for(MultiLevelWeightedOFUL(levels=3, radius_scale=0.01), block)
    play(agent, block)
    state, t, dim = agent._state, 301, 4
    for contexts in block.contexts[:60]:
        decision = agent.choose(contexts.T)
        level = int(agent._pending[decision.id][1][0])
        bounds = []
        for place in (0, level):
            theta, inverse = state.ridges.theta[place], state.ridges.inverse[place]
            width = np.sqrt((contexts * (inverse @ contexts)).sum(axis=0))
            extra = 2.0**level if place == 0 else math.log(2 * level**2 / 0.01) + 3
            tail = math.log(4 * t * t * (1 if place == 0 else 3) / 0.01)
            radius = 8 * math.sqrt(dim * math.log(1 + t / 4) * tail)
            radius += 4 * math.sqrt(dim) * tail + 1.0 + math.sqrt(dim) * extra
            bounds.append(theta @ contexts + 0.01 * radius * width)
        upper = decision.means + decision.bonuses
        np.testing.assert_allclose(upper, np.minimum(*bounds), rtol=1e-9)
        assert decision.arm == np.argmax(upper)


def test_multi_level_late_rewards_go_to_the_level_that_was_drawn():
    block = block_of(60, arms=5, dim=3)
    agent = agent_for(MultiLevelWeightedOFUL(levels=5), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts]
    drawn = [int(agent._pending[decision.id][1][0]) for decision in decisions[::2]]
    for decision in reversed(decisions[::2]):
        agent.learn(decision, 0.5)
    tally = agent._state.ridges.tally[:, 0]
    assert tally[0] == 30
    assert tally[1:].tolist() == np.bincount(drawn, minlength=6)[1:].tolist()


@pytest.mark.parametrize("budget", [0.0, 10.0])
def test_weighted_oful_larger_budget_never_has_the_smaller_bonus(budget):
    block = block_of(100, arms=5, dim=3)
    small, large = (agent_for(WeightedOFUL(c), block) for c in (budget, budget + 1.0))
    play(small, block)
    state = small._state
    large._state.ridges.inverse[...] = state.ridges.inverse
    large._state.ridges.tally[...] = state.ridges.tally
    contexts = block.contexts[0].T
    assert np.all(large.scores(contexts).bonuses > small.scores(contexts).bonuses)


@pytest.mark.slow
@pytest.mark.statistical
def test_weighted_oful_covers_theta_under_attack():
    # β_t(C) holds with probability 1 - δ and is generous besides: a failure in 20 runs is a bug.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        theta = rng.normal(size=4)
        theta /= 2 * np.linalg.norm(theta)
        agent = rb.Agent(WeightedOFUL(20.0), arms=2, dim=4, reward_range=(-5.0, 5.0))
        ridges = agent._state.ridges
        for t in range(150):
            x = rng.normal(size=4)
            x /= np.linalg.norm(x)
            corruption = -1.0 if t < 20 else 0.0
            reward = float(x @ theta + rng.uniform(-1, 1) * 0.5 + corruption)
            tell(agent, x, reward)
            error = ridges.theta[0] - theta
            gap = math.sqrt(error @ ridges.gram[0] @ error)
            tail = math.log(4 * (t + 1) ** 2 / 0.01)
            inside = math.log(1 + (t + 1) / 4)
            radius = 8 * math.sqrt(4 * inside * tail) + 8 * tail + 1 + 2 * 20
            assert gap <= radius
