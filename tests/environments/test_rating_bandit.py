"""Ratings as a bandit: drawn users and arms, rounds, and what policies are told."""

import dataclasses
import json
import math

import numpy as np
import pytest

from property.laws import same_bits
from ratings.little_factors import little_factors
from robustbandits.checks import check_environment
from robustbandits.environments._rating_files import KEPT_FACTORS, load_once
from robustbandits.environments._rating_recipe import draw_distinct
from robustbandits.environments.rating_bandit import Ratings
from robustbandits.environments.reward_map import LINEAR_MAPS, REWARD_MAPS, map_rewards
from robustbandits.game.match import NATURE, stream
from robustbandits.ratings.synthetic import STAND_IN
from robustbandits.ratings.table import RatingTable

FACTORS = little_factors()
EACH_MAP = pytest.mark.parametrize("reward_map", REWARD_MAPS)
EACH_KIND = pytest.mark.parametrize("contexts", ["fixed", "fresh"])
REPLACE = pytest.mark.parametrize("replace", [False, True])


def small(**changes) -> Ratings:
    return Ratings(**{"factors": FACTORS, "arms": 6, "users": 10, **changes})


def nature_of(environment: Ratings, rounds: int = 200, seed: int = 0):
    return environment.start(rounds, stream(seed, NATURE))


@EACH_MAP
@EACH_KIND
@REPLACE
def test_every_bandit_made_of_ratings_keeps_the_contract(reward_map, contexts, replace, tmp_path):
    path = tmp_path / "factors.npz"
    FACTORS.save(path)
    recipe = small(factors=path, reward_map=reward_map, contexts=contexts, replace=replace)
    check_environment(recipe)
    means = nature_of(recipe).draw(200).means
    assert 0.0 <= means.min() < means.max() <= 1.0


@pytest.mark.parametrize("reward_map", LINEAR_MAPS)
@EACH_KIND
def test_means_are_linear_in_contexts(reward_map, contexts):
    nature = nature_of(small(reward_map=reward_map, contexts=contexts))
    block = nature.draw(200)
    products = np.einsum("tda,d->ta", block.contexts, nature.mapped.theta)
    np.testing.assert_allclose(products, block.means, rtol=0, atol=1e-13)
    assert np.linalg.norm(nature.mapped.theta) <= nature.problem.theta_bound * (1 + 1e-12)


@EACH_MAP
def test_policies_are_told_the_true_bounds_of_fixed_arms(reward_map):
    nature = nature_of(small(reward_map=reward_map))
    longest = np.sqrt((nature.draw(1).contexts ** 2).sum(axis=1)).max()
    assert nature.problem.context_bound == pytest.approx(longest, rel=1e-14)
    assert nature.problem.theta_bound == pytest.approx(np.linalg.norm(nature.mapped.theta))
    assert nature.problem.noise == 0.1
    assert nature.problem.rounds == 200
    assert nature.problem.intercept == (reward_map == "affine+intercept")
    assert nature_of(small(theta_bound=1.0)).problem.theta_bound == 1.0


def test_fresh_arms_are_mapped_with_constants_of_the_whole_catalogue():
    nature = nature_of(small(contexts="fresh", min_ratings=11))
    raw = FACTORS.items[nature.items]
    assert len(raw) == 30
    theta = nature.mapped.theta
    span = np.ptp(raw @ theta)  # theta is divided by the span of ratings: the span is then 1
    assert span == pytest.approx(1.0)
    block = nature.draw(500)
    # The worst and the best item of the catalogue do come up, and hardly ever together.
    assert block.means.min() == 0.0
    assert block.means.max() == 1.0
    assert np.median(block.best) < 1.0


def test_theta_is_the_mean_of_some_users():
    everybody = nature_of(small(users=60, reward_map="scale"))
    theta = FACTORS.users.mean(axis=0)
    np.testing.assert_allclose(everybody.mapped.theta, theta / np.linalg.norm(theta), rtol=1e-12)
    single = nature_of(small(users=1, reward_map="scale")).mapped.theta
    directions = FACTORS.users / np.linalg.norm(FACTORS.users, axis=1, keepdims=True)
    assert np.isclose(directions, single).all(axis=1).sum() == 1


def test_arms_have_enough_ratings():
    for seed in range(20):
        items = nature_of(small(min_ratings=30), seed=seed).items
        assert (FACTORS.item_counts[items] >= 30).all()
    items = nature_of(small(arms=11, min_ratings=30)).items  # exactly enough
    assert sorted(items) == list(range(29, 40))


