"""Columns and their offsets: vector registers give the bits of the plain loop."""

import numpy as np
import pytest

from robustbandits.compiled.jit import program, python_of
from robustbandits.kernels.shifts import shift_columns

plain = python_of(shift_columns)


@program
def compiled(columns, offsets, out):
    shift_columns(columns, offsets, out)


@pytest.mark.parametrize("shift", [compiled, plain])
@pytest.mark.parametrize("dim", [1, 3, 10])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 11, 20])
def test_each_column_moves_by_its_offset(count, dim, shift):
    rng = np.random.default_rng(100 * dim + count)
    columns, offsets = rng.standard_normal((2, dim, count))
    out = np.full((dim + 1, count), np.nan)
    shift(columns, offsets, out[:dim])
    assert np.array_equal(out[:dim], columns + offsets)
    assert np.isnan(out[dim]).all()


@pytest.mark.parametrize("shift", [compiled, plain])
@pytest.mark.parametrize("count", [3, 7, 20])
def test_columns_may_be_written_where_their_offsets_were(count, shift):
    columns, offsets = np.random.default_rng(count).standard_normal((2, 5, count))
    expected = columns + offsets
    shift(columns, offsets, offsets)
    assert np.array_equal(offsets, expected)


def test_columns_that_are_not_one_piece_of_memory_are_shifted_too():
    columns, offsets = np.random.default_rng(0).standard_normal((2, 7, 5))
    out = np.empty((5, 7))
    compiled(columns.T, offsets.T, out)
    assert np.array_equal(out, (columns + offsets).T)
