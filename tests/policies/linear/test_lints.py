"""LinTS: a draw from the posterior, and its best arm."""

import math

import numpy as np
import pytest
from scipy import stats

from reference.playing import agent_for, assert_same_play, block_of, play, ridge_of, state_of
from robustbandits.policies import Greedy, LinTS, LinUCB


@pytest.mark.parametrize("radius", ["trace", "det"])
def test_lints_without_spread_is_greedy(radius):
    block = block_of(600, arms=8, dim=4)
    assert_same_play(block, LinTS(scale=0.0, radius=radius, ties="first"), Greedy(ties="first"))


@pytest.mark.parametrize("rounds", [50, 5000])
def test_lints_factor_stays_the_root_of_the_gram(rounds):
    block = block_of(rounds, arms=3, dim=4)
    agent = agent_for(LinTS(ridge=4.0), block)
    factor = state_of(agent).factor
    assert np.array_equal(factor, 2.0 * np.eye(5))
    play(agent, block)
    np.testing.assert_allclose(factor.T @ factor, ridge_of(agent).gram, rtol=1e-9, atol=1e-9)
    assert np.array_equal(factor, np.triu(factor))
    assert (np.diag(factor) > 0).all()


@pytest.mark.statistical
@pytest.mark.parametrize("scale", [0.2, 1.0])
def test_lints_chooses_an_arm_as_often_as_the_posterior_says(scale):
    # Of two arms the first wins when N(θ̂, v²V⁻¹) puts (x - y)·θ above 0: a normal tail.
    block = block_of(60, arms=2, dim=3, seed=4)
    agent = agent_for(LinTS(scale=scale, sigma=0.3), block)
    play(agent, block)
    ridge, contexts = ridge_of(agent), block.contexts[0].T
    difference = contexts[0] - contexts[1]
    beta = 0.3 * math.sqrt(4 * math.log((1 + 61 / 0.1) / 0.01)) + math.sqrt(0.1)
    deviation = scale * beta * math.sqrt(difference @ np.linalg.solve(ridge.gram, difference))
    mean = difference @ np.linalg.solve(ridge.gram, ridge.moment)
    chance = stats.norm.cdf(mean / deviation)
    assert 0.05 < chance < 0.95
    times = 20_000
    wins = sum(agent.choose(contexts).arm == 0 for _ in range(times))
    low, high = stats.binom.ppf([5e-8, 1 - 5e-8], times, chance)
    assert low <= wins <= high


def test_lints_reports_linucb_bonuses_times_scale_and_no_probabilities():
    block = block_of(100, arms=5, dim=3)
    single = block._replace(contexts=np.ascontiguousarray(block.contexts[:, :, :1]))
    lints, linucb = agent_for(LinTS(scale=0.5), single), agent_for(LinUCB(), single)
    assert play(lints, single) == play(linucb, single)  # one arm only: both learn the same
    contexts = block.contexts[0].T
    ours, theirs = lints.scores(contexts), linucb.scores(contexts)
    np.testing.assert_allclose(ours.bonuses, 0.5 * theirs.bonuses, rtol=1e-12)
    assert np.array_equal(ours.means, theirs.means)
    assert ours.probabilities is None
    assert lints.choose(contexts).probability is None