def test_arms_differ_unless_drawn_with_replacement():
    assert all(len(set(nature_of(small(arms=39), seed=s).items)) == 39 for s in range(5))
    twice = [len(set(nature_of(small(arms=39, replace=True), seed=s).items)) for s in range(5)]
    assert max(twice) < 39


def test_fresh_arms_of_a_round_differ_unless_drawn_with_replacement():
    for replace in (False, True):
        block = nature_of(small(arms=20, contexts="fresh", replace=replace)).draw(200)
        different = [len(np.unique(row)) for row in block.contexts[:, 0, :]]
        assert (min(different) == 20) is (not replace)


def test_fresh_arms_are_uniform_in_every_position():
    rng = np.random.default_rng(0)
    uniform = rng.random((40_000, 6))
    picks = draw_distinct(uniform[:, :3], uniform[:, 3:], 5)
    counts = np.stack([np.bincount(picks[:, j], minlength=5) for j in range(3)])
    # Each count is binomial(40000, 1/5): 7 standard deviations.
    assert np.abs(counts - 8000).max() < 7 * math.sqrt(40_000 * 0.2 * 0.8)
    assert {tuple(sorted(row)) for row in picks} == {
        (a, b, c) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5)
    }


def test_arms_users_and_noise_have_streams_of_their_own():
    base, other_users = nature_of(small()), nature_of(small(users=11))
    assert same_bits(base.items, other_users.items)
    assert same_bits(base.draw(9).noise, other_users.draw(9).noise)
    more_arms = nature_of(small(arms=7, reward_map="scale"))
    assert same_bits(more_arms.mapped.theta, nature_of(small(reward_map="scale")).mapped.theta)


def test_fixed_arms_stay_and_noise_goes_on():
    nature = nature_of(small())
    first, second, third = nature.draw(5), nature.draw(5), nature.draw(50)
    assert (third.contexts == first.contexts[0]).all()
    assert same_bits(first.means, second.means)
    assert not np.isin(second.noise, first.noise).any()
    assert len(third.noise) == len(third.best) == 50


def test_authors_draws_are_those_of_their_random_calls():
    for repetition in (0, 1, 9):
        nature = nature_of(small(draws="authors", replace=True), seed=repetition)
        arms = np.random.RandomState(repetition + 1).choice(40, 6)
        assert nature.items.tolist() == arms.tolist()
        rng = np.random.RandomState(0)
        users = [rng.choice(60, 10, replace=False) for _ in range(10)]
        theta = FACTORS.users[users[repetition]].mean(axis=0)
        expected = map_rewards("shift-features", FACTORS.items[arms], theta)
        assert same_bits(nature.mapped.means, expected.means)


def test_authors_draws_need_a_small_seed_and_fixed_arms():
    with pytest.raises(ValueError, match="number of the paper's repetition"):
        nature_of(small(draws="authors"), seed=10**6)
    with pytest.raises(ValueError, match="draws='authors' needs contexts='fixed'"):
        small(draws="authors", contexts="fresh")


def test_too_few_rated_items_or_users_are_an_error_with_the_remedy():
    message = r"arms must be at most 11, .* at least 30 ratings; got 12"
    with pytest.raises(ValueError, match=message):
        nature_of(small(arms=12, min_ratings=30))
    with pytest.raises(ValueError, match="users must be at most 60"):
        nature_of(small(users=61))


def test_users_without_ratings_are_never_drawn():
    users = FACTORS.users.copy()
    users[:55] = 0.0
    few = dataclasses.replace(FACTORS, users=users)
    theta = nature_of(small(factors=few, users=5, reward_map="scale")).mapped.theta
    full = users[55:].mean(axis=0)
    np.testing.assert_allclose(theta, full / np.linalg.norm(full), rtol=1e-12)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("arms", 1),
        ("reward_map", "shift"),
        ("regularization", 0.0),
        ("factors", 3),
        ("factors", ""),
    ],
)
def test_bad_parameter_is_refused_by_name(argument, value):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be .*{value}"):
        small(**{argument: value})


def test_exactly_one_of_factors_and_path_is_needed():
    with pytest.raises(ValueError, match=r"needs either factors=.* or path="):
        Ratings()
    with pytest.raises(ValueError, match=r"needs either factors=.* or path="):
        small(path="ratings.csv")
    with pytest.raises(ValueError, match="must all be column names"):
        Ratings(path="ratings.csv", user="user")


