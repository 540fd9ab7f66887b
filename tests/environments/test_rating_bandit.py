"""Ratings as a bandit: who is drawn, what is dealt, what policies are told."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from property.laws import same_bits
from ratings.little_factors import little_factors
from robustbandits.checks import check_environment
from robustbandits.environments._rating_nature import distinct
from robustbandits.environments._rating_recipe import SHELF, STAND_IN, remembered
from robustbandits.environments.rating_bandit import Ratings
from robustbandits.environments.reward_map import LINEAR_MAPS, REWARD_MAPS, map_rewards
from robustbandits.game.match import NATURE, stream
from robustbandits.ratings import factor_cache
from robustbandits.ratings.table import RatingTable

FACTORS = little_factors()
EACH_MAP = pytest.mark.parametrize("reward_map", REWARD_MAPS)
EACH_KIND = pytest.mark.parametrize("contexts", ["fixed", "fresh"])
REPLACE = pytest.mark.parametrize("replace", [False, True])


def little(**changes) -> Ratings:
    return Ratings(**{"factors": FACTORS, "arms": 6, "users": 10, **changes})


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Keep what these tests factorise out of the user's cache."""
    monkeypatch.setattr(factor_cache, "cache_folder", lambda: tmp_path / "cache")


def nature_of(environment: Ratings, rounds: int = 200, seed: int = 0):
    return environment.start(rounds, stream(seed, NATURE))


# ------------------------------------------------------------------------------------ contract


@EACH_MAP
@EACH_KIND
@REPLACE
def test_every_bandit_of_ratings_keeps_the_contract(reward_map, contexts, replace, tmp_path):
    FACTORS.save(tmp_path / "factors.npz")
    check_environment(
        little(
            factors=tmp_path / "factors.npz",
            reward_map=reward_map,
            contexts=contexts,
            replace=replace,
        )
    )


# --------------------------------------------------------------------------------------- means


@pytest.mark.parametrize("reward_map", LINEAR_MAPS)
@EACH_KIND
def test_dealt_means_are_linear_in_dealt_contexts(reward_map, contexts):
    nature = nature_of(little(reward_map=reward_map, contexts=contexts))
    block = nature.draw(200)
    products = np.einsum("tda,d->ta", block.contexts, nature.mapped.theta)
    np.testing.assert_allclose(products, block.means, rtol=0, atol=1e-13)
    assert np.linalg.norm(nature.mapped.theta) <= nature.problem.theta_bound * (1 + 1e-12)


@EACH_KIND
def test_no_theta_explains_affine_means(contexts):
    block = nature_of(little(reward_map="affine", contexts=contexts)).draw(200)
    features = block.contexts.transpose(0, 2, 1).reshape(-1, 3)
    best = np.linalg.lstsq(features, block.means.ravel(), rcond=None)[0]
    assert np.abs(features @ best - block.means.ravel()).max() > 0.05


@EACH_MAP
@EACH_KIND
def test_means_lie_in_the_unit_interval(reward_map, contexts):
    block = nature_of(little(reward_map=reward_map, contexts=contexts)).draw(200)
    assert block.means.min() >= 0.0
    assert block.means.max() <= 1.0
    assert same_bits(block.best, block.means.max(axis=1))


@EACH_MAP
def test_policies_are_told_the_true_bounds_of_fixed_arms(reward_map):
    nature = nature_of(little(reward_map=reward_map))
    longest = np.sqrt((nature.draw(1).contexts ** 2).sum(axis=1)).max()
    assert nature.problem.context_bound == pytest.approx(longest, rel=1e-14)
    assert nature.problem.theta_bound == pytest.approx(np.linalg.norm(nature.mapped.theta))
    assert nature.problem.noise == 0.1
    assert nature.problem.rounds == 200
    assert nature.problem.intercept == (reward_map == "affine+intercept")


def test_fresh_arms_are_mapped_with_constants_of_the_whole_catalogue():
    nature = nature_of(little(contexts="fresh", min_ratings=11))
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
    everybody = nature_of(little(users=60, reward_map="scale"))
    theta = FACTORS.users.mean(axis=0)
    np.testing.assert_allclose(everybody.mapped.theta, theta / np.linalg.norm(theta), rtol=1e-12)
    one = nature_of(little(users=1, reward_map="scale")).mapped.theta
    directions = FACTORS.users / np.linalg.norm(FACTORS.users, axis=1, keepdims=True)
    assert np.isclose(directions, one).all(axis=1).sum() == 1


def test_a_told_bound_replaces_the_true_one():
    assert nature_of(little(theta_bound=1.0)).problem.theta_bound == 1.0


# --------------------------------------------------------------------------------------- draws


def test_arms_have_enough_ratings():
    for seed in range(20):
        items = nature_of(little(min_ratings=30), seed=seed).items
        assert (FACTORS.item_counts[items] >= 30).all()


