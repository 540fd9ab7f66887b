"""Synthetic ratings have the sizes and long tails of Netflix, and no pair twice."""

import numpy as np
import pytest

from robustbandits.compiled.jit import jit_is_on
from robustbandits.ratings.factorize import factorize
from robustbandits.ratings.synthetic import item_counts, sizes, synthetic_ratings

SCALE = 0.001


@pytest.fixture(scope="module")
def table():
    return synthetic_ratings(SCALE)


def test_table_has_the_sizes_of_its_scale(table):
    assert sizes(1.0) == (480_189, 17_770, 100_480_507)
    users, items, ratings = sizes(SCALE)
    assert table.shape == (users, items)
    assert len(table) == ratings
    assert table.name == "netflix-synthetic"


def test_every_user_and_item_has_ratings_of_one_to_five_stars_and_no_pair_occurs_twice(table):
    cells = table.users.astype(np.int64) * table.shape[1] + table.items
    assert len(np.unique(cells)) == len(table)
    assert table.user_counts.min() >= 1
    assert table.item_counts.min() >= 3
    assert np.unique(table.ratings).tolist() == [1, 2, 3, 4, 5]
    assert 3.3 < table.ratings.mean() < 3.9


def test_counts_have_long_tails(table):
    items, users = table.item_counts, table.user_counts
    assert items.mean() > 4 * np.median(items)
    assert items.max() > 20 * items.mean()
    assert users.max() > 10 * users.mean()
    assert items.max() <= 0.485 * table.shape[0]


def test_equal_seeds_give_equal_tables_and_other_seeds_other_tables(table):
    assert synthetic_ratings(SCALE).fingerprint == table.fingerprint
    assert synthetic_ratings(SCALE, seed=1).fingerprint != table.fingerprint


@pytest.mark.skipif(not jit_is_on, reason="minutes without compiled code")
def test_factorization_recovers_the_rank(table):
    factors = factorize(table, regularization=0.05, cache=False)
    assert factors.effective_rank == 10
    assert factors.train_rmse < 0.6 * table.ratings.std()


@pytest.mark.parametrize("seed", range(2))
def test_full_size_counts_add_up(seed):
    users, items, ratings = sizes(1.0)
    counts = item_counts(np.random.default_rng(seed), users, items, ratings)
    assert counts.sum() == ratings
    assert counts.min() >= 3
    assert counts.max() <= 0.485 * users
    assert counts.mean() > 5 * np.median(counts)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scale": 1.5}, "scale must be above 0 and at most 1, got 1.5"),
        ({"scale": 1e-9}, "leaves too few ratings"),
        ({"rank": 1}, "rank must be >= 2, got 1"),
    ],
)
def test_refuses_wrong_arguments(wrong, words):
    with pytest.raises(ValueError, match=words):
        synthetic_ratings(**wrong)