def test_table_in_the_place_of_factors_is_refused():
    table = RatingTable(*np.zeros((3, 1), int), np.arange(1), np.arange(1))
    with pytest.raises(TypeError, match=r"as factorize\(table\) returns; got RatingTable"):
        Ratings(factors=table)


def test_recipes_are_equal_by_the_contents_of_their_factors():
    assert small() == small(factors=little_factors())
    assert hash(small()) == hash(small(factors=little_factors()))
    assert small() != small(factors=little_factors(seed=1))
    assert small() != small(arms=7)
    assert small() != "Ratings"


def test_only_factors_in_a_file_can_be_written_as_json(tmp_path):
    with pytest.raises(ValueError, match=r"save them, factors.save\('mine.npz'\)"):
        small().to_dict()
    path = tmp_path / "mine.npz"
    FACTORS.save(path)
    saved = small(factors=path)
    again = Ratings.from_dict(json.loads(json.dumps(saved.to_dict())))
    assert again == saved
    assert again.fingerprint == small().fingerprint == FACTORS.fingerprint
    assert same_bits(nature_of(again).draw(9).means, nature_of(small()).draw(9).means)


def test_changed_file_of_factors_is_loaded_again(tmp_path):
    path = tmp_path / "mine.npz"
    FACTORS.save(path)
    recipe = small(factors=path)
    before = recipe.fingerprint
    little_factors(items=41).save(path)
    assert recipe.fingerprint != before


def test_labels_name_the_data_of_the_factors():
    assert small().label == "Ratings(arms=6, users=10, factors='little')"
    assert small().name == "Ratings"
    assert not small().stand_in


def test_labels_mark_synthetic_factors_from_memory_and_from_a_file(tmp_path):
    fake = little_factors(name="netflix-synthetic")
    fake.save(tmp_path / "real.npz")
    for recipe in (small(factors=fake), small(factors=tmp_path / "real.npz")):
        assert recipe.stand_in
        assert recipe.name.endswith(STAND_IN)
        assert recipe.label.endswith(STAND_IN)
        assert recipe.label.count(STAND_IN) == 1


def test_factors_are_loaded_once_and_the_oldest_are_dropped_from_memory():
    loaded = []

    def load(key):
        loaded.append(key)
        return key

    keys = [("test", n) for n in range(KEPT_FACTORS + 2)]
    for key in (*keys, keys[-1], keys[0]):
        assert load_once(key, lambda key=key: load(key)) == key
    assert loaded == [*keys, keys[0]]


def write_csv(path, rows=None):
    rng = np.random.default_rng(0)
    lines = ["who,when,what,stars"]
    for user in range(30):
        for item in rng.choice(15, 8, replace=False):
            lines.append(f"ann{user},2020,sku-{item},{rng.integers(1, 11) / 2}")
    path.write_text("\n".join(lines + (rows or [])) + "\n", encoding="utf-8")


def from_csv(path, **changes) -> Ratings:
    columns = {"user": "who", "item": "what", "rating": "stars"}
    parameters = {"arms": 5, "users": 10, "rank": 2, **changes}
    return Ratings.from_csv(path, **columns, **parameters)


def test_bandit_made_of_a_csv_file(tmp_path):
    write_csv(tmp_path / "shop.csv")
    shop = from_csv(tmp_path / "shop.csv")
    check_environment(shop)
    nature = nature_of(shop)
    assert nature.problem.arms == 5
    assert nature.problem.dim == 2
    assert shop.load_factors() is shop.load_factors()
    assert len(shop.load_factors().items) == 15


def test_duplicates_are_refused_or_resolved(tmp_path):
    write_csv(tmp_path / "shop.csv", ["ann0,2021,sku-new,5", "ann0,2022,sku-new,1"])
    with pytest.raises(ValueError, match=r"twice|duplicate"):
        nature_of(from_csv(tmp_path / "shop.csv"))
    assert nature_of(from_csv(tmp_path / "shop.csv", duplicates="last")).problem.arms == 5


def test_file_in_a_known_format_needs_no_column_names(tmp_path):
    write_csv(tmp_path / "ratings.csv")
    text = (tmp_path / "ratings.csv").read_text(encoding="utf-8")
    text = text.replace("who,when,what,stars", "userId,time,movieId,rating")
    text = text.replace("ann", "").replace("sku-", "")
    (tmp_path / "ratings.csv").write_text(text, encoding="utf-8")
    recipe = Ratings(path=tmp_path / "ratings.csv", arms=5, users=10, rank=2)
    assert nature_of(recipe).problem.arms == 5
