"""LIBPMF's random numbers are those of the C library."""

import ctypes
import ctypes.util

import numpy as np
import pytest

from robustbandits.ratings._drand48 import drand48


def plain(seed, count):
    x, numbers = (seed << 16) + 0x330E, []
    for _ in range(count):
        x = (0x5DEECE66D * x + 0xB) % 2**48
        numbers.append(x / 2**48)
    return numbers


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7, 8, 1000, 1025])
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 1])
def test_is_the_recurrence_of_posix(seed, count):
    assert drand48(seed, count).tolist() == plain(seed, count)


@pytest.mark.parametrize("seed", [0, 1, 42, 2**31 - 1])
def test_has_the_bits_of_the_c_library(seed):
    name = ctypes.util.find_library("c")
    library = ctypes.CDLL(name) if name else None
    if not hasattr(library, "drand48"):
        pytest.skip("this C library has no drand48")
    library.drand48.restype = ctypes.c_double
    library.srand48.argtypes = [ctypes.c_long]
    library.srand48(seed)
    assert drand48(seed, 3000).tolist() == [library.drand48() for _ in range(3000)]


def test_numbers_are_uniform_enough_to_start_from():
    numbers = drand48(0, 100_000)
    assert 0 <= numbers.min() < numbers.max() < 1
    assert np.histogram(numbers, 10, (0, 1))[0].min() > 9_000


def test_refuses_a_negative_count():
    with pytest.raises(ValueError, match="count must be >= 0, got -1"):
        drand48(0, -1)
