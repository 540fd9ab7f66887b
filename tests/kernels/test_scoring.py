"""Scores of columns: vector registers give the bits of the plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.compiled.jit import python_of
from robustbandits.kernels.scoring import multiply_columns, score_columns, score_images

plain = python_of(score_columns)


def scored(function, matrix, vector, columns):
    out = np.full((2, columns.shape[1]), np.nan)
    function(matrix, vector, columns, out[0], out[1])
    return out


def random_problem(dim, count, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((dim, dim))
    matrix = root @ root.T
    return (matrix + matrix.T) / 2, rng.standard_normal(dim), scale * rng.random((dim, count))


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 11, 40])
@pytest.mark.parametrize("count", [*range(1, 18), 20, 23, 24, 31, 500])
def test_score_columns_compiled_and_plain_give_the_same_bits(dim, count):
    if dim * dim * count > 50_000:
        count = count % 32  # plain Python is slow; every remainder is met anyway
    problem = random_problem(dim, count, seed=100 * dim + count)
    assert np.array_equal(scored(score_columns, *problem), scored(plain, *problem))


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(1, 27), st.integers(0, 2**32 - 1), st.floats(1e-8, 1e8))
def test_score_columns_give_the_same_bits_at_any_scale(dim, count, seed, scale):
    problem = random_problem(dim, count, seed, scale)
    assert np.array_equal(scored(score_columns, *problem), scored(plain, *problem))


@pytest.mark.parametrize("dim", [1, 2, 10, 40])
@pytest.mark.parametrize("count", [1, 4, 7, 8, 12, 13, 500])
def test_score_columns_are_products_and_quadratic_forms(dim, count):
    matrix, vector, columns = random_problem(dim, count, seed=dim + count)
    products, forms = scored(score_columns, matrix, vector, columns)
    np.testing.assert_allclose(products, vector @ columns, rtol=1e-12, atol=1e-12)
    truth = np.einsum("ia,ij,ja->a", columns, matrix, columns)
    np.testing.assert_allclose(forms, truth, rtol=1e-11)


@pytest.mark.parametrize("count", [1, 8, 13])
def test_score_columns_reads_the_lower_half_only(count):
    matrix, vector, columns = random_problem(5, count, seed=1)
    spoiled = np.where(np.triu(np.ones((5, 5)), 1) > 0, np.nan, matrix)
    assert np.array_equal(
        scored(score_columns, spoiled, vector, columns),
        scored(score_columns, matrix, vector, columns),
    )


@pytest.mark.parametrize("count", [3, 8, 13])
def test_score_columns_of_equal_columns_are_equal_in_any_position(count):
    # Otherwise ties between equal arms would depend on the register that holds an arm.
    matrix, vector, columns = random_problem(7, 1, seed=2)
    out = scored(score_columns, matrix, vector, np.repeat(columns, count, axis=1))
    assert len(np.unique(out[0])) == 1
    assert len(np.unique(out[1])) == 1


@pytest.mark.parametrize("count", [5, 8, 12])
def test_score_columns_writes_nothing_beyond_its_columns(count):
    matrix, vector, columns = random_problem(3, count, seed=3)
    room = np.full((2, count + 8), 7.0)
    score_columns(matrix, vector, columns, room[0, :count], room[1, :count])
    assert (room[:, count:] == 7.0).all()


def test_score_columns_of_a_transposed_array_are_right():
    matrix, vector, columns = random_problem(3, 8, seed=4)
    transposed = np.ascontiguousarray(columns.T).T
    assert np.array_equal(
        scored(score_columns, matrix, vector, transposed),
        scored(score_columns, matrix, vector, columns),
    )


# ---------------------------------------------------------------------------- matrix times columns


def multiplied(function, matrix, columns):
    out = np.full((len(matrix), columns.shape[1]), np.nan)
    function(matrix, columns, out)
    return out


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 11])
@pytest.mark.parametrize("count", [*range(1, 18), 20, 31])
def test_products_and_image_scores_compiled_and_plain_give_the_same_bits(dim, count):
    matrix, vector, columns = random_problem(dim, count, seed=100 * dim + count)
    tall = np.random.default_rng(count).standard_normal((count, dim))
    for left in (matrix, tall):
        found = multiplied(multiply_columns, left, columns)
        assert np.array_equal(found, multiplied(python_of(multiply_columns), left, columns))
        np.testing.assert_allclose(found, left @ columns, rtol=1e-11, atol=1e-12)
    found = scored(score_images, matrix, vector, columns)
    assert np.array_equal(found, scored(python_of(score_images), matrix, vector, columns))
    images = matrix @ columns
    np.testing.assert_allclose(found[0], vector @ images, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found[1], (images**2).sum(axis=0), rtol=1e-10)


@pytest.mark.parametrize("count", [5, 8, 12])
def test_products_of_arrays_that_are_not_contiguous_are_right(count):
    matrix, vector, columns = random_problem(3, count, seed=3)
    turned = np.asfortranarray(columns)
    np.testing.assert_array_equal(
        multiplied(multiply_columns, matrix, turned), multiplied(multiply_columns, matrix, columns)
    )
    np.testing.assert_array_equal(
        scored(score_images, matrix, vector, turned), scored(score_images, matrix, vector, columns)
    )
