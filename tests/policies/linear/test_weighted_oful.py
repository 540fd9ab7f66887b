"""WeightedOFUL and its multi-level form: reductions, constants, levels and late rewards."""

import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import slow_if_compiled
from reference.playing import agent_for, block_of, memo_of, play, ridge_of, state_of, tell
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import COUNT, observe
from robustbandits.policies import LinUCB, MultiLevelWeightedOFUL, WeightedOFUL
from robustbandits.policies.linear.weighted_oful import MEMO_LEVEL, level_probabilities

PAPER = Problem(arms=20, dim=10, rounds=10**6)


def radius(t, dim, extra, *, regressions=1, ridge=1.0, noise_bound=1.0):
    """β_t, or γ_{t,ℓ} for one of several regressions, with contexts and theta up to 1."""
    tail = math.log(4 * t * t * regressions / 0.01)
    inside = math.log(1 + t / (ridge * (noise_bound + 1) ** 2))
    noise = 8 * math.sqrt(dim * inside * tail) + 4 * math.sqrt(dim) * tail
    return noise + math.sqrt(ridge) + math.sqrt(dim) * extra


def test_weighted_oful_has_the_theorys_constants():
    state = WeightedOFUL(100.0).start(PAPER)
    assert state.ridges.penalty == 1.0
    assert state.weight == pytest.approx(10 / 4)  # σ̄ = (R + 1)/√d = 2/√10
    assert state.band.reach == pytest.approx(1 / 4)
    assert len(state.ridges.theta) == 1
    assert WeightedOFUL(100.0, sigma=5.0).start(PAPER).weight == pytest.approx(1 / 25)


def test_multi_level_has_a_level_for_each_doubling_of_the_horizon():
    state = MultiLevelWeightedOFUL().start(PAPER)
    assert state.levels == math.ceil(math.log2(2 * 10**6)) == 21
    assert state.ridges.inverse.shape == (22, 10, 10)
    assert len(state.chances) == 21
    without_horizon = MultiLevelWeightedOFUL(levels=2).start(Problem(arms=3, dim=2))
    assert without_horizon.levels == 2


@pytest.mark.parametrize("levels", [1, 2, 3, 21, 40])
def test_level_probabilities_halve_and_sum_to_one(levels):
    probabilities = level_probabilities(levels)
    assert probabilities.sum() == 1.0
    assert probabilities[1:].tolist() == [2.0**-level for level in range(2, levels + 1)]
    assert probabilities[0] >= 0.5


@slow_if_compiled
@pytest.mark.parametrize("options", [{}, {"radius_scale": 0.003}, {"sigma": 3.0, "ties": "first"}])
def test_multi_level_with_one_level_is_weighted_oful_with_budget_two_bit_for_bit(options):
    block = block_of(400, arms=6, dim=4)
    levelled = agent_for(MultiLevelWeightedOFUL(levels=1, **options), block)
    single = agent_for(WeightedOFUL(2.0, **options), block)
    assert play(levelled, block) == play(single, block)
    for ours, theirs in zip(state_of(levelled).ridges, state_of(single).ridges, strict=True):
        if np.ndim(theirs):
            assert np.array_equal(ours[0], theirs[0])
            assert np.array_equal(ours[1], theirs[0])


