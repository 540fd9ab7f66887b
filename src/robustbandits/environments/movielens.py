"""MovieLens: an environment built from the MovieLens ratings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from robustbandits.environments._file_recipe import FileRecipe
from robustbandits.game.facts import EnvironmentFacts
from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.fetch import get_dataset

#: Default of ``min_ratings`` for MovieLens 100K, as in the paper.
MIN_RATINGS_100K = 1


@dataclass(frozen=True, kw_only=True)
class MovieLens(FileRecipe):
    """The MovieLens ratings: 20 movies to choose from, for the average of 100 users.

    Parameters
    ----------
    path
        File or folder of any MovieLens ratings, or a name that `robustbandits data list` shows,
        such as ``"movielens-latest-small"``. None uses MovieLens 100K. Named data sets are fetched
        if they are not on this computer.
    min_ratings
        For MovieLens 100K it is 1 by default, as in the paper.
    rank, regularization, outer
        Parameters of the factorization.
    arms, users, noise, contexts, reward_map, replace, draws, theta_bound
        As for every environment built from ratings, see
        :class:`~robustbandits.environments._rating_recipe.RatingRecipe`.

    Examples
    --------
    >>> import robustbandits as rb
    >>> rb.environments.MovieLens(arms=50, contexts="fresh").label
    "MovieLens(arms=50, contexts='fresh')"

    References
    ----------
    Harper, Konstan (2015); Ding, Hsieh, Sharpnack (2022), section 5.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts(
        "movies; fresh or fixed", "MovieLens 100K or another edition: `robustbandits data fetch`"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.path is None and self.min_ratings is None:
            self._set(min_ratings=MIN_RATINGS_100K)

    def changes(self) -> dict[str, Any]:
        """Return the parameters that are not defaults."""
        changes = super().changes()
        if self.path is None and self.min_ratings == MIN_RATINGS_100K:
            del changes["min_ratings"]
        return changes

    def fewest_ratings(self, factors: Factors) -> int:
        """Return the smallest number of ratings of an arm: 1 by default for MovieLens 100K."""
        if self.min_ratings is None and factors.name == MOVIELENS_100K.name:
            return MIN_RATINGS_100K
        return super().fewest_ratings(factors)

    def find(self) -> Path:
        """Return where the ratings are; fetch a named data set if it is not here."""
        if self.path is not None and self.path not in DATASETS:
            return Path(self.path).expanduser()
        return get_dataset(self.path or MOVIELENS_100K.name)
