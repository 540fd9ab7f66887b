"""Reduction to a tridiagonal matrix, and what is computed with it, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.test_eigen import random_matrix
from property.laws import law
from robustbandits.kernels.tridiagonal import (
    diagonalize_along,
    from_tridiagonal,
    solve_shifted,
    to_tridiagonal,
    tridiagonalize,
)

matrices = st.builds(
    random_matrix, st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0, 1, 5, 12])
)


def reduce(matrix):
    """Return the reflections, the diagonal and what is beside it, with a zero at the end."""
    dim = len(matrix)
    reflections, diagonal, beside = matrix.copy(), np.full(dim, np.nan), np.zeros(dim)
    tridiagonalize(reflections, diagonal, beside, np.empty(dim))
    return reflections, diagonal, beside


def dense(diagonal, beside):
    return np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1)


@law
@given(matrices, st.integers(0, 100))
def test_reduced_matrix_acts_as_the_matrix(matrix, seed):
    reflections, diagonal, beside = reduce(matrix)
    vector = np.random.default_rng(seed).normal(size=len(matrix))
    image = vector.copy()
    to_tridiagonal(reflections, image)
    np.testing.assert_allclose(np.linalg.norm(image), np.linalg.norm(vector), rtol=1e-13)
    image = dense(diagonal, beside) @ image
    from_tridiagonal(reflections, image)
    size = np.linalg.norm(matrix) * np.linalg.norm(vector)
    np.testing.assert_allclose(image, matrix @ vector, atol=1e-13 * size)


@law
@given(matrices, st.integers(0, 100))
def test_eigenvalues_and_coordinates_are_those_of_numpy(matrix, seed):
    _, diagonal, beside = reduce(matrix)
    vector = np.random.default_rng(seed).normal(size=len(matrix))
    expected, axes = np.linalg.eigh(dense(diagonal, beside))
    eigenvalues, along = diagonal.copy(), vector.copy()
    diagonalize_along(eigenvalues, beside.copy(), along)
    order = np.argsort(eigenvalues)
    np.testing.assert_allclose(eigenvalues[order], expected, atol=1e-13 * expected.max())
    # Eigenvectors of nearly equal eigenvalues are arbitrary, so functions of T are compared.
    for power in (1, 2):
        got = along @ (eigenvalues**power * along)
        wanted = (axes.T @ vector) @ (expected**power * (axes.T @ vector))
        np.testing.assert_allclose(got, wanted, rtol=1e-11)


@law
@given(matrices, st.integers(0, 100))
def test_shifted_system_is_solved(matrix, seed):
    _, diagonal, beside = reduce(matrix)
    right = np.random.default_rng(seed).normal(size=len(matrix))
    shift = 1.1 * np.linalg.eigvalsh(matrix).max()
    solution = right.copy()
    solve_shifted(diagonal, beside, shift, solution, np.empty(len(matrix)))
    system = shift * np.eye(len(matrix)) - dense(diagonal, beside)
    np.testing.assert_allclose(system @ solution, right, atol=1e-12 * np.linalg.norm(right))


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_multiple_of_the_identity_is_left_as_it_is(dim):
    reflections, diagonal, beside = reduce(3.0 * np.eye(dim))
    assert diagonal.tolist() == [3.0] * dim
    assert not beside.any()
    vector = np.arange(1.0, dim + 1.0)
    to_tridiagonal(reflections, vector)
    assert vector.tolist() == list(range(1, dim + 1))
