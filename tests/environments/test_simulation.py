"""The paper's simulation: what is drawn, how it is scaled, and that equal seeds repeat."""

from __future__ import annotations

import math

import numpy as np
import pytest

from property.laws import same_bits
from robustbandits.environments import Simulation
from robustbandits.game.match import NATURE, stream
from robustbandits.game.rounds import Rounds

SIZES = pytest.mark.parametrize(("arms", "dim"), [(20, 10), (3, 1), (1, 4), (1, 1)])
KINDS = pytest.mark.parametrize("contexts", ["fresh", "fixed"])
INTERCEPTS = pytest.mark.parametrize("intercept", [True, False])


def nature_of(environment: Simulation, rounds: int = 500, seed: int = 0):
    return environment.start(rounds, stream(seed, NATURE))


def drawn(environment: Simulation, rounds: int = 500, seed: int = 0) -> Rounds:
    return nature_of(environment, rounds, seed).draw(rounds)


def joined(blocks: list[Rounds]) -> Rounds:
    return Rounds(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


@SIZES
@KINDS
@INTERCEPTS
def test_shapes_are_rounds_dim_arms(arms, dim, contexts, intercept):
    environment = Simulation(arms=arms, dim=dim, contexts=contexts, intercept=intercept)
    nature = nature_of(environment)
    block = nature.draw(7)
    assert nature.problem.dim == dim + intercept
    assert nature.problem.arms == arms
    assert nature.problem.intercept is intercept
    assert nature.problem.rounds == 500
    assert nature.problem.noise == 0.1
    assert block.contexts.shape == (7, dim + intercept, arms)
    assert block.means.shape == (7, arms)
    assert block.best.shape == block.noise.shape == (7,)
    assert all(part.flags.c_contiguous and part.dtype == np.float64 for part in block)


@SIZES
@KINDS
def test_means_are_half_of_one_plus_the_product_with_theta(arms, dim, contexts):
    environment = Simulation(arms=arms, dim=dim, contexts=contexts, intercept=False)
    nature = nature_of(environment)
    block = nature.draw(500)
    products = np.einsum("tda,d->ta", block.contexts, nature.theta)
    np.testing.assert_allclose(block.means, (products + 1.0) / 2.0, rtol=0, atol=1e-15)


@SIZES
@KINDS
@INTERCEPTS
def test_means_are_probabilities_and_best_is_the_largest(arms, dim, contexts, intercept):
    block = drawn(Simulation(arms=arms, dim=dim, contexts=contexts, intercept=intercept))
    assert block.means.min() >= 0.0
    assert block.means.max() <= 1.0
    assert same_bits(block.best, block.means.max(axis=1))


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


def test_without_an_intercept_no_theta_explains_the_means():
    block = drawn(Simulation(intercept=False))
    features = block.contexts.transpose(0, 2, 1).reshape(-1, 10)
    _, residual, _, _ = np.linalg.lstsq(features, block.means.ravel())
    assert residual[0] / len(features) > 0.2  # the constant 1/2 is not there to be found


@SIZES
@KINDS
@INTERCEPTS
def test_no_context_is_longer_than_one(arms, dim, contexts, intercept):
    block = drawn(Simulation(arms=arms, dim=dim, contexts=contexts, intercept=intercept))
    assert np.sqrt((block.contexts**2).sum(axis=1)).max() <= 1.0 + 1e-15


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


def test_fixed_contexts_may_be_changed_without_changing_the_next_block():
    nature = nature_of(Simulation(contexts="fixed"))
    first = nature.draw(5)
    kept = first.contexts.copy()
    first.contexts[:] = 7.0
    assert same_bits(nature.draw(5).contexts, kept)


@KINDS
@INTERCEPTS
@pytest.mark.parametrize("size", [1, 7, 250])
def test_draws_do_not_depend_on_the_size_of_blocks(contexts, intercept, size):
    environment = Simulation(arms=4, dim=3, contexts=contexts, intercept=intercept)
    whole = drawn(environment, rounds=500)
    nature = nature_of(environment, rounds=500)
    parts = [nature.draw(min(size, 500 - start)) for start in range(0, 500, size)]
    for one, other in zip(whole, joined(parts), strict=True):
        assert same_bits(one, other)


@KINDS
def test_equal_seeds_repeat(contexts):
    environment = Simulation(contexts=contexts)
    for one, other in zip(drawn(environment, seed=3), drawn(environment, seed=3), strict=True):
        assert same_bits(one, other)


@KINDS
def test_other_seeds_give_another_nature(contexts):
    environment = Simulation(contexts=contexts)
    for one, other in zip(drawn(environment, seed=3), drawn(environment, seed=4), strict=True):
        assert not np.isin(one[:, ...].ravel(), other.ravel()).all()


def test_a_longer_game_begins_like_a_shorter_one():
    short = nature_of(Simulation(), rounds=10).draw(10)
    long = nature_of(Simulation(), rounds=1000).draw(10)
    for one, other in zip(short, long, strict=True):
        assert same_bits(one, other)


def test_more_noise_is_the_same_luck_scaled():
    quiet, loud = (drawn(Simulation(noise=noise)) for noise in (0.1, 0.4))
    np.testing.assert_allclose(loud.noise, 4.0 * quiet.noise, rtol=1e-15)
    assert same_bits(quiet.contexts, loud.contexts)
    assert same_bits(quiet.means, loud.means)


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.5])
def test_noise_is_normal_with_the_given_deviation(noise):
    values = drawn(Simulation(arms=1, dim=1, noise=noise), rounds=50_000).noise
    # Bounds of six standard errors.
    assert values.mean() == pytest.approx(0.0, abs=6 * noise / math.sqrt(50_000))
    assert values.std() == pytest.approx(noise, rel=6 / math.sqrt(2 * 50_000))
    assert (np.abs(values) < noise).mean() == pytest.approx(0.6827, abs=0.0125)


