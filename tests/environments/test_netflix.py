"""Netflix as a bandit: the user's copy, or a stand-in whose labels say so."""

import dataclasses
import json
import math

import numpy as np
import pytest

from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import Netflix
from robustbandits.experiments.labels import mark_stand_in
from robustbandits.game.match import NATURE, stream
from robustbandits.ratings.synthetic import STAND_IN
from shared_data import sample

NEEDS_JIT = pytest.mark.skipif(not jit_is_on, reason="factorizes 100,000 ratings")


@pytest.fixture(autouse=True)
def no_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("ROBUSTBANDITS_NETFLIX", raising=False)


def write_ratings(folder, movies=12, users=40):
    """Write a small copy in the original format."""
    rng = np.random.default_rng(0)
    (folder / "training_set").mkdir(parents=True)
    for movie in range(1, movies + 1):
        raters = rng.choice(users, 20, replace=False)
        lines = [f"{movie}:"] + [f"{6 + 3 * u},{rng.integers(1, 6)},2005-09-06" for u in raters]
        path = folder / "training_set" / f"mv_{movie:07}.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def small(**changes) -> Netflix:
    return Netflix(**{"arms": 5, "users": 10, "rank": 2, "min_ratings": 1, **changes})


def test_without_a_copy_one_message_offers_the_stand_in():
    with pytest.raises(FileNotFoundError) as caught:
        Netflix().start(10, stream(0, NATURE))
    message = str(caught.value)
    for word in ("ROBUSTBANDITS_NETFLIX", "path=", "data check", "Netflix.synthetic()"):
        assert word in message


def test_copy_is_found_by_path_or_variable(tmp_path, monkeypatch):
    write_ratings(tmp_path / "mine")
    by_path = small(path=tmp_path / "mine")
    monkeypatch.setenv("ROBUSTBANDITS_NETFLIX", str(tmp_path / "mine"))
    by_variable = small()
    assert by_path.fingerprint == by_variable.fingerprint
    assert by_path.start(10, stream(0, NATURE)).problem.dim == 2
    assert by_path.name == by_variable.name == "Netflix"


def test_real_or_synthetic_uses_a_copy_if_there_is_one(tmp_path, monkeypatch):
    assert Netflix.real_or_synthetic(arms=5).stand_in
    assert Netflix.real_or_synthetic(arms=5).arms == 5
    assert not Netflix.real_or_synthetic(path=tmp_path).stand_in
    write_ratings(tmp_path / "mine")
    monkeypatch.setenv("ROBUSTBANDITS_NETFLIX", str(tmp_path / "mine"))
    assert not Netflix.real_or_synthetic(arms=5).stand_in


def test_too_few_popular_movies_are_an_error(tmp_path):
    write_ratings(tmp_path)
    with pytest.raises(ValueError, match=r"arms must be at most 0, .* at least 10001 ratings"):
        small(path=tmp_path, min_ratings=10_001).start(10, stream(0, NATURE))


def test_labels_always_mark_the_stand_in():
    for recipe in (
        Netflix.synthetic(),
        Netflix.synthetic(arms=5, noise=0.2),
        dataclasses.replace(Netflix.synthetic(), scale=0.02),
        Netflix.from_dict(json.loads(json.dumps(Netflix.synthetic().to_dict()))),
        Netflix(source="synthetic"),
    ):
        assert recipe.stand_in
        assert recipe.name == "Netflix" + STAND_IN
        assert recipe.label.endswith(STAND_IN)
        assert mark_stand_in(recipe.label, recipe) == recipe.label
    assert Netflix().label == "Netflix"


@NEEDS_JIT
def test_fewest_ratings_are_scaled_with_the_users_of_the_stand_in():
    recipe = Netflix.synthetic(scale=0.001)
    factors = recipe.load_factors()
    fewest = recipe.fewest_ratings(factors)
    assert fewest == math.ceil(10_001 * math.sqrt(0.001))
    nature = recipe.start(10, stream(0, NATURE))
    assert (factors.item_counts[nature.items] >= fewest).all()
    # In the real data 2,042 of 17,770 movies have more than 10,000 ratings: 11 %.
    share = (factors.item_counts >= fewest).mean()
    assert 0.08 < share < 0.15
    assert Netflix().fewest_ratings(factors) == 10_001


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"source": "fake"}, "source must be .*fake"),
        ({"scale": 2.0}, "scale must be .*2.0"),
        ({"source": "synthetic", "path": "mine"}, "path must be None"),
    ],
)
def test_bad_parameter_is_refused_by_name(values, message):
    with pytest.raises(ValueError, match=message):
        Netflix(**values)


@pytest.mark.slow
@NEEDS_JIT
def test_real_sample_of_netflix_can_be_played():
    recipe = Netflix(path=sample("netflix/utd_subset/union_movie_user_rating.csv"), min_ratings=500)
    nature = recipe.start(10, stream(0, NATURE))
    assert nature.draw(10).means.max() == 1.0
    assert recipe.load_factors().train_rmse < 0.8
