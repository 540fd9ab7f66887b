"""The paper's simulation: what is drawn, how it is scaled, and what policies are told."""

import math

import numpy as np
import pytest

from property.laws import same_bits
from robustbandits.checks import check_environment
from robustbandits.environments import Simulation
from robustbandits.game.match import NATURE, stream
from robustbandits.game.rounds import Rounds, child_seeds

SIZES = pytest.mark.parametrize(("arms", "dim"), [(20, 10), (3, 1), (1, 4), (1, 1)])
KINDS = pytest.mark.parametrize("contexts", ["fresh", "fixed"])
INTERCEPTS = pytest.mark.parametrize("intercept", [True, False])


def nature_of(environment: Simulation, rounds: int = 500, seed: int = 0):
    return environment.start(rounds, stream(seed, NATURE))


def drawn(environment: Simulation, rounds: int = 500, seed: int = 0) -> Rounds:
    return nature_of(environment, rounds, seed).draw(rounds)


@SIZES
@KINDS
@INTERCEPTS
def test_every_simulation_keeps_the_contract(arms, dim, contexts, intercept):
    environment = Simulation(arms=arms, dim=dim, contexts=contexts, intercept=intercept)
    check_environment(environment)
    problem = nature_of(environment).problem
    assert (problem.arms, problem.dim) == (arms, dim + intercept)
    assert (problem.intercept, problem.noise, problem.context_bound) == (intercept, 0.1, 1.0)
    means = drawn(environment).means
    assert 0.0 <= means.min() <= means.max() <= 1.0


@SIZES
@KINDS
def test_means_are_half_of_one_plus_the_product_with_theta(arms, dim, contexts):
    nature = nature_of(Simulation(arms=arms, dim=dim, contexts=contexts, intercept=False))
    block = nature.draw(500)
    products = np.einsum("tda,d->ta", block.contexts, nature.theta)
    np.testing.assert_allclose(block.means, (products + 1.0) / 2.0, rtol=0, atol=1e-15)


@SIZES
@KINDS
def test_with_an_intercept_means_are_linear_in_what_the_policy_sees(arms, dim, contexts):
    nature = nature_of(Simulation(arms=arms, dim=dim, contexts=contexts))
    block = nature.draw(500)
    theta = np.append(nature.theta, 1.0) / math.sqrt(2.0)
    products = np.einsum("tda,d->ta", block.contexts, theta)
    np.testing.assert_allclose(products, block.means, rtol=0, atol=1e-15)
    assert np.linalg.norm(theta) <= 1.0 + 1e-15
    assert (block.contexts[:, -1] == math.sqrt(0.5)).all()


@SIZES
@INTERCEPTS
def test_fresh_rounds_have_the_bits_of_a_slow_drawing(arms, dim, intercept):
    environment = Simulation(arms=arms, dim=dim, intercept=intercept)
    nature, block = nature_of(environment, 70), drawn(environment, 70)
    _, contexts_seed, noise_seed = child_seeds(stream(0, NATURE), 3)
    numbers = np.random.default_rng(contexts_seed).random((70, dim, arms))
    features = (numbers - 0.5) * (2.0 / math.sqrt(dim))
    means = np.ones((70, arms))
    for i in range(dim):
        means += nature.theta[i] * features[:, i]
    assert same_bits(block.means, means * 0.5)
    assert same_bits(block.best, means.max(axis=1) * 0.5)
    assert same_bits(block.noise, 0.1 * np.random.default_rng(noise_seed).standard_normal(70))
    factor = math.sqrt(0.5) if intercept else 1.0
    assert same_bits(np.ascontiguousarray(block.contexts[:, :dim]), features * factor)


def test_without_an_intercept_no_theta_explains_the_means():
    block = drawn(Simulation(intercept=False))
    features = block.contexts.transpose(0, 2, 1).reshape(-1, 10)
    _, residual, _, _ = np.linalg.lstsq(features, block.means.ravel(), rcond=None)
    assert residual[0] / len(features) > 0.2


