"""nth_smallest against sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits.compiled.jit import jit_is_on, python_of
from robustbandits.kernels.selection import nth_smallest

NUMBERS = st.lists(st.floats(-1e9, 1e9) | st.integers(0, 3).map(float), min_size=1, max_size=40)


@given(NUMBERS, st.data())
def test_nth_smallest_is_what_sorting_finds(values, data):
    n = data.draw(st.integers(0, len(values) - 1))
    array = np.array([*values, -np.inf])  # values beyond the size are ignored
    assert python_of(nth_smallest)(array, len(values), n) == sorted(values)[n]
    assert sorted(array[:-1].tolist()) == sorted(values)
    assert array[-1] == -np.inf


@pytest.mark.skipif(not jit_is_on, reason="compares compiled code with plain Python")
@pytest.mark.slow
def test_nth_smallest_compiled_and_plain_give_the_same_bits():
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 10, 1000):
        values = rng.integers(0, size, size).astype(float)
        for n in {0, size // 3, size - 1}:
            assert nth_smallest(values.copy(), size, n) == np.sort(values)[n]
