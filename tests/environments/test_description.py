"""What an environment built from ratings tells people: arms, titles, gaps, and regret in stars."""

import numpy as np
import pytest

import robustbandits as rb
from ratings.little_factors import little_factors
from robustbandits.environments import MovieLens, Ratings, Simulation
from robustbandits.environments.reward_map import REWARD_MAPS, map_rewards
from robustbandits.experiments.plan import identity
from robustbandits.game.match import NATURE, stream
from robustbandits.ratings.factors import Factors
from shared_data import sample

FACTORS = little_factors()


def test_a_description_shows_the_arms_of_the_seed_best_first():
    bandit = Ratings(factors=FACTORS, arms=6, users=10)
    nature = bandit.start(10, stream(3, NATURE))
    description = bandit.describe(seed=3)
    means = [arm.mean for arm in description.arms]
    assert means == sorted(nature.mapped.means.tolist(), reverse=True)
    assert [arm.gap for arm in description.arms] == [means[0] - mean for mean in means]
    items = {FACTORS.item_ids[item].item() for item in nature.items}
    assert {arm.id for arm in description.arms} == items
    assert description.scale == bandit.reward_scale(3)
    text = str(description)
    assert "6 arms, noise 0.1" in text
    assert f"is worth {description.scale:.3g} in ratings" in text


def test_movies_are_shown_with_their_titles():
    path = sample("ml-latest-small")
    first = MovieLens(path=path, arms=5).describe().arms[0]
    assert first.title.endswith(")")  # the year
    assert not first.title.isdecimal()


def test_a_long_list_of_arms_is_shortened():
    lines = str(Simulation(arms=100).describe()).splitlines()
    assert len(lines) == 2 + 20 + 1 + 20
    assert "60 more" in lines[22]


@pytest.mark.parametrize("reward_map", REWARD_MAPS)
def test_the_scale_turns_differences_of_rewards_into_differences_of_ratings(reward_map):
    features, theta = np.abs(FACTORS.items[:8]) + 0.1, np.abs(FACTORS.users).mean(axis=0) + 0.1
    mapped = map_rewards(reward_map, features, theta)
    ratings = features @ theta
    np.testing.assert_allclose(
        np.diff(mapped.means) * mapped.scale, np.diff(ratings), rtol=0, atol=1e-12
    )


def test_results_show_regret_in_stars():
    bandit = Ratings(factors=FACTORS, arms=6, users=10)
    results = rb.compare(
        environments={"mine": bandit}, policies=[rb.policies.Greedy()], rounds=100, seeds=2
    )
    for game, in_stars in zip(results.ledgers, results.in_stars().ledgers, strict=True):
        np.testing.assert_allclose(in_stars.regret, game.regret * bandit.reward_scale(game.seed))
    other = rb.compare(
        environments=[Simulation()], policies=[rb.policies.Greedy()], rounds=10, seeds=1
    )
    with pytest.raises(ValueError, match="Simulation is not built from ratings"):
        other.in_stars()


def with_counts(counts):
    values = {name: getattr(FACTORS, name) for name in Factors.__dataclass_fields__}
    return Factors(**values | {"item_counts": np.resize(counts, len(FACTORS.items))})


def test_arms_have_twice_as_many_ratings_as_factors_if_there_are_enough_such_items():
    rank = FACTORS.rank
    half = with_counts([1, 2 * rank])
    assert Ratings(factors=half, arms=2, users=10).fewest_ratings(half) == 2 * rank
    scarce = with_counts([1, 2, 3, 4])
    assert Ratings(factors=scarce, arms=len(FACTORS.items) // 4).fewest_ratings(scarce) == 3
    assert Ratings(factors=scarce, min_ratings=2).fewest_ratings(scarce) == 2
    assert Ratings(factors=scarce, arms=1000).fewest_ratings(scarce) == 1


def test_movielens_100k_keeps_all_movies_as_in_the_paper_and_its_identity():
    assert MovieLens().min_ratings == 1
    assert MovieLens().label == "MovieLens"
    assert MovieLens() == MovieLens(min_ratings=1) == MovieLens.from_dict(MovieLens().to_dict())
    assert MovieLens().to_dict()["min_ratings"] == 1
    old_movies = MovieLens(path=sample("ml-100k"))
    assert old_movies.fewest_ratings(old_movies.load_factors()) == 1


def test_arms_of_other_editions_have_enough_ratings():
    bandit = MovieLens(path=sample("ml-latest-small"))
    assert min(arm.ratings for arm in bandit.describe().arms) >= 20


def test_a_data_set_is_found_by_its_name(monkeypatch):
    path = sample("ml-latest-small")
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS_LATEST_SMALL", str(path))
    named = MovieLens(path="movielens-latest-small")
    assert named.find() == path
    assert '"path":"movielens-latest-small"' in identity(named)


def test_a_recipe_without_on_error_keeps_its_identity():
    recipe = Ratings(path="x.csv", user="a", item="b", rating="c")
    assert "on_error" not in recipe.to_dict()
    assert Ratings(path="x.csv", on_error="skip").to_dict()["on_error"] == "skip"
