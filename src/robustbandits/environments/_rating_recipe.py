"""An environment built from factorized ratings: items are arms, and the average user is theta."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from robustbandits.environments.description import Description, describe_arms
from robustbandits.environments.reward_map import REWARD_MAPS, Mapped, map_rewards
from robustbandits.game import require
from robustbandits.game.match import NATURE, stream
from robustbandits.game.parameters import CheckedRecipe, Count, Flag, NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Rounds, child_seeds, make_rounds, repeat_round
from robustbandits.kernels.linalg import Floats
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.synthetic import STAND_IN

#: With `draws="authors"` the seed is the number of a repetition. The paper has ten, and its code
#: could draw more; seeds must be below this.
MOST_REPETITIONS = 1000

Indices = np.ndarray[Any, np.dtype[np.intp]]
Arms = Annotated[int, functools.partial(require.count, low=2)]
RewardMap = Annotated[str, functools.partial(require.one_of, choices=REWARD_MAPS)]


@dataclass(frozen=True, kw_only=True)
class RatingRecipe(CheckedRecipe):
    """An environment built from a factorized matrix of ratings.

    The features of an item are its context. Theta is the mean of some users' features, so the mean
    reward of an item is their average predicted rating, mapped to [0, 1].

    Parameters
    ----------
    arms
        Number of items to choose from, drawn for each seed.
    users
        Number of users, drawn without replacement; the mean of their features is theta.
    noise
        Standard deviation of the Gaussian noise of rewards.
    contexts
        ``"fixed"``: arms are drawn once for each game, as in a catalogue. ``"fresh"``: in every
        round.
    reward_map
        ``"shift-features"`` (linear, fills [0, 1]), ``"scale"`` or ``"affine+intercept"`` (linear),
        or ``"affine"``, as the paper says, which is misspecified. See
        :func:`~robustbandits.environments.reward_map.map_rewards`. Its constants are taken over
        the arms when they are fixed, over all items that may be drawn when they are not.
    min_ratings
        Items with fewer ratings are never arms. None: twice as many as there are factors, because
        the features of an item with fewer ratings are mostly chance; less if that would leave fewer
        than ``2 * arms`` items, and 1 with ``draws="authors"``. (The paper's "more
        than 10,000" is 10,001.)
    replace
        Whether an item may be drawn twice, as in the authors' code.
    draws
        ``"own"``: from our random streams. ``"authors"``: the arms and users of the paper's
        repetition ``seed`` (0 to 9), drawn as its code draws them; noise is from our streams.
    theta_bound
        Bound on theta's length that policies are told; None for the true length. (The authors' code
        always uses 1.)
    """

    arms: Arms = 20
    users: Count = 100
    noise: NonNegative = 0.1
    contexts: Literal["fixed", "fresh"] = "fixed"
    reward_map: RewardMap = "shift-features"
    min_ratings: Count | None = None
    replace: Flag = False
    draws: Literal["own", "authors"] = "own"
    theta_bound: Positive | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.draws == "authors" and self.contexts == "fresh":
            raise ValueError("draws='authors' needs contexts='fixed': the paper's arms are fixed")

    def load_factors(self) -> Factors:
        """Return the factors, which are loaded or computed when first needed."""
        raise NotImplementedError

    @property
    def stand_in(self) -> bool:
        """Whether synthetic data replace real data."""
        return False

    def fewest_ratings(self, factors: Factors) -> int:
        """Return the smallest number of ratings of an arm."""
        if self.min_ratings is not None:
            return self.min_ratings
        if self.draws == "authors":
            return 1
        most_rated = np.sort(factors.item_counts)[::-1][: 2 * self.arms]
        return int(max(1, min(2 * factors.rank, most_rated[-1])))

    def titles(self) -> dict[Any, str]:
        """Return the titles of items by id, where they are known."""
        return {}

    def describe(self, seed: int = 0) -> Description:
        """Return the arms of a seed: ids, titles, mean rewards, gaps, and the noise.

        With fresh contexts, they are all items that may be drawn.
        """
        factors = self.load_factors()
        nature = RatingNature(self, factors, 1, stream(seed, NATURE))
        ids = factors.item_ids[nature.items].tolist()
        titles = self.titles()
        return describe_arms(
            f"{self.label}, seed {seed}",
            nature.mapped.means,
            self.noise,
            ids=ids,
            titles=[titles.get(item, str(item)) for item in ids],
            counts=factors.item_counts[nature.items].tolist(),
            scale=nature.mapped.scale,
        )

    def reward_scale(self, seed: int = 0) -> float:
        """Return what a reward of 1 is worth in ratings, for the arms of a seed."""
        return RatingNature(self, self.load_factors(), 1, stream(seed, NATURE)).mapped.scale

    @property
    def fingerprint(self) -> str:
        """Hash of the factors, which the other parameters do not determine."""
        return self.load_factors().fingerprint

    @property
    def name(self) -> str:
        """Name for tables and figures; says whether the data are synthetic."""
        return super().name + (STAND_IN if self.stand_in else "")

    @property
    def label(self) -> str:
        """Name with all parameters that are not defaults; says whether the data are synthetic."""
        label = super().label.replace(STAND_IN, "")
        return label + STAND_IN if self.stand_in else label

    def start(self, rounds: int, seed: np.random.SeedSequence) -> RatingNature:
        """Return the nature of one match."""
        return RatingNature(self, self.load_factors(), rounds, seed)


class RatingNature:
    """The nature of an environment built from ratings: draws the arms, theta and the rounds.

    Attributes
    ----------
    problem
        What policies know in advance.
    items
        Rows of the factors that may be arms: with fixed contexts, the arms in order.
    mapped
        Contexts, means and true bounds of these items.
    """

    def __init__(
        self, recipe: RatingRecipe, factors: Factors, rounds: int, seed: np.random.SeedSequence
    ):
        self.recipe = recipe
        # Separate streams, so that no draw depends on how rounds are cut into blocks.
        arms_seed, users_seed, noise_seed = child_seeds(seed, 3)
        self._arms_rng = np.random.default_rng(arms_seed)
        self._noise_rng = np.random.default_rng(noise_seed)
        items, users = _eligible(recipe, factors)
        if recipe.draws == "authors":
            items, users = _authors_draws(recipe, items, users, seed)
        else:
            if recipe.contexts == "fixed":
                items = self._arms_rng.choice(items, recipe.arms, replace=recipe.replace)
            users = np.random.default_rng(users_seed).choice(users, recipe.users, replace=False)
        self.items = items
        theta = factors.users[users].mean(axis=0)
        self.mapped: Mapped = map_rewards(recipe.reward_map, factors.items[items], theta)
        self.problem = Problem(
            arms=recipe.arms,
            dim=self.mapped.contexts.shape[1],
            rounds=rounds,
            noise=recipe.noise,
            context_bound=self.mapped.context_bound,
            theta_bound=recipe.theta_bound or self.mapped.theta_bound,
            intercept=self.mapped.intercept,
            fixed_arms=recipe.contexts == "fixed",
        )
        if recipe.contexts == "fixed":
            self._catalogue = self._rounds(np.arange(recipe.arms)[np.newaxis], np.zeros(1))

    def draw(self, count: int) -> Rounds:
        """Return the next rounds. If arms are fixed, only the noise is new."""
        noise = self.recipe.noise * self._noise_rng.standard_normal(count)
        if self.recipe.contexts == "fresh":
            return self._rounds(self._draw_arms(count), noise)
        return repeat_round(self._catalogue.contexts[0], self._catalogue.means[0], noise)

    def _rounds(self, arms: Indices, noise: Floats) -> Rounds:
        """Return rounds with these items as arms, (rounds, arms)."""
        contexts = np.ascontiguousarray(self.mapped.contexts[arms].transpose(0, 2, 1))
        return make_rounds(contexts, np.ascontiguousarray(self.mapped.means[arms]), noise)

    def _draw_arms(self, count: int) -> Indices:
        """Draw the arms of each round."""
        arms, size = self.recipe.arms, len(self.items)
        if self.recipe.replace:
            return _whole_numbers(self._arms_rng.random((count, arms)), size)
        uniform = self._arms_rng.random((count, 2 * arms))
        return draw_distinct(uniform[:, :arms], uniform[:, arms:], size)


def draw_distinct(uniform: Floats, order: Floats, size: int) -> Indices:
    """Turn numbers in [0, 1), one row for each round, into different items below ``size``.

    Floyd's algorithm draws a set, for all rows at once; ``order`` then shuffles each row.
    """
    rows, arms = uniform.shape
    drawn: Indices = np.empty((rows, arms), dtype=np.intp)
    for j in range(arms):
        last = size - arms + j
        item = _whole_numbers(uniform[:, j], last + 1)
        taken = (drawn[:, :j] == item[:, None]).any(axis=1)
        drawn[:, j] = np.where(taken, last, item)
    return np.take_along_axis(drawn, order.argsort(axis=1, kind="stable"), axis=1)


def _whole_numbers(uniform: Floats, size: int) -> Indices:
    """Turn numbers in [0, 1) into whole numbers below ``size``."""
    # For a number just below 1, the product may be rounded up to `size`.
    return np.minimum((uniform * size).astype(np.intp), size - 1)


def _eligible(recipe: RatingRecipe, factors: Factors) -> tuple[Indices, Indices]:
    """Return the items with enough ratings, and the users with any."""
    fewest = recipe.fewest_ratings(factors)
    items = np.flatnonzero(factors.item_counts >= fewest)
    if len(items) < recipe.arms:
        raise ValueError(
            f"arms must be at most {len(items)}, the number of items with at least "
            f"{fewest} ratings; got {recipe.arms}: use fewer arms, or lower "
            f"min_ratings"
        )
    users = np.flatnonzero(factors.users.any(axis=1))
    if len(users) < recipe.users:
        raise ValueError(
            f"users must be at most {len(users)}, the number of users with ratings; "
            f"got {recipe.users}: use fewer users"
        )
    return items, users


def _authors_draws(
    recipe: RatingRecipe, items: Indices, users: Indices, seed: np.random.SeedSequence
) -> tuple[Indices, Indices]:
    """Return the arms and users of one of the paper's repetitions, drawn as its code draws them."""
    repetition = seed.entropy
    if not isinstance(repetition, int) or repetition >= MOST_REPETITIONS:
        raise ValueError(
            f"with draws='authors' the seed must be the number of the paper's repetition, below "
            f"{MOST_REPETITIONS}; got {repetition!r}"
        )
    arms = np.random.RandomState(repetition + 1).choice(
        len(items), recipe.arms, replace=recipe.replace
    )
    users_rng = np.random.RandomState(0)
    for _ in range(repetition + 1):  # the code drew all repetitions from one stream
        drawn = users_rng.choice(len(users), recipe.users, replace=False)
    return items[arms], users[drawn]