def test_exactly_enough_items_are_all_drawn():
    items = nature_of(little(arms=11, min_ratings=30)).items
    assert sorted(items) == list(range(29, 40))


def test_arms_differ_unless_drawn_with_replacement():
    assert all(len(set(nature_of(little(arms=39), seed=s).items)) == 39 for s in range(5))
    twice = [len(set(nature_of(little(arms=39, replace=True), seed=s).items)) for s in range(5)]
    assert max(twice) < 39


def test_fresh_arms_of_a_round_differ_unless_drawn_with_replacement():
    for replace in (False, True):
        block = nature_of(little(arms=20, contexts="fresh", replace=replace)).draw(200)
        different = [len(np.unique(row)) for row in block.contexts[:, 0, :]]
        assert (min(different) == 20) is (not replace)


def test_fresh_arms_are_drawn_uniformly_in_every_place():
    rng = np.random.default_rng(0)
    luck = rng.random((40_000, 6))
    picks = distinct(luck[:, :3], luck[:, 3:], 5)
    counts = np.stack([np.bincount(picks[:, j], minlength=5) for j in range(3)])
    # Each count is binomial(40000, 1/5): 7 standard deviations.
    assert np.abs(counts - 8000).max() < 7 * math.sqrt(40_000 * 0.2 * 0.8)
    assert {tuple(sorted(row)) for row in picks} == {
        (a, b, c) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5)
    }


def test_luck_just_below_one_stays_inside():
    top = np.full((1, 3), np.nextafter(1.0, 0.0))
    assert sorted(distinct(top, top, 3)[0]) == [0, 1, 2]


def test_arms_users_and_noise_have_streams_of_their_own():
    base, other_users = nature_of(little()), nature_of(little(users=11))
    assert same_bits(base.items, other_users.items)
    assert same_bits(base.draw(9).noise, other_users.draw(9).noise)
    more_arms = nature_of(little(arms=7, reward_map="scale"))
    assert same_bits(more_arms.mapped.theta, nature_of(little(reward_map="scale")).mapped.theta)


def test_fixed_arms_stay_and_noise_goes_on():
    nature = nature_of(little())
    first, second, third = nature.draw(5), nature.draw(5), nature.draw(50)
    assert (third.contexts == first.contexts[0]).all()
    assert same_bits(first.means, second.means)
    assert not np.isin(second.noise, first.noise).any()
    assert len(third.noise) == len(third.best) == 50


def test_other_seeds_give_other_arms():
    drawn = {tuple(nature_of(little(), seed=seed).items) for seed in range(10)}
    assert len(drawn) == 10


def test_authors_draws_are_those_of_their_random_calls():
    for repetition in (0, 1, 9):
        nature = nature_of(little(draws="authors", replace=True), seed=repetition)
        arms = np.random.RandomState(repetition + 1).choice(40, 6)
        assert nature.items.tolist() == arms.tolist()
        public = np.random.RandomState(0)
        crowds = [public.choice(60, 10, replace=False) for _ in range(10)]
        theta = FACTORS.users[crowds[repetition]].mean(axis=0)
        expected = map_rewards("shift-features", FACTORS.items[arms], theta)
        assert same_bits(nature.mapped.means, expected.means)


def test_authors_draws_need_a_small_seed_and_fixed_arms():
    with pytest.raises(ValueError, match="number of the paper's repetition"):
        nature_of(little(draws="authors"), seed=10**6)
    with pytest.raises(ValueError, match="draws='authors' needs contexts='fixed'"):
        little(draws="authors", contexts="fresh")


# ----------------------------------------------------------------------------------- bad input


def test_fewer_rated_items_than_arms_is_said_with_the_remedy():
    with pytest.raises(
        ValueError, match=r"arms must be at most 11, .* at least 30 ratings; got 12"
    ):
        nature_of(little(arms=12, min_ratings=30))


def test_fewer_users_than_asked_for_is_said():
    with pytest.raises(ValueError, match="users must be at most 60"):
        nature_of(little(users=61))


def test_users_without_ratings_are_never_drawn():
    users = FACTORS.users.copy()
    users[:55] = 0.0
    poor = dataclasses.replace(FACTORS, users=users)
    theta = nature_of(little(factors=poor, users=5, reward_map="scale")).mapped.theta
    full = users[55:].mean(axis=0)
    np.testing.assert_allclose(theta, full / np.linalg.norm(full), rtol=1e-12)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("arms", 1),
        ("arms", 2.0),
        ("users", 0),
        ("noise", -0.1),
        ("noise", math.nan),
        ("contexts", "stale"),
        ("reward_map", "shift"),
        ("min_ratings", 0),
        ("replace", 1),
        ("draws", "mine"),
        ("theta_bound", 0.0),
        ("rank", 0),
        ("regularization", 0.0),
        ("outer", 0),
        ("duplicates", "maybe"),
        ("factors", 3),
        ("factors", ""),
    ],
)
def test_a_bad_parameter_is_refused_by_name(argument, value):
    with pytest.raises((ValueError, TypeError), match=f"{argument} must be .*{value}"):
        little(**{argument: value})