@slow_if_compiled
@pytest.mark.parametrize("unit", [{"noise_bound": 1.0}, {"noise_bound": 0.0, "sigma": 1.0}])
def test_weighted_oful_with_unit_variances_is_linucb_up_to_the_radius(unit):
    # (R + 1)/√d = 1, or σ = 1 above that: every weight is 1, and budget 0 adds nothing.
    block = block_of(300, arms=6, dim=4, intercept=False)
    agent = agent_for(WeightedOFUL(0.0, ridge=0.5, **unit), block)
    linucb = agent_for(LinUCB(ridge=0.5), block)
    for t, contexts in enumerate(block.contexts, start=1):
        scores, plain = agent.scores(contexts.T), linucb.scores(contexts.T)
        assert np.array_equal(scores.means, plain.means)
        beta = 0.1 * math.sqrt(4 * math.log((1 + t / 0.5) / 0.01)) + math.sqrt(0.5)
        ours = radius(t, 4, 0.0, ridge=0.5, noise_bound=unit["noise_bound"])
        np.testing.assert_allclose(scores.bonuses / ours, plain.bonuses / beta, rtol=1e-9)
        # Both learn what the first has played.
        decision = agent.choose(contexts.T)
        reward = block.means[t - 1, decision.arm] + block.noise[t - 1]
        agent.learn(decision, reward)
        observe(ridge_of(linucb), contexts[:, decision.arm].copy(), reward, 1.0)
    for name in ("inverse", "gram", "theta"):
        ours = getattr(state_of(agent).ridges, name)[0]
        assert np.array_equal(ours, getattr(ridge_of(linucb), name))


@slow_if_compiled
def test_multi_level_adds_an_observation_to_everything_and_to_its_level():
    block = block_of(400, arms=5, dim=3)
    agent = agent_for(MultiLevelWeightedOFUL(levels=4), block)
    play(agent, block)
    tally = state_of(agent).ridges.tally[:, COUNT]
    assert tally[0] == 400
    assert tally[1:].sum() == 400
    assert tally[1] > tally[2:].max()


@slow_if_compiled
def test_multi_level_score_is_the_smaller_upper_bound():
    block = block_of(300, arms=7, dim=3)
    agent = agent_for(MultiLevelWeightedOFUL(levels=3, radius_scale=0.01), block)
    play(agent, block)
    ridges = state_of(agent).ridges
    for contexts in block.contexts[:60]:
        decision = agent.choose(contexts.T)
        level = int(memo_of(agent, decision)[MEMO_LEVEL])
        narrow = math.log(2 * level**2 / 0.01) + 3
        radii = {0: radius(301, 4, 2.0**level), level: radius(301, 4, narrow, regressions=3)}
        bounds = []
        for index, beta in radii.items():
            width = np.sqrt((contexts * (ridges.inverse[index] @ contexts)).sum(axis=0))
            bounds.append(ridges.theta[index] @ contexts + 0.01 * beta * width)
        upper = decision.means + decision.bonuses
        np.testing.assert_allclose(upper, np.minimum(*bounds), rtol=1e-9)
        assert decision.arm == np.argmax(upper)


@slow_if_compiled
def test_multi_level_late_rewards_go_to_the_level_that_was_drawn():
    block = block_of(60, arms=5, dim=3)
    agent = agent_for(MultiLevelWeightedOFUL(levels=5), block)
    decisions = [agent.choose(contexts.T) for contexts in block.contexts][::2]
    drawn = [int(memo_of(agent, decision)[MEMO_LEVEL]) for decision in decisions]
    for decision in reversed(decisions):
        agent.learn(decision, 0.5)
    tally = state_of(agent).ridges.tally[:, COUNT]
    assert tally[0] == 30
    assert tally[1:].tolist() == np.bincount(drawn, minlength=6)[1:].tolist()


@slow_if_compiled
@pytest.mark.parametrize("budget", [0.0, 10.0])
def test_weighted_oful_larger_budget_has_larger_bonuses(budget):
    block = block_of(1, arms=5, dim=3)
    small, large = (agent_for(WeightedOFUL(c), block) for c in (budget, budget + 1.0))
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
        ridges = state_of(agent).ridges
        for t in range(150):
            x = rng.normal(size=4)
            x /= np.linalg.norm(x)
            corruption = -1.0 if t < 20 else 0.0
            tell(agent, x, x @ theta + rng.uniform(-1, 1) * 0.5 + corruption)
            error = ridges.theta[0] - theta
            assert math.sqrt(error @ ridges.gram[0] @ error) <= radius(t + 1, 4, 20)
