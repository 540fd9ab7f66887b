"""Jacobi's method, against NumPy's eigenvalues."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.kernels.eigen import ROUNDING, diagonalize


def random_matrix(seed, dim, decades):
    """Return a positive definite matrix whose eigenvalues span so many powers of ten."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    matrix = basis @ np.diag(10.0 ** -rng.uniform(0, decades, dim)) @ basis.T
    return np.ascontiguousarray(0.5 * (matrix + matrix.T))


def solve(matrix):
    axes, eigenvalues = np.full(matrix.shape, np.nan), np.full(len(matrix), np.nan)
    longest = diagonalize(matrix, axes, eigenvalues)
    return axes, eigenvalues, longest


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 12), decades=st.sampled_from([0, 1, 5, 12])
)
def test_eigenvalues_and_eigenvectors_are_those_of_numpy(seed, dim, decades):
    matrix = random_matrix(seed, dim, decades)
    axes, eigenvalues, longest = solve(matrix)
    scale = eigenvalues.max()
    assert eigenvalues[longest] == scale
    np.testing.assert_allclose(np.sort(eigenvalues), np.linalg.eigvalsh(matrix), atol=1e-13 * scale)
    np.testing.assert_allclose(axes @ axes.T, np.eye(dim), atol=1e-13)
    np.testing.assert_allclose(axes.T @ np.diag(eigenvalues) @ axes, matrix, atol=1e-12 * scale)


def test_diagonal_matrix_is_left_as_it_is():
    axes, eigenvalues, longest = solve(np.diag([0.5, 3.0, 1e-9]))
    assert np.array_equal(axes, np.eye(3))
    assert eigenvalues.tolist() == [0.5, 3.0, 1e-9]
    assert longest == 1


def test_rounding_errors_do_not_make_an_eigenvalue_negative():
    direction = np.array([1.0, 1.0, 1.0])
    matrix = np.outer(direction, direction) - 1e-15 * np.eye(3)
    assert np.linalg.eigvalsh(matrix)[0] < 0.0
    _, eigenvalues, longest = solve(matrix)
    assert eigenvalues.min() == ROUNDING * eigenvalues[longest]