def test_features_and_theta_are_uniform_on_their_interval():
    nature = nature_of(Simulation(dim=4, intercept=False), rounds=5000)
    features = nature.draw(5000).contexts
    edge = 1.0 / math.sqrt(4)
    assert np.abs(features).max() <= edge
    assert np.abs(nature.theta).max() <= edge
    # 400,000 uniform numbers: these bounds are eight standard errors wide.
    assert features.mean() == pytest.approx(0.0, abs=8 * edge / math.sqrt(3 * features.size))
    assert features.var() == pytest.approx(edge**2 / 3, rel=0.012)


def test_fresh_contexts_differ_from_round_to_round():
    contexts = drawn(Simulation()).contexts
    assert len(np.unique(contexts[:, 0, 0])) == 500


def test_fixed_contexts_and_means_stay_the_same():
    nature = nature_of(Simulation(contexts="fixed"))
    first, second = nature.draw(50), nature.draw(50)
    assert (first.contexts == first.contexts[0]).all()
    assert (first.means == first.means[0]).all()
    assert same_bits(first.contexts, second.contexts)
    assert not same_bits(first.noise, second.noise)
    first.contexts[:] = 7.0  # a block belongs to its receiver
    assert same_bits(nature.draw(50).contexts, second.contexts)


@KINDS
def test_other_seeds_give_another_nature(contexts):
    environment = Simulation(contexts=contexts)
    first_nature, second_nature = (drawn(environment, seed=seed)._asdict() for seed in (3, 4))
    for field in ("contexts", "means", "best", "noise"):
        first, second = first_nature[field], second_nature[field]
        assert not np.isin(first.ravel(), second.ravel()).all()


def test_long_game_begins_like_a_short_one():
    short = nature_of(Simulation(), rounds=10).draw(10)
    long = nature_of(Simulation(), rounds=1000).draw(10)
    assert all(same_bits(first, second) for first, second in zip(short, long, strict=True))


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1, 0.5])
def test_noise_is_normal_with_the_given_deviation(noise):
    block = drawn(Simulation(arms=1, dim=1, noise=noise), rounds=50_000)
    # Bounds of six standard errors.
    assert block.noise.mean() == pytest.approx(0.0, abs=6 * noise / math.sqrt(50_000))
    assert block.noise.std() == pytest.approx(noise, rel=6 / math.sqrt(2 * 50_000))
    if noise:
        assert (np.abs(block.noise) < noise).mean() == pytest.approx(0.6827, abs=0.0125)
    unit = drawn(Simulation(arms=1, dim=1, noise=1.0), rounds=50_000)
    np.testing.assert_allclose(block.noise, noise * unit.noise, rtol=1e-15)
    assert same_bits(block.contexts, unit.contexts)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("arms", 0), ("dim", "10"), ("noise", -0.1), ("contexts", "stale"), ("intercept", 1)],
)
def test_bad_parameter_is_refused_by_name(argument, value):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be .*{value}"):
        Simulation(**{argument: value})


@INTERCEPTS
def test_one_hot_arms_have_a_coordinate_each(intercept):
    nature = nature_of(Simulation(arms=4, dim=4, contexts="one-hot", intercept=intercept))
    block = nature.draw(3)
    scale = math.sqrt(0.5) if intercept else 1.0
    for contexts in block.contexts:
        np.testing.assert_allclose(contexts[:4], scale * np.eye(4))
    np.testing.assert_allclose(block.means, np.tile((1.0 + nature.theta) / 2.0, (3, 1)))
    assert nature.problem.fixed_arms
    if not intercept:
        assert np.linalg.norm(block.means[0]) <= nature.problem.theta_bound


def test_one_hot_arms_need_as_many_coordinates():
    with pytest.raises(
        ValueError, match="dim must equal arms, 20, with contexts='one-hot'; got 10"
    ):
        Simulation(contexts="one-hot")
