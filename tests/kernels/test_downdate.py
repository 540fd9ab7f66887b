"""Observations taken out of a regression again: it is as if they had never come."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.agent.file_contents import state_arrays
from robustbandits.compiled.jit import jit_is_on
from robustbandits.kernels.downdate import SAFE, forget, replay
from robustbandits.kernels.ridge import COUNT, LOG_DET, observe, start_ridge

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


def assert_alike(one, other, rtol):
    scale = np.abs(other.inverse).max()
    np.testing.assert_allclose(one.inverse, other.inverse, atol=rtol * scale)
    np.testing.assert_allclose(one.gram, other.gram, atol=rtol * np.abs(other.gram).max())
    np.testing.assert_allclose(one.theta, other.theta, atol=rtol * 10)
    assert one.tally[COUNT] == other.tally[COUNT]
    np.testing.assert_allclose(one.tally[LOG_DET], other.tally[LOG_DET], atol=rtol * 100)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6), kept=st.integers(0, 30))
def test_forget_leaves_what_the_others_teach(seed, dim, kept):
    rows = rows_of(kept + 5, dim, seed)
    ridge = learned(rows)
    for row in rows[:5]:
        assert forget(ridge, row[:-1].copy(), row[-1])
    assert_alike(ridge, learned(rows[5:]), 1e-9)


def test_forget_everything_leaves_a_fresh_regression():
    rows = rows_of(12, 4)
    ridge = learned(rows)
    for row in rows:
        assert forget(ridge, row[:-1].copy(), row[-1])
    assert_alike(ridge, start_ridge(4, 0.1), 1e-10)


def test_forget_refuses_what_would_cost_the_digits():
    # The only observation of its direction, and next to no penalty.
    rows = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.2]])
    ridge = learned(rows, penalty=SAFE / 2)
    before = [array.copy() for _, array in state_arrays(ridge)]
    assert not forget(ridge, rows[0, :2].copy(), 0.5)
    after = [array for _, array in state_arrays(ridge)]
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_forget_what_never_came_is_refused():
    ridge = learned(rows_of(1, 2), penalty=0.1)
    assert not forget(ridge, np.array([5.0, 0.0]), 1.0)


@pytest.mark.parametrize("oldest", [0, 3, 6])
def test_replay_gives_the_bits_of_a_fresh_regression(oldest):
    rows = rows_of(7, 3)
    ridge = learned(rows_of(20, 3, seed=1))
    replay(ridge, rows, oldest, 7)
    fresh = learned(np.roll(rows, -oldest, axis=0))
    for (name, mine), (_, theirs) in zip(state_arrays(ridge), state_arrays(fresh), strict=True):
        assert np.array_equal(mine, theirs), name


def test_replay_of_part_of_the_ring_leaves_the_rest_out():
    rows = rows_of(9, 2)
    ridge = start_ridge(2, 0.1)
    replay(ridge, rows, 2, 4)
    assert_alike(ridge, learned(rows[:4]), 1e-12)
    assert math.isfinite(ridge.tally[LOG_DET])
