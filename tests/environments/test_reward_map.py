"""Maps from ratings to rewards: means, bounds, and which of them are linear."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robustbandits.environments.reward_map import (
    LINEAR_MAPS,
    REWARD_MAPS,
    map_rewards,
    products,
)


def items_and_theta(items: int = 20, dim: int = 10, seed: int = 0):
    rng = np.random.default_rng(seed)
    return np.abs(rng.normal(0.6, 0.3, (items, dim))), np.abs(rng.normal(0.5, 0.2, dim))


def misfit(mapped) -> float:
    """Largest error of the best linear fit to the means."""
    best = np.linalg.lstsq(mapped.contexts, mapped.means, rcond=None)[0]
    return float(np.abs(mapped.contexts @ best - mapped.means).max())


@pytest.mark.parametrize("seed", range(5))
def test_affine_is_not_linear_for_any_theta(seed):
    # 20 items in 10 dimensions: no theta explains the shifted means.
    assert misfit(map_rewards("affine", *items_and_theta(seed=seed))) > 0.01
    for name in LINEAR_MAPS:
        assert misfit(map_rewards(name, *items_and_theta(seed=seed))) < 1e-12


@pytest.mark.parametrize("name", ["shift-features", "affine", "affine+intercept"])
def test_worst_item_pays_zero_and_best_item_pays_one(name):
    features, theta = items_and_theta()
    means = map_rewards(name, features, theta).means
    assert means.min() == 0.0
    assert means.max() == 1.0
    np.testing.assert_allclose(np.diff(means) * np.ptp(features @ theta), np.diff(features @ theta))


def test_shifting_features_puts_the_worst_item_at_the_origin():
    features, theta = items_and_theta()
    mapped = map_rewards("shift-features", features, theta)
    worst = (features @ theta).argmin()
    assert not mapped.contexts[worst].any()
    span = np.ptp(features @ theta)
    np.testing.assert_allclose(mapped.theta, theta / span, rtol=1e-13)


def test_scaling_makes_the_longest_item_and_theta_one_long():
    features, theta = items_and_theta()
    mapped = map_rewards("scale", features, theta)
    assert mapped.context_bound == pytest.approx(1.0, rel=1e-15)
    assert mapped.theta_bound == pytest.approx(1.0, rel=1e-15)
    order = (features @ theta).argsort()
    assert np.array_equal(mapped.means.argsort(), order)


def test_intercept_is_the_last_coordinate():
    features, theta = items_and_theta()
    mapped = map_rewards("affine+intercept", features, theta)
    assert mapped.intercept
    assert mapped.contexts.shape == (20, 11)
    assert np.ptp(mapped.contexts[:, -1]) == 0.0
    assert mapped.context_bound == pytest.approx(1.0, rel=1e-15)
    others = [map_rewards(name, features, theta).intercept for name in ("scale", "affine")]
    assert others == [False, False]


@given(
    arrays(np.float64, (6, 3), elements=st.floats(0.1, 5)),
    arrays(np.float64, 3, elements=st.floats(0.1, 5)),
    st.sampled_from(REWARD_MAPS),
)
def test_means_lie_between_zero_and_one(features, theta, name):
    assume(np.ptp(products(features, theta)) > 1e-3)  # less is lost to rounding
    mapped = map_rewards(name, features, theta)
    assert mapped.means.min() >= 0.0
    assert mapped.means.max() <= 1.0 + 1e-12
    if name in LINEAR_MAPS:
        size = mapped.context_bound * mapped.theta_bound
        error = np.abs(mapped.contexts @ mapped.theta - mapped.means).max()
        assert error <= 1e-10 * max(1.0, size)


EQUAL = "needs items with different means.*draw more arms"


@pytest.mark.parametrize(
    ("name", "features", "message"),
    [
        *((name, np.ones((4, 1)), EQUAL) for name in REWARD_MAPS if name != "scale"),
        ("scale", np.array([[1.0], [-2.0]]), "smallest is -2: use reward_map='shift-features'"),
        ("scale", np.zeros((4, 1)), "not all zero"),
    ],
)
def test_features_that_a_map_cannot_use_are_refused_with_the_remedy(name, features, message):
    with pytest.raises(ValueError, match=message):
        map_rewards(name, features, np.ones(1))
