"""The largest eigenvalue, and where it points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.kernels.spectrum import find_axis, largest_eigenvalue


def matrix_of(seed, dim, spread):
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    P = basis @ np.diag(10.0 ** rng.uniform(-spread, 1.0, size=dim)) @ basis.T
    return np.ascontiguousarray(0.5 * (P + P.T))


def test_axis_points_where_the_matrix_is_large():
    P = matrix_of(5, 6, 2.0)
    axis = np.empty(6)
    find_axis(P, axis)
    assert np.linalg.norm(axis) == pytest.approx(1.0)
    assert axis @ P @ axis > 0.7 * np.linalg.eigvalsh(P)[-1]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 12), spread=st.floats(0.0, 6.0))
def test_largest_eigenvalue_is_bounded_from_above(seed, dim, spread):
    P = matrix_of(seed, dim, spread)
    exact = np.linalg.eigvalsh(P)[-1]
    found = largest_eigenvalue(P)
    assert exact <= found
    assert found <= exact * dim ** (1 / 16) * (1 + 1e-6)


def test_largest_eigenvalue_is_close_when_it_stands_out():
    P = np.diag([3.0, 0.1, 0.1, 0.1])
    assert largest_eigenvalue(P) == pytest.approx(3.0, rel=1e-5)