def test_without_noise_rewards_are_their_means():
    assert not drawn(Simulation(noise=0.0)).noise.any()


def test_starting_a_nature_twice_from_one_seed_object_gives_the_same_nature():
    seed = stream(0, NATURE)
    one, other = (Simulation().start(5, seed).draw(5) for _ in range(2))
    assert same_bits(one.contexts, other.contexts)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("arms", 0),
        ("arms", -3),
        ("arms", 2.0),
        ("arms", True),
        ("dim", 0),
        ("dim", "10"),
        ("noise", -0.1),
        ("noise", math.nan),
        ("noise", math.inf),
        ("noise", None),
        ("contexts", "stale"),
        ("contexts", None),
        ("intercept", 1),
        ("intercept", "yes"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(argument, value):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be .*{value}"):
        Simulation(**{argument: value})


def test_parameters_are_given_by_name():
    with pytest.raises(TypeError):
        Simulation(20, 10)


@INTERCEPTS
def test_one_hot_arms_have_a_coordinate_each(intercept):
    environment = Simulation(arms=4, dim=4, contexts="one-hot", intercept=intercept)
    nature = nature_of(environment)
    block = nature.draw(3)
    scale = math.sqrt(0.5) if intercept else 1.0
    for contexts in block.contexts:
        np.testing.assert_allclose(contexts[:4], scale * np.eye(4))
    np.testing.assert_allclose(block.means, np.tile((1.0 + nature.theta) / 2.0, (3, 1)))
    assert nature.problem.fixed_arms
    if not intercept:
        assert np.linalg.norm(block.means[0]) <= nature.problem.theta_bound


def test_one_hot_arms_need_as_many_coordinates():
    with pytest.raises(ValueError, match="dim must be 20 like arms for one-hot, got 10"):
        Simulation(contexts="one-hot")
