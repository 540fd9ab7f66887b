"""Columns and their offsets: vector registers give the bits of the plain loop."""

import numpy as np
import pytest

from robustbandits._jit import program, python_of
from robustbandits.kernels.shifts import shift_columns

plain = python_of(shift_columns)


@program
def compiled(columns, offsets, out):
    shift_columns(columns, offsets, out)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("dim", [1, 3, 10])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 11, 20])
def test_each_column_moves_by_its_offset_or_by_the_only_one(count, dim, own):
    rng = np.random.default_rng(100 * dim + count)
    columns = rng.standard_normal((dim, count))
    offsets = rng.standard_normal((dim, count if own else 1))
    for shift in (compiled, plain):
        out = np.full((dim + 1, count), np.nan)
        shift(columns, offsets, out[:dim])
        assert np.array_equal(out[:dim], columns + offsets)
        assert np.isnan(out[dim]).all()
