"""Compiled code reads the same fields through a pointer as from the state itself."""

import copy
from typing import Any, NamedTuple

import numpy as np
import pytest

from robustbandits.compiled.fallback import PerformanceWarning
from robustbandits.compiled.jit import jit_is_on, program
from robustbandits.compiled.state_pointer import StatePointer, pointer_to

pytestmark = pytest.mark.skipif(not jit_is_on, reason="pointers are for compiled code")


class Inner(NamedTuple):
    matrix: Any
    level: float


class Deep(NamedTuple):
    inner: Inner
    vector: Any


class Outer(NamedTuple):
    count: int
    deep: Deep
    flag: bool
    scale: float
    counts: Any
    last: Inner


class WithTuple(NamedTuple):
    inner: Inner
    pair: tuple[int, float]


def make(rng: np.random.Generator, matrix: Any) -> Outer:
    inner = Inner(matrix, float(rng.normal()))
    return Outer(
        -int(rng.integers(1, 1 << 40)),
        Deep(inner, rng.normal(size=4)),
        bool(rng.integers(2)),
        -0.0,
        rng.integers(9, size=(2, 2)),
        Inner(rng.normal(size=(2, 3)), np.inf),
    )


@program
def read(state: Any, out: Any, seen: Any) -> None:
    out[0] = state.count
    out[1] = state.deep.inner.level
    out[2] = 1.0 if state.flag else 0.0
    out[3] = 1.0 / state.scale
    out[4] = state.last.level
    out[5] = state.counts[1, 0]
    out[6] = state.deep.vector.sum()
    matrix = state.deep.inner.matrix
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            seen[i, j] = matrix[i, j]


@program
def write(state: Any) -> None:
    state.deep.inner.matrix[1, 2] += 5.0
    state.last.matrix[:] = 3.0
    state.counts[0, 1] = 7


@pytest.mark.parametrize("layout", ["C", "F", "every other"])
def test_every_field_is_read_through_a_pointer(layout):
    rng = np.random.default_rng(0)
    matrix = {
        "C": rng.normal(size=(3, 4)),
        "F": np.asfortranarray(rng.normal(size=(3, 4))),
        "every other": rng.normal(size=(6, 8))[::2, ::2],
    }[layout]
    state = make(rng, matrix)
    found = [(np.zeros(7), np.zeros((3, 4))) for _ in range(2)]
    read(state, *found[0])
    read(pointer_to(state), *found[1])
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[1][1], matrix)
    assert found[1][0][3] == -np.inf  # 1 / -0.0: the sign of zero is kept


def test_writing_through_a_pointer_changes_the_state():
    state = make(np.random.default_rng(1), np.zeros((3, 4)))
    write(pointer_to(state))
    assert state.deep.inner.matrix[1, 2] == 5.0
    assert (state.last.matrix == 3.0).all()
    assert state.counts[0, 1] == 7


def test_a_state_with_another_kind_of_field_is_passed_by_value_with_a_warning():
    state = WithTuple(Inner(np.zeros((1, 1)), 0.0), (1, 2.0))
    expected = r"WithTuple is passed .* by value, .* field pair \(Tuple\(int64, float64\)\)"
    with pytest.warns(PerformanceWarning, match=expected):
        assert pointer_to(state) is state
    assert pointer_to(state) is state  # one warning for each class
    assert isinstance(pointer_to(state.inner), StatePointer)


def test_a_copied_pointer_points_to_a_copy_of_the_state():
    state = make(np.random.default_rng(1), np.zeros((3, 4)))
    pointer = pointer_to(state)
    twin = copy.deepcopy(pointer)
    write(twin)
    assert twin != pointer
    assert twin.state.counts[0, 1] == 7
    assert (state.deep.inner.matrix == 0.0).all()
