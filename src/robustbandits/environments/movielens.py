"""MovieLens: the MovieLens ratings as a bandit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from robustbandits.environments._file_recipe import FileRecipe
from robustbandits.game.facts import EnvironmentFacts
from robustbandits.ratings.fetch import movielens_100k


@dataclass(frozen=True, kw_only=True)
class MovieLens(FileRecipe):
    """The MovieLens ratings: 20 movies to choose from, for the average of 100 users.

    Parameters
    ----------
    path
        File or folder of any MovieLens ratings. None uses MovieLens 100K, which is fetched if it
        is not on this computer.
    rank, regularization, outer
        Parameters of the factorisation.
    arms, users, noise, contexts, reward_map, min_ratings, replace, draws, theta_bound
        As for every bandit made of ratings, see
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

    def find(self) -> Path:
        """Return where the ratings are; fetch MovieLens 100K if it is needed and not here."""
        return super().find() or movielens_100k()
