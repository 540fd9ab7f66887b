"""Removing observations from a regression: it is as if they had never been made."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.agent.file_contents import state_arrays
from robustbandits.compiled.jit import jit_is_on
from robustbandits.kernels.ridge import (
    COUNT,
    LOG_DET,
    SAFE,
    forget,
    observe,
    replay,
    start_ridge,
)

pytestmark = [pytest.mark.slow] if jit_is_on else []


def learned(rows, penalty=0.1):
    ridge = start_ridge(rows.shape[1] - 1, penalty)
    for row in rows:
        observe(ridge, row[:-1].copy(), row[-1], 1.0)
    return ridge


def rows_of(count, dim, seed=0):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(count, dim))
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    return np.column_stack([contexts, rng.normal(size=count)])


def assert_alike(found, expected, rtol):
    scale = np.abs(expected.inverse).max()
    np.testing.assert_allclose(found.inverse, expected.inverse, atol=rtol * scale)
    np.testing.assert_allclose(found.gram, expected.gram, atol=rtol * np.abs(expected.gram).max())
    np.testing.assert_allclose(found.theta, expected.theta, atol=rtol * 10)
    assert found.tally[COUNT] == expected.tally[COUNT]
    np.testing.assert_allclose(found.tally[LOG_DET], expected.tally[LOG_DET], atol=rtol * 100)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6), kept=st.integers(0, 30))
def test_forget_leaves_a_regression_on_the_other_observations(seed, dim, kept):
    rows = rows_of(kept + 5, dim, seed)
    ridge = learned(rows)
    for row in rows[:5]:
        assert forget(ridge, row[:-1].copy(), row[-1])
    assert_alike(ridge, learned(rows[5:]), 1e-9)


def test_forget_refuses_a_removal_that_would_lose_digits():
    # The only observation in its direction, and a penalty close to zero.
    rows = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.2]])
    ridge = learned(rows, penalty=SAFE / 2)
    before = [array.copy() for _, array in state_arrays(ridge)]
    assert not forget(ridge, rows[0, :2].copy(), 0.5)
    after = [array for _, array in state_arrays(ridge)]
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def test_forget_refuses_an_observation_that_cannot_have_been_made():
    ridge = learned(rows_of(1, 2), penalty=0.1)
    assert not forget(ridge, np.array([5.0, 0.0]), 1.0)


@pytest.mark.parametrize("oldest", [0, 3, 6])
def test_replay_gives_the_bits_of_a_fresh_regression(oldest):
    rows = rows_of(7, 3)
    ridge = learned(rows_of(20, 3, seed=1))
    replay(ridge, rows, oldest, 7)
    fresh = learned(np.roll(rows, -oldest, axis=0))
    for (name, found), (_, expected) in zip(state_arrays(ridge), state_arrays(fresh), strict=True):
        assert np.array_equal(found, expected), name


def test_replay_of_part_of_the_ring_buffer_ignores_the_rest():
    rows = rows_of(9, 2)
    ridge = start_ridge(2, 0.1)
    replay(ridge, rows, 2, 4)
    assert_alike(ridge, learned(rows[:4]), 1e-12)
    assert math.isfinite(ridge.tally[LOG_DET])
