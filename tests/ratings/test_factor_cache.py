"""Factors of the same ratings and parameters are computed once."""

import importlib

import numpy as np
import pytest

from ratings.factor_twins import random_table, table_of
from robustbandits.compiled.fallback import PerformanceWarning
from robustbandits.ratings import factor_cache
from robustbandits.ratings._ccd import Descent
from robustbandits.ratings.factorize import factorize
from robustbandits.ratings.factors import Factors


@pytest.fixture
def computed(monkeypatch, tmp_path):
    """Use an empty cache; return a list that grows with each factorization."""
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path))
    module = importlib.import_module("robustbandits.ratings.factorize")  # not the function
    tables = []

    def counted(table, *arguments):
        tables.append(table)
        return Descent(table, *arguments)

    monkeypatch.setattr(module, "Descent", counted)
    return tables


TABLE = random_table(0, (30, 25))


def test_second_call_computes_nothing(computed):
    first, second = factorize(TABLE, rank=3), factorize(TABLE, rank=3)
    assert len(computed) == 1
    assert first.fingerprint == second.fingerprint
    np.testing.assert_array_equal(first.users, second.users)


@pytest.mark.parametrize(
    "other",
    [{"rank": 2}, {"regularization": 0.2}, {"outer": 4}, {"inner": 4}, {"init": 0}, {"init": 1}],
)
def test_other_parameters_give_other_factors(computed, other):
    parameters = {"rank": 3, "regularization": 0.1, "outer": 5, "inner": 5, "init": "libpmf"}
    factorize(TABLE, **parameters)
    factorize(TABLE, **(parameters | other))
    assert len(computed) == 2


def test_other_ratings_and_names_give_other_factors(computed):
    factorize(TABLE, rank=3)
    ratings = TABLE.ratings.copy()
    ratings[7] = 6 - ratings[7] if ratings[7] != 3 else 1
    factorize(table_of(TABLE.users, TABLE.items, ratings, TABLE.shape), rank=3)
    assert len(computed) == 2
    named = table_of(TABLE.users, TABLE.items, TABLE.ratings, TABLE.shape, name="other")
    assert factorize(named, rank=3).name == "other"
    assert len(computed) == 3


def test_number_of_workers_does_not_matter(computed):
    factorize(TABLE, rank=3, workers=1)
    factorize(TABLE, rank=3, workers=2)
    assert len(computed) == 1


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_damaged_file_is_replaced(computed, damage):
    first = factorize(TABLE, rank=3)
    (file,) = factor_cache.cache_folder().iterdir()
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    file.write_bytes(flipped if damage is None else damage)
    with pytest.warns(PerformanceWarning, match="factors are computed again"):
        again = factorize(TABLE, rank=3)
    assert len(computed) == 2
    assert again.fingerprint == first.fingerprint
    assert Factors.load(file).fingerprint == first.fingerprint
    factorize(TABLE, rank=3)
    assert len(computed) == 2


def test_without_cache_nothing_is_kept(computed):
    factorize(TABLE, rank=3, cache=False)
    assert not factor_cache.cache_folder().exists()


def test_cache_that_cannot_be_written_gives_one_warning(computed, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "file"))
    with pytest.warns(PerformanceWarning, match="set ROBUSTBANDITS_CACHE") as caught:
        ranks = [factorize(TABLE, rank=rank).rank for rank in (3, 2)]
    assert ranks == [3, 2]
    assert len(caught) == 1


def test_factors_from_the_cache_warn_about_zero_factors_too(computed):
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="factors are in use"):
            factorize(TABLE, rank=4, regularization=2.0, outer=20)
    assert len(computed) == 1


def test_only_the_newest_files_are_kept(computed, monkeypatch):
    monkeypatch.setattr(factor_cache, "KEPT_FILES", 2)
    for seed in range(4):
        factorize(TABLE, rank=2, init=seed)
    assert len(list(factor_cache.cache_folder().iterdir())) == 2
