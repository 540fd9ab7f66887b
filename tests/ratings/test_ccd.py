"""Rank-one steps: what they solve, and the same bits compiled and in Python."""

import numpy as np
import pytest

from ratings.factor_twins import random_table
from robustbandits.compiled.jit import python_of
from robustbandits.ratings import _ccd
from robustbandits.ratings._ccd import sides

PENALTY = 0.1


def random_sides(seed, kind=np.float32, shape=(14, 11)):
    """Return both sides of a random matrix in the middle of a descent."""
    rng = np.random.default_rng(seed)
    users, items = sides(random_table(seed, shape, empty_user=3, empty_item=5), kind)
    for side in (users, items):
        side.old[:] = rng.standard_normal(side.old.shape)
        side.now[:] = side.old[:, 1]
    return users, items


def dense(side, columns):
    matrix = np.full((len(side.now), columns), np.nan)
    for row in range(len(matrix)):
        part = slice(side.starts[row], side.starts[row + 1])
        matrix[row, side.indices[part]] = side.residuals[part]
    return matrix


def test_both_sides_hold_the_same_matrix_in_ascending_order():
    table = random_table(0)
    users, items = sides(table, np.float32)
    expected = np.full(table.shape, np.nan)
    expected[table.users, table.items] = table.ratings
    np.testing.assert_array_equal(dense(users, table.shape[1]), expected)
    np.testing.assert_array_equal(dense(items, table.shape[0]), expected.T)
    for side in (users, items):
        for begin, end in zip(side.starts[:-1], side.starts[1:], strict=True):
            assert np.all(np.diff(side.indices[begin:end].astype(int)) > 0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_first_step_of_a_term_exchanges_terms_and_solves(kind):
    users, items = random_sides(1, kind)
    before, guess = dense(users, len(items.now)), users.now.copy()
    fall = _ccd.exchange_and_sweep(users, items, PENALTY, 0, len(users.now))
    expected = before - np.outer(users.old[:, 0], items.old[:, 0])
    expected += np.outer(users.old[:, 1], items.old[:, 1])
    np.testing.assert_allclose(dense(users, len(items.now)), expected, rtol=1e-5, atol=1e-5)
    total = 0.0
    for row, residuals in enumerate(dense(users, len(items.now))):
        rated = np.flatnonzero(~np.isnan(residuals))
        x, r = items.now[rated], residuals[rated]

        def cost(value, x=x, r=r):
            return np.sum((r - value * x) ** 2) + PENALTY * len(x) * value**2

        best = x @ r / (x @ x + PENALTY * len(x)) if len(x) else 0.0
        assert users.now[row] == pytest.approx(best, rel=1e-12, abs=1e-15)
        total += cost(guess[row]) - cost(best)
    assert fall == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_both_copies_of_the_residuals_stay_equal_to_the_bit(kind):
    users, items = random_sides(2, kind)
    _ccd.exchange_and_sweep(items, users, PENALTY, 0, len(items.now))
    _ccd.exchange_and_sweep(users, items, PENALTY, 0, len(users.now))
    np.testing.assert_array_equal(dense(users, len(items.now)), dense(items, len(users.now)).T)


@pytest.mark.parametrize("step", [_ccd.exchange_and_sweep, _ccd.sweep])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_compiled_code_gives_the_bits_of_plain_python(step, kind):
    compiled, plain = random_sides(5, kind), random_sides(5, kind)
    fall = step(*compiled, PENALTY, 0, 14)
    assert fall == python_of(step)(*plain, PENALTY, 0, 14)
    for a, b in zip(compiled[0], plain[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_finished_term_is_subtracted_from_the_residuals():
    users, items = random_sides(6, np.float64)
    expected = dense(users, len(items.now)) - np.outer(users.old[:, 0], items.old[:, 0])
    loss = _ccd.subtract_finished(users, items, 0, len(users.now))
    assert loss == pytest.approx(np.nansum(expected**2), rel=1e-12)
    np.testing.assert_allclose(dense(users, len(items.now)), expected, rtol=1e-12, atol=1e-12)
