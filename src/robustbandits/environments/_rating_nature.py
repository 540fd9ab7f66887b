"""The nature of a bandit made of ratings: who is drawn, and what is dealt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robustbandits.environments.reward_map import Mapped, map_rewards
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Rounds, children
from robustbandits.kernels.linalg import Floats

if TYPE_CHECKING:
    from robustbandits.environments._rating_recipe import RatingRecipe
    from robustbandits.ratings.factors import Factors

#: With `draws="authors"` seeds number the paper's repetitions; it has ten.
MOST_REPETITIONS = 1000

Indices = np.ndarray[Any, np.dtype[np.intp]]


class RatingNature:
    """A bandit made of ratings, at work.

    Attributes
    ----------
    problem
        What policies are told.
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
        arms_seed, users_seed, noise_seed = children(seed, 3)
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
        self._fixed: Rounds | None = None

    def draw(self, count: int) -> Rounds:
        """Return the next rounds. Of fixed arms only the noise is new; the rest is one array."""
        noise = self.recipe.noise * self._noise_rng.standard_normal(count)
        if self.recipe.contexts == "fresh":
            return self._deal(self._pick(count), noise)
        if self._fixed is None or len(self._fixed.best) < count:
            arms = np.arange(self.recipe.arms)
            self._fixed = self._deal(np.broadcast_to(arms, (count, len(arms))), noise)
        contexts, means, best, _ = (array[:count] for array in self._fixed)
        return Rounds(contexts=contexts, means=means, best=best, noise=noise)

    def _deal(self, picks: Indices, noise: Floats) -> Rounds:
        """Make rounds of the items picked, (rounds, arms)."""
        contexts = np.ascontiguousarray(self.mapped.contexts[picks].transpose(0, 2, 1))
        means = np.ascontiguousarray(self.mapped.means[picks])
        return Rounds(contexts=contexts, means=means, best=means.max(axis=1), noise=noise)

    def _pick(self, count: int) -> Indices:
        """Draw the arms of each round."""
        arms, size = self.recipe.arms, len(self.items)
        if self.recipe.replace:
            return _below(self._arms_rng.random((count, arms)), size)
        luck = self._arms_rng.random((count, 2 * arms))
        return distinct(luck[:, :arms], luck[:, arms:], size)


def distinct(luck: Floats, order: Floats, size: int) -> Indices:
    """Turn numbers in [0, 1), one row a round, into different items below ``size``.

    Floyd's way to draw a set, on all rows at once; ``order`` then shuffles each row.
    """
    rows, arms = luck.shape
    picks: Indices = np.empty((rows, arms), dtype=np.intp)
    for j in range(arms):
        last = size - arms + j
        wanted = _below(luck[:, j], last + 1)
        taken = (picks[:, :j] == wanted[:, None]).any(axis=1)
        picks[:, j] = np.where(taken, last, wanted)
    return np.take_along_axis(picks, order.argsort(axis=1, kind="stable"), axis=1)


def _below(luck: Floats, size: int) -> Indices:
    # A number just below 1 may round up to `size`.
    return np.minimum((luck * size).astype(np.intp), size - 1)


def _eligible(recipe: RatingRecipe, factors: Factors) -> tuple[Indices, Indices]:
    """Items with enough ratings, and users with any."""
    items = np.flatnonzero(factors.item_counts >= recipe.fewest_ratings)
    if len(items) < recipe.arms:
        raise ValueError(
            f"arms must be at most {len(items)}, the number of items with at least "
            f"{recipe.fewest_ratings} ratings; got {recipe.arms}: ask for fewer arms, or lower "
            f"min_ratings"
        )
    users = np.flatnonzero(factors.users.any(axis=1))
    if len(users) < recipe.users:
        raise ValueError(
            f"users must be at most {len(users)}, the number of users with ratings; "
            f"got {recipe.users}: ask for fewer users"
        )
    return items, users


def _authors_draws(
    recipe: RatingRecipe, items: Indices, users: Indices, seed: np.random.SeedSequence
) -> tuple[Indices, Indices]:
    """Arms and users of one of the paper's repetitions, by its code's own calls."""
    repetition = seed.entropy
    if not isinstance(repetition, int) or repetition >= MOST_REPETITIONS:
        raise ValueError(
            f"draws='authors' takes the seed for the number of the paper's repetition, below "
            f"{MOST_REPETITIONS}; got {repetition!r}"
        )
    arms = np.random.RandomState(repetition + 1).choice(
        len(items), recipe.arms, replace=recipe.replace
    )
    public = np.random.RandomState(0)
    for _ in range(repetition + 1):
        crowd = public.choice(len(users), recipe.users, replace=False)
    return items[arms], users[crowd]
