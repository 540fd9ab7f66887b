"""The radius of the confidence ellipsoid: known values, and what must hold for all."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import observe, start_ridge
from robustbandits.policies import LinUCB
from robustbandits.policies.linear._linear import radius_at


def radius(t, *, dim=10, regression=None, bounds=(1.0, 1.0), **parameters):
    recipe = LinUCB(**parameters)
    problem = Problem(arms=2, dim=dim, context_bound=bounds[0], theta_bound=bounds[1])
    regression = regression or start_ridge(dim, recipe.ridge)
    return radius_at(recipe.start_radius(problem), regression, float(t))


@pytest.mark.parametrize(
    ("t", "sigma", "beta"), [(10**6, 0.1, 1.7557855), (22265, 0.1, 1.617), (10**6, 0.01, 0.460)]
)
def test_radius_trace_has_the_known_values(t, sigma, beta):
    digits = len(str(beta).split(".")[1])
    assert radius(t, sigma=sigma) == pytest.approx(beta, abs=0.6 * 10**-digits)
    # Without noise only the bias from the penalty remains.
    assert radius(t, sigma=0.0) == math.sqrt(0.1)


@given(
    st.integers(1, 10**7),
    st.integers(1, 50),
    st.floats(1e-3, 10.0),
    st.floats(1e-6, 0.999),
    st.floats(0.0, 3.0),
    st.floats(0.1, 5.0),
    st.floats(0.1, 5.0),
)
def test_radius_trace_is_equation_one(t, dim, ridge, delta, sigma, length, theta):
    value = radius(t, dim=dim, bounds=(length, theta), ridge=ridge, sigma=sigma, delta=delta)
    root = math.sqrt(dim * math.log((1 + t * length**2 / ridge) / delta))
    assert value == pytest.approx(sigma * root + math.sqrt(ridge) * theta, rel=1e-12)


@given(st.integers(2, 12), st.integers(0, 80), st.integers(0, 2**32 - 1))
def test_radius_det_never_exceeds_trace_beyond_one_dimension(dim, count, seed):
    ridge = start_ridge(dim, 0.1)
    for x in np.random.default_rng(seed).standard_normal((count, dim)):
        observe(ridge, x / np.linalg.norm(x), 0.5, 1.0)
    tight = radius(count + 1, dim=dim, regression=ridge, radius="det")
    assert tight <= radius(count + 1, dim=dim, regression=ridge, radius="trace")
    log_det = np.linalg.slogdet(ridge.gram)[1] - dim * math.log(0.1)
    expected = 0.1 * math.sqrt(log_det + 2 * math.log(100)) + math.sqrt(0.1)
    assert tight == pytest.approx(expected, rel=1e-9)


def test_radius_trace_in_one_dimension_is_below_the_valid_one():
    # Why the documentation warns: at d = 1 Eq. (1) has 20.7 under the root, and needs 25.3.
    ridge = start_ridge(1, 0.1)
    for _ in range(10**4):
        observe(ridge, np.ones(1), 0.5, 1.0)
    trace = radius(10**4 + 1, dim=1, regression=ridge, radius="trace")
    assert trace < radius(10**4 + 1, dim=1, regression=ridge, radius="det")
