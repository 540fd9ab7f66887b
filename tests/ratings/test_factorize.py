"""CCD++ against slow twins, and properties that hold for any ratings."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.factor_twins import (
    als_twin,
    ccd_twin,
    descend,
    gradient,
    objective,
    random_table,
    table_of,
)
from robustbandits.compiled.jit import jit_is_on
from robustbandits.ratings import _ccd
from robustbandits.ratings.factorize import drand48, factorize, first_factors
from robustbandits.ratings.table import RatingTable


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("rank", "outer", "inner"), [(1, 3, 2), (3, 5, 5), (7, 4, 1), (6, 12, 5)])
def test_equals_the_slow_twin(seed, rank, outer, inner):
    table = random_table(seed, empty_user=2, empty_item=4)
    found = descend(table, rank, 0.05, outer, inner)
    start = first_factors(table.shape[0], rank, "libpmf")
    users, items = ccd_twin(table, start, 0.05, outer, inner)
    np.testing.assert_allclose(found.users, users, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.items, items, rtol=0, atol=1e-10)


def test_single_precision_residuals_hardly_matter():
    table = random_table(0, (40, 30))
    single, double = (descend(table, 4, kind=kind) for kind in (np.float32, np.float64))
    np.testing.assert_allclose(single.users, double.users, rtol=0, atol=1e-5)
    np.testing.assert_allclose(single.items, double.items, rtol=0, atol=1e-5)


def test_train_rmse_is_that_of_the_factors():
    table = random_table(1, (40, 30))
    factors = factorize(table, rank=4, cache=False)
    guesses = np.sum(factors.users[table.users] * factors.items[table.items], axis=1)
    rmse = np.sqrt(np.mean((table.ratings - guesses) ** 2))
    assert factors.train_rmse == pytest.approx(rmse, rel=1e-6)


@pytest.mark.skipif(not jit_is_on, reason="slow without compiled code")
def test_recovers_a_matrix_of_low_rank():
    rng = np.random.default_rng(0)
    shape = (60, 40)
    truth = rng.normal(1.0, 0.5, (shape[0], 2)) @ rng.normal(1.0, 0.5, (shape[1], 2)).T
    users, items = np.nonzero(rng.random(shape) < 0.5)
    table = table_of(users, items, truth[users, items], shape)
    factors = factorize(table, rank=2, regularization=1e-6, outer=200, cache=False)
    assert np.max(np.abs(factors.users @ factors.items.T - truth)) < 0.01


@pytest.mark.skipif(not jit_is_on, reason="slow without compiled code")
def test_converges_to_a_stationary_point_as_good_as_that_of_least_squares():
    table = random_table(3, (20, 15))
    found = descend(table, rank=2, outer=400)
    for part in gradient(table, found.users, found.items, 0.1):
        assert np.max(np.abs(part)) < 1e-6
    users, items = als_twin(table, first_factors(20, 2, "libpmf"), 0.1, 400)
    for part in gradient(table, users, items, 0.1):  # the twin has converged, too
        assert np.max(np.abs(part)) < 1e-6
    ours, theirs = (
        objective(table, *pair, 0.1) for pair in ((found.users, found.items), (users, items))
    )
    assert ours == pytest.approx(theirs, rel=0.02)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    st.integers(1, 6),
    st.sampled_from([0.01, 0.1, 1.0]),
)
def test_the_objective_never_rises(seed, shape, rank, regularization):
    table = random_table(seed, shape)
    costs = []
    for outer in range(1, 5):
        found = descend(table, rank, regularization, outer)
        costs.append(objective(table, found.users, found.items, regularization))
    assert all(after <= before * (1 + 1e-9) for before, after in zip(costs, costs[1:]))  # noqa: B905, RUF007


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_users_and_items_without_ratings_get_zero_vectors(seed, rank):
    table = random_table(seed, (9, 8), empty_user=4, empty_item=6)
    found = descend(table, rank, kind=np.float32)
    assert not found.users[4].any()
    assert not found.items[6].any()
    assert np.isfinite(found.users).all()
    assert np.isfinite(found.items).all()


@pytest.mark.parametrize("size", [1, 7, 50])
def test_any_number_of_workers_gives_the_same_bits(monkeypatch, size):
    monkeypatch.setattr(_ccd, "RANGE", size)  # many ranges even in a small table
    table = random_table(5, (30, 25))
    serial, *others = (descend(table, 4, workers=n, kind=np.float32) for n in (1, 2, 3, 8))
    for other in others:
        np.testing.assert_array_equal(other.users, serial.users)
        np.testing.assert_array_equal(other.items, serial.items)
        assert other.train_rmse == serial.train_rmse


@pytest.mark.parametrize("size", [1, 3, 10, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_ranges_hold_every_row_once(monkeypatch, seed, size):
    monkeypatch.setattr(_ccd, "RANGE", size)
    users, _ = _ccd.sides(random_table(seed, empty_user=0), np.float32)
    parts = _ccd.ranges(users.starts)
    assert [row for part in parts for row in range(*part)] == list(range(len(users.now)))


@pytest.mark.parametrize("chunk", [1, 10, 1 << 22])
def test_the_order_of_the_ratings_does_not_matter(monkeypatch, chunk):
    table = random_table(6, (30, 25))
    first = descend(table, 4, kind=np.float32)
    monkeypatch.setattr(_ccd, "CHUNK", chunk)
    order = np.random.default_rng(0).permutation(len(table))
    mixed = table_of(table.users[order], table.items[order], table.ratings[order], table.shape)
    second = descend(mixed, 4, kind=np.float32)
    np.testing.assert_array_equal(first.users, second.users)
    np.testing.assert_array_equal(first.items, second.items)


def test_libpmf_fills_the_users_row_by_row():
    start = first_factors(5, 3, "libpmf")
    assert start.shape == (3, 5)
    assert start[0, 0] == pytest.approx(0.0170828036, abs=1e-9)  # a tenth of drand48's first
    assert start.T.ravel().tolist() == (0.1 * drand48(0, 15)).tolist()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 1025])
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 1])
def test_drand48_follows_the_recurrence_of_posix(seed, count):
    x, numbers = (seed << 16) + 0x330E, []
    for _ in range(count):
        x = (0x5DEECE66D * x + 0xB) % 2**48
        numbers.append(x / 2**48)
    assert drand48(seed, count).tolist() == numbers


def test_factors_describe_the_ratings_they_were_made_from():
    table = random_table(9, (30, 25), empty_item=3)
    factors = factorize(table, rank=3, regularization=0.2, cache=False)
    assert (factors.rank, factors.regularization, factors.name) == (3, 0.2, "small")
    np.testing.assert_array_equal(factors.user_counts, table.user_counts)
    np.testing.assert_array_equal(factors.item_counts, table.item_counts)
    np.testing.assert_array_equal(factors.item_ids, table.item_ids)


def test_warns_when_factors_become_zero():
    table = random_table(10, (30, 25))
    with pytest.warns(RuntimeWarning, match=r"only 1 of 4 factors are in use.*lower regulariz"):
        factors = factorize(table, rank=4, regularization=2.0, outer=20, cache=False)
    assert factors.effective_rank == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert factorize(table, rank=4, regularization=0.05, cache=False).effective_rank == 4


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rank": 0}, "rank must be >= 1, got 0"),
        ({"regularization": 0.0}, "regularization must be > 0, got 0.0"),
        ({"init": "zeros"}, "init must be one of 'libpmf'; got 'zeros'"),
    ],
)
def test_refuses_wrong_arguments(wrong, words):
    with pytest.raises(ValueError, match=words):
        factorize(random_table(0), **wrong, cache=False)


def test_a_path_is_refused_with_the_function_that_reads_it():
    with pytest.raises(TypeError, match=r"must be a RatingTable, use read_ratings.* got 'ml-100k'"):
        factorize("ml-100k")


def test_progress_bar_is_shown_only_on_request(capsys):
    table = random_table(0, (30, 25))
    factorize(table, rank=2, cache=False)
    assert capsys.readouterr() == ("", "")
    factorize(table, rank=2, cache=False, progress=True)
    assert "factorizing" in capsys.readouterr().err


def test_half_stars_count_as_half():
    whole = random_table(7)
    halves = RatingTable(
        whole.users, whole.items, whole.ratings, whole.user_ids, whole.item_ids, step=0.5
    )
    reals = table_of(whole.users, whole.items, whole.ratings * 0.5, whole.shape)
    np.testing.assert_array_equal(descend(halves).items, descend(reals).items)
