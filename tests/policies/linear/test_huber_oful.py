"""HuberOFUL: the loss, its scale, the projection, and the influence of extreme rewards."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, tell
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import observe, start_ridge
from robustbandits.policies import HuberOFUL, LinUCB
from robustbandits.policies.linear.huber_oful import project, scale_at

pytestmark = [pytest.mark.slow] if jit_is_on else []

PROBLEM = Problem(arms=3, dim=4, rounds=2000)


def agent_with(recipe):
    return rb.Agent(recipe, arms=3, dim=4, rounds=2000, reward_range=(-1e9, 1e9))


def unit(rng, dim=4):
    x = rng.normal(size=dim)
    return x / np.linalg.norm(x)


def test_huber_has_the_theorys_constants():
    problem = Problem(arms=20, dim=10, rounds=10**6)
    huber = HuberOFUL().start(problem).huber
    kappa = 10 * math.log(1 + 10**12 / (4 * 10 * 10))
    tail = math.log(2e12 / 0.01)
    assert huber.bend == pytest.approx(math.sqrt(2 * kappa / tail))
    assert huber.slope == pytest.approx(107 * tail * huber.bend)
    assert huber.base == pytest.approx(math.sqrt(60))
    assert (huber.power, huber.caution, huber.least) == (0.0, 0.0, 1e-3)
    floored = HuberOFUL(budget=None).start(problem).huber
    assert floored.caution == pytest.approx(math.sqrt(1000 / math.sqrt(kappa)))
    assert floored.base == pytest.approx(math.sqrt(60) + math.sqrt(kappa))
    assert HuberOFUL(moment=1.5).start(problem).huber.power == pytest.approx(1 / 6)


@pytest.mark.parametrize("recipe", [HuberOFUL.practical(), HuberOFUL.practical(budget=None)])
def test_huber_theta_stays_within_its_bound_and_agrees_with_its_sums(recipe):
    rng = np.random.default_rng(0)
    agent = agent_with(recipe)
    for _ in range(300):
        tell(agent, unit(rng), rng.standard_t(1.5) * 3)
        ridge = ridge_of(agent)
        assert np.linalg.norm(ridge.theta) <= 1 + 1e-12
        np.testing.assert_allclose(ridge.gram @ ridge.theta, ridge.moment, atol=1e-7)
        np.testing.assert_allclose(ridge.gram @ ridge.inverse, np.eye(4), atol=1e-9)


@pytest.mark.parametrize("dim", [1, 2, 5, 11])
@pytest.mark.parametrize("seed", range(5))
def test_huber_projection_is_the_nearest_point_in_the_norm_of_v(dim, seed):
    rng = np.random.default_rng(seed)
    ridge = start_ridge(dim, float(rng.uniform(0.01, 10)))
    for _ in range(int(rng.integers(1, 60))):
        x = rng.normal(size=dim) * np.exp(rng.normal(size=dim))
        observe(ridge, x, float(rng.normal()), float(rng.uniform(0.1, 9)))
    before = ridge.theta.copy()
    bound = float(np.linalg.norm(before) * rng.uniform(0.01, 0.99))
    project(ridge, bound)
    assert np.linalg.norm(ridge.theta) == pytest.approx(bound, rel=1e-9)
    # First-order condition on the sphere: V(p - u) = -μp with μ >= 0.
    pull = ridge.gram @ (before - ridge.theta)
    mu = pull @ ridge.theta / bound**2
    assert mu > 0.0
    np.testing.assert_allclose(pull, mu * ridge.theta, rtol=1e-6, atol=1e-8 * np.abs(pull).max())


def test_huber_scale_is_the_largest_of_its_four_floors():
    huber = HuberOFUL(budget=50.0).start(PROBLEM).huber
    beta = huber.slope + huber.base
    for width in (1e-6, 1e-3, 0.1, 1.0):
        steep = math.sqrt(2 * beta / (2 * huber.bend)) * width
        floors = [huber.noise, huber.least, steep, huber.caution * math.sqrt(width)]
        assert scale_at(huber, 5.0, width) == pytest.approx(max(floors))
    # The corruption floor: weight 1/σ² <= √κ/(C width), CW-OFUL's with α = √κ/C.
    alpha = 1 / huber.caution**2
    for width in np.geomspace(1e-6, 1, 20):
        assert scale_at(huber, 5.0, float(width)) ** -2 * width <= alpha * (1 + 1e-12)


def test_huber_extreme_reward_moves_theta_no_further_than_a_large_one():
    theta = np.array([0.3, -0.2, 0.1, 0.4])
    moved = []
    for extreme in (5.0, 50.0, 1e6):
        rng = np.random.default_rng(1)
        agent = agent_with(HuberOFUL(radius_scale=0.001))
        for _ in range(200):
            x = unit(rng)
            tell(agent, x, x @ theta + 0.1 * rng.normal())
        before = ridge_of(agent).theta.copy()
        tell(agent, np.full(4, 0.5), extreme)
        moved.append(np.linalg.norm(ridge_of(agent).theta - before))
    assert moved[1] == moved[2]
    assert moved[0] <= moved[1] < 0.5


def test_huber_larger_budget_never_gives_a_reward_more_weight():
    constants = [HuberOFUL.practical(budget=c).start(PROBLEM).huber for c in (0.0, 5.0, 100.0)]
    for width in np.geomspace(1e-6, 1.0, 30):
        for learned in (0.0, 10.0, 1500.0):
            gains = [scale_at(huber, learned, float(width)) ** -2 for huber in constants]
            assert gains[0] >= gains[1] >= gains[2]


@pytest.mark.parametrize("moment", [1.2, 1.7, 2.0])
def test_huber_stays_finite_for_any_moment(moment):
    block = block_of(150, arms=4, dim=3)
    agent = agent_for(HuberOFUL.practical(moment=moment), block)
    play(agent, block)
    assert all(np.isfinite(array).all() for array in ridge_of(agent)[:5])


@pytest.mark.slow
@pytest.mark.statistical
def test_huber_withstands_heavy_tails_that_mislead_least_squares():
    # An error of ±40 in one reward of twenty. Measured over 40 seeds: the error of the Huber fit is
    # 0.04 to 0.24, that of least squares 0.28 to 1.56, and never less than twice the first.
    errors = np.zeros(2)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        theta = unit(rng) * 0.6
        huber = agent_with(HuberOFUL.practical())
        plain = agent_with(LinUCB())
        for _ in range(1500):
            x = unit(rng)
            y = x @ theta + 0.1 * rng.normal()
            if rng.random() < 0.05:
                y += rng.choice([-40.0, 40.0])
            tell(huber, x, y)
            tell(plain, x, y)
        errors[0] += np.linalg.norm(ridge_of(huber).theta - theta)
        errors[1] += np.linalg.norm(ridge_of(plain).theta - theta)
    assert errors[0] < 0.5 * errors[1]
