"""Products of columns and their images: vector registers give the bits of the plain loop."""

import numpy as np
import pytest

from robustbandits.compiled.jit import program, python_of
from robustbandits.kernels.tangents import DY, PRODUCTS, VD, VX, VY, XY, YY, tangent_products

plain = python_of(tangent_products)


@program
def compiled(matrix, vector, columns, offsets, out):
    tangent_products(matrix, vector, columns, offsets, out)


def problem(dim, count, seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((dim, dim))
    columns, offsets = rng.standard_normal((2, dim, count))
    return root @ root.T, rng.standard_normal(dim), columns, offsets


def found(function, given):
    out = np.full((PRODUCTS, given[2].shape[1]), np.nan)
    function(*given, out)
    return out


@pytest.mark.parametrize("dim", [1, 2, 10, 11])
@pytest.mark.parametrize("count", [1, 3, 4, 5, 7, 8, 9, 12, 13, 20, 23])
def test_compiled_and_plain_give_the_same_bits(dim, count):
    given = problem(dim, count, seed=100 * dim + count)
    assert np.array_equal(found(compiled, given), found(plain, given))


@pytest.mark.parametrize("count", [3, 20])
def test_rows_are_the_products_that_they_are_named_for(count):
    given = problem(6, count, seed=count)
    matrix, v, x, d = given
    y = matrix @ x
    out = found(compiled, given)
    expected = {
        VX: v @ x,
        XY: (x * y).sum(axis=0),
        VY: v @ y,
        YY: (y * y).sum(axis=0),
        VD: v @ d,
        DY: (d * y).sum(axis=0),
    }
    assert sorted(expected) == list(range(PRODUCTS))
    for row, numbers in expected.items():
        np.testing.assert_allclose(out[row], numbers, rtol=1e-11, atol=1e-11)
