"""Optimal designs: weights sum to 1 and no variance is too large, whatever the columns span."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.twins_fixed import known_to_within, wynn
from robustbandits.compiled.jit import jit_is_on
from robustbandits.kernels.optimal_design import fit_means, g_optimal, span

pytestmark = [pytest.mark.slow] if jit_is_on else []


def arms_of(seed, count, dim, rank, stretch=1.0):
    """Columns in a random subspace, some much longer than others."""
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((dim, rank)) @ rng.standard_normal((rank, count))
    return np.ascontiguousarray(columns * stretch ** rng.uniform(-1, 1, count))


def design_of(columns, active=None, slack=1.0):
    dim, count = columns.shape
    coordinates, weights = np.empty((dim, count)), np.empty(count)
    active = np.ones(count) if active is None else active
    rank = g_optimal(columns, active, slack, coordinates, weights)
    return weights, rank, coordinates


shapes = st.tuples(st.integers(0, 10_000), st.integers(1, 14), st.integers(1, 6), st.integers(1, 6))


@settings(max_examples=60, deadline=None)
@given(shapes, st.sampled_from([1.0, 30.0]))
def test_largest_variance_is_at_most_twice_the_dimension(shape, stretch):
    seed, count, dim, rank = shape
    columns = arms_of(seed, count, dim, min(rank, dim), stretch)
    weights, found, _ = design_of(columns)
    assert found == min(rank, dim, count)
    assert np.all(weights >= 0)
    assert abs(weights.sum() - 1) < 1e-12
    variances = known_to_within(columns.T, weights)
    assert variances.max() <= 2 * found * (1 + 1e-6)
    # Kiefer and Wolfowitz: whatever the design, Σ w g is the dimension.
    assert abs(weights @ variances - found) < 1e-6


@settings(max_examples=20, deadline=None)
@given(shapes)
def test_design_with_little_slack_is_nearly_optimal(shape):
    seed, count, dim, rank = shape
    columns = arms_of(seed, count, dim, min(rank, dim))
    weights, found, _ = design_of(columns, slack=0.02)
    # No design has a smaller maximum than the dimension.
    variances = known_to_within(columns.T, weights)
    assert found - 1e-9 <= variances.max() <= 1.02 * found * (1 + 1e-6)


def test_design_of_an_orthogonal_basis_is_uniform():
    weights, rank, _ = design_of(np.ascontiguousarray(np.diag([1.0, 5.0, 0.01, 2.0])), slack=1e-6)
    assert rank == 4
    np.testing.assert_allclose(weights, 0.25)


def test_design_of_a_regular_simplex_with_its_center_leaves_the_center_out():
    angles = 2 * np.pi * np.arange(3) / 3
    columns = np.zeros((2, 4))
    columns[:, :3] = np.stack([np.cos(angles), np.sin(angles)])
    columns[:, 3] = 0.01
    weights, _, _ = design_of(columns, slack=1e-3)
    np.testing.assert_allclose(weights, [1 / 3, 1 / 3, 1 / 3, 0], atol=2e-3)


@pytest.mark.parametrize("seed", range(6))
def test_design_is_that_of_the_twin(seed):
    columns = arms_of(seed, 12, 5, 1 + seed % 5)
    expected, _ = wynn(columns.T)
    np.testing.assert_allclose(design_of(columns)[0], expected, atol=1e-9)


def test_inactive_columns_get_no_weight():
    columns = arms_of(3, 10, 4, 4)
    active = np.zeros(10)
    active[[1, 5, 8]] = 1.0
    weights, rank, _ = design_of(columns, active)
    assert rank == 3
    assert np.all(weights[active == 0] == 0)
    expected, _ = wynn(columns.T[active > 0])
    np.testing.assert_allclose(weights[active > 0], expected, atol=1e-9)


def test_first_active_column_gets_all_weight_if_all_are_zero():
    active = np.array([0.0, 1.0, 1.0])
    weights, rank, _ = design_of(np.zeros((2, 3)), active)
    assert rank == 0
    assert weights.tolist() == [0.0, 1.0, 0.0]


def test_span_coordinates_give_the_columns_back():
    columns = arms_of(1, 9, 6, 3)
    coordinates, pivots = np.empty((6, 9)), np.empty(6, dtype=np.int64)
    rank = span(columns, np.ones(9), coordinates, pivots)
    assert rank == 3
    np.testing.assert_allclose(columns[:, pivots[:3]] @ coordinates[:3], columns, atol=1e-12)
    assert np.array_equal(coordinates[:3, pivots[:3]], np.eye(3))  # exactly


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_fit_means_is_least_squares(rank):
    columns = arms_of(7, 8, 5, rank)
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, 8).astype(float)
    sums = counts * rng.standard_normal(8)
    means = np.full(8, np.nan)
    assert fit_means(columns, np.ones(8), counts, sums, means) == rank
    weights = np.sqrt(counts)[:, None]
    theta, *_ = np.linalg.lstsq(weights * columns.T, sums / np.sqrt(counts), rcond=1e-10)
    np.testing.assert_allclose(means, columns.T @ theta, rtol=1e-8)


def test_fit_means_refuses_columns_outside_the_measured_span():
    means = np.full(2, 7.0)
    counts = np.array([3.0, 0.0])
    assert fit_means(np.eye(2), np.ones(2), counts, np.ones(2), means) == -1
    assert means.tolist() == [7.0, 7.0]