def test_either_factors_or_a_path():
    with pytest.raises(ValueError, match=r"needs either factors=.* or path="):
        Ratings()
    with pytest.raises(ValueError, match=r"needs either factors=.* or path="):
        little(path="ratings.csv")
    with pytest.raises(ValueError, match="must all be names of columns"):
        Ratings(path="ratings.csv", user="user")


# -------------------------------------------------------------------------------------- recipe


def test_ratings_are_not_factors():
    table = RatingTable(*np.zeros((3, 1), int), np.arange(1), np.arange(1))
    with pytest.raises(TypeError, match=r"factorize\(table\) makes them; got RatingTable"):
        Ratings(factors=table)


def test_recipes_are_equal_by_the_contents_of_their_factors():
    assert little() == little(factors=little_factors())
    assert hash(little()) == hash(little(factors=little_factors()))
    assert little() != little(factors=little_factors(seed=1))
    assert little() != little(arms=7)
    assert little() != "Ratings"


def test_factors_in_memory_cannot_be_written_down_but_their_file_can(tmp_path):
    with pytest.raises(ValueError, match=r"save them, factors.save\('mine.npz'\)"):
        little().to_dict()
    path = tmp_path / "mine.npz"
    FACTORS.save(path)
    saved = little(factors=path)
    again = Ratings.from_dict(json.loads(json.dumps(saved.to_dict())))
    assert again == saved
    assert again.fingerprint == little().fingerprint == FACTORS.fingerprint
    assert same_bits(nature_of(again).draw(9).means, nature_of(little()).draw(9).means)


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "mine.npz"
    FACTORS.save(path)
    recipe = little(factors=path)
    before = recipe.fingerprint
    little_factors(items=41).save(path)
    assert recipe.fingerprint != before


def test_labels_name_the_data_not_the_numbers():
    assert little().label == "Ratings(arms=6, users=10, factors='little')"
    assert little().name == "Ratings"
    assert not little().stand_in


def test_synthetic_factors_are_marked_wherever_they_come_from(tmp_path):
    fake = little_factors(name="netflix-synthetic")
    fake.save(tmp_path / "real.npz")
    for recipe in (little(factors=fake), little(factors=tmp_path / "real.npz")):
        assert recipe.stand_in
        assert recipe.name.endswith(STAND_IN)
        assert recipe.label.endswith(STAND_IN)
        assert recipe.label.count(STAND_IN) == 1


def test_what_is_remembered_is_made_once_and_the_oldest_is_forgotten():
    made = []

    def make(key):
        made.append(key)
        return key

    keys = [("test", n) for n in range(SHELF + 2)]
    for key in (*keys, keys[-1], keys[0]):
        assert remembered(key, lambda key=key: make(key)) == key
    assert made == [*keys, keys[0]]


# ----------------------------------------------------------------------------------------- csv


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


def test_a_bandit_from_a_csv_file_in_one_line(tmp_path):
    write_csv(tmp_path / "shop.csv")
    shop = from_csv(tmp_path / "shop.csv")
    check_environment(shop)
    nature = nature_of(shop)
    assert nature.problem.arms == 5
    assert nature.problem.dim == 2
    assert shop.load_factors() is shop.load_factors()
    assert len(shop.load_factors().items) == 15


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.csv"):
        nature_of(from_csv(tmp_path / "nowhere.csv"))


def test_duplicates_are_refused_or_settled(tmp_path):
    write_csv(tmp_path / "shop.csv", ["ann0,2021,sku-new,5", "ann0,2022,sku-new,1"])
    with pytest.raises(ValueError, match=r"twice|duplicate"):
        nature_of(from_csv(tmp_path / "shop.csv"))
    assert nature_of(from_csv(tmp_path / "shop.csv", duplicates="last")).problem.arms == 5


def test_a_plain_file_needs_no_names_of_columns(tmp_path):
    write_csv(tmp_path / "ratings.csv")
    text = (tmp_path / "ratings.csv").read_text(encoding="utf-8")
    text = text.replace("who,when,what,stars", "userId,time,movieId,rating")
    text = text.replace("ann", "").replace("sku-", "")
    (tmp_path / "ratings.csv").write_text(text, encoding="utf-8")
    recipe = Ratings(path=tmp_path / "ratings.csv", arms=5, users=10, rank=2)
    assert nature_of(recipe).problem.arms == 5
