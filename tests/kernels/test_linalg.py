"""Small-matrix loops against numpy.linalg."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.compiled.jit import python_of
from robustbandits.kernels import linalg

DIMS = [1, 2, 3, 7, 10, 40]


def random_matrix(dim, seed, spread=0.0):
    """Positive definite, with a condition number of about 10^spread."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((dim, dim)))
    values = 10.0 ** np.linspace(0.0, spread, dim)
    matrix = (basis * values) @ basis.T
    return (matrix + matrix.T) / 2


sizes = st.integers(1, 12)
seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(sizes, st.integers(1, 30), seeds)
def test_columns_are_copied_and_multiplied(dim, count, seed):
    rng = np.random.default_rng(seed)
    vector, columns = rng.standard_normal(dim), rng.standard_normal((dim, count))
    out, twin, last = np.full(count, np.nan), np.full((dim, count), np.nan), np.empty(dim)
    linalg.products(vector, columns, out)
    np.testing.assert_allclose(out, vector @ columns, rtol=1e-12, atol=1e-12)
    linalg.copy(columns, twin)
    assert np.array_equal(columns, twin)
    linalg.copy_column(columns, count - 1, last)
    assert np.array_equal(columns[:, -1], last)
    assert linalg.dot(vector, last) == pytest.approx(out[-1], rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(sizes, seeds)
def test_multiply_symmetric_matrix_is_the_product(dim, seed):
    rng = np.random.default_rng(seed)
    matrix, x = random_matrix(dim, seed), rng.standard_normal(dim)
    out = np.full(dim, np.nan)
    linalg.multiply(matrix, x, out)
    np.testing.assert_allclose(out, matrix @ x, rtol=1e-12, atol=1e-12)


@settings(deadline=None)
@given(sizes, seeds, st.floats(-3, 3))
def test_add_outer_adds_and_stays_symmetric(dim, seed, scale):
    x = np.random.default_rng(seed).standard_normal(dim)
    matrix = random_matrix(dim, seed)
    changed = matrix.copy()
    linalg.add_outer(changed, x, scale)
    assert np.array_equal(changed, changed.T)
    np.testing.assert_allclose(changed, matrix + scale * np.outer(x, x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dim", DIMS)
def test_cholesky_is_the_upper_factor(dim):
    matrix = random_matrix(dim, seed=dim, spread=3)
    out = np.full((dim, dim), np.nan)
    assert linalg.cholesky(matrix, out)
    np.testing.assert_allclose(out, np.linalg.cholesky(matrix).T, rtol=1e-10, atol=1e-10)
    assert np.array_equal(out, np.triu(out))


@pytest.mark.parametrize("dim", DIMS)
def test_cholesky_add_outer_is_the_factor_of_the_sum(dim):
    rng = np.random.default_rng(dim)
    matrix = random_matrix(dim, seed=dim, spread=2)
    factor = np.linalg.cholesky(matrix).T.copy()
    for _ in range(20):
        x = rng.standard_normal(dim)
        matrix += np.outer(x, x)
        linalg.cholesky_add_outer(factor, x.copy())
    np.testing.assert_allclose(factor, np.linalg.cholesky(matrix).T, rtol=1e-10, atol=1e-10)
    assert np.array_equal(factor, np.triu(factor))
    assert (np.diag(factor) > 0).all()


def test_cholesky_add_outer_of_zero_changes_nothing():
    factor = np.linalg.cholesky(random_matrix(4, 0)).T.copy()
    before = factor.copy()
    linalg.cholesky_add_outer(factor, np.zeros(4))
    assert np.array_equal(factor, before)


@pytest.mark.parametrize("dim", DIMS)
def test_solve_upper_solves(dim):
    rng = np.random.default_rng(dim)
    factor = np.linalg.cholesky(random_matrix(dim, seed=dim, spread=2)).T.copy()
    right = rng.standard_normal(dim)
    solution = right.copy()
    linalg.solve_upper(factor, solution)
    np.testing.assert_allclose(solution, np.linalg.solve(factor, right), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("spread", [0, 3, 6])
@pytest.mark.parametrize("dim", DIMS)
def test_invert_is_the_inverse(dim, spread):
    matrix = random_matrix(dim, seed=dim, spread=spread)
    out = np.full((dim, dim), np.nan)
    assert linalg.invert(matrix, out)
    scale = np.abs(np.linalg.inv(matrix)).max()
    np.testing.assert_allclose(out, np.linalg.inv(matrix), rtol=0, atol=1e-8 * scale)
    assert np.array_equal(out, out.T)


BAD = {
    "negative": [[1.0, 0.0], [0.0, -1.0]],
    "indefinite": [[1.0, 2.0], [2.0, 1.0]],
    "singular": [[1.0, 1.0], [1.0, 1.0]],
    "zero": [[0.0, 0.0], [0.0, 1.0]],
    "nan": [[np.nan, 0.0], [0.0, 1.0]],
}


@pytest.mark.parametrize("function", [linalg.invert, linalg.cholesky])
@pytest.mark.parametrize("name", BAD)
def test_factorization_of_a_bad_matrix_returns_false(function, name):
    matrix = np.array(BAD[name])
    before = matrix.copy()
    assert not function(matrix, np.empty((2, 2)))
    assert np.array_equal(matrix, before, equal_nan=True)


@pytest.mark.parametrize("dim", [1, 3, 10])
def test_kernels_compiled_and_plain_python_give_the_same_bits(dim):
    rng = np.random.default_rng(dim)
    matrix, x = random_matrix(dim, dim, spread=3), rng.standard_normal(dim)

    def results(version):
        inverse, factor, product = np.empty((dim, dim)), np.empty((dim, dim)), np.empty(dim)
        version(linalg.invert)(matrix, inverse)
        version(linalg.cholesky)(matrix, factor)
        version(linalg.multiply)(matrix, x, product)
        version(linalg.cholesky_add_outer)(factor, x.copy())
        solved = x.copy()
        version(linalg.solve_upper)(factor, solved)
        return [inverse, factor, product, solved, np.array(version(linalg.dot)(x, x))]

    for compiled, plain in zip(results(lambda f: f), results(python_of), strict=True):
        assert np.array_equal(compiled, plain)
