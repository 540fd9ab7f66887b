"""Netflix: the Netflix Prize ratings as a bandit, and a stand-in for those who have none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from robustbandits.environments._rating_recipe import FileRecipe
from robustbandits.game import require
from robustbandits.game.facts import EnvironmentFacts

if TYPE_CHECKING:
    from robustbandits.ratings.table import RatingTable


@dataclass(frozen=True, kw_only=True)
class Netflix(FileRecipe):
    """The Netflix Prize ratings: 20 popular movies to choose from, for the average of 100 users.

    The ratings may not be downloaded: you need a copy of your own. Without one there is
    :meth:`synthetic`, which says what it is wherever it appears.

    Parameters
    ----------
    path
        Your copy, in any format that `robustbandits data check` recognises. None looks where
        ``ROBUSTBANDITS_NETFLIX`` points and in the data directory.
    min_ratings
        10,001 by default: the paper takes movies with "more than 10,000" ratings, its code those
        with at least 10,000. Of the stand-in, which has fewer users, in proportion.
    source, scale
        ``"real"``, or ``"synthetic"`` with this part of Netflix' 100,480,507 ratings.
    rank, regularization, outer
        Of the factorisation.
    arms, users, noise, contexts, reward_map, replace, draws, theta_bound
        As for every bandit made of ratings, see
        :class:`~robustbandits.environments._rating_recipe.RatingRecipe`.

    References
    ----------
    Bennett, Lanning (2007); Ding, Hsieh, Sharpnack (2022), section 5.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts(
        "movies; fresh or fixed",
        "your copy of the Netflix Prize data; none for the synthetic stand-in",
    )

    min_ratings: int = 10_001
    source: str = "real"
    scale: float = 0.01

    source_fields: ClassVar[tuple[str, ...]] = ("source", "scale")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            source=require.one_of("source", self.source, ("real", "synthetic")),
            scale=require.positive("scale", require.between("scale", self.scale, 0.0, 1.0)),
        )
        if self.path is not None and self.source == "synthetic":
            raise ValueError(f"path must be None with source='synthetic', got {self.path!r}")

    @classmethod
    def synthetic(cls, **parameters: Any) -> Self:
        """Return a bandit on ratings drawn from a low-rank model with Netflix' sizes, scaled down.

        Nothing of Netflix' is in it but sizes and long-tailed counts; each of its labels says so.
        """
        return cls(**{**parameters, "source": "synthetic"})

    @classmethod
    def real_or_synthetic(cls, **parameters: Any) -> Self:
        """Return the real bandit if there is a copy of the ratings here, else the stand-in."""
        from robustbandits.ratings.locate import find_netflix

        if parameters.get("path") is not None or find_netflix() is not None:
            return cls(**parameters)
        return cls.synthetic(**parameters)

    @property
    def stand_in(self) -> bool:
        """Whether this is synthetic data in the place of real data."""
        return self.source == "synthetic"

    @property
    def fewest_ratings(self) -> int:
        """Fewest ratings of an arm: of the stand-in, in proportion to its number of users."""
        if self.source == "real":
            return self.min_ratings
        return math.ceil(self.min_ratings * math.sqrt(self.scale))

    def find(self) -> Path | None:
        """Return where the ratings are, or say what to do without them."""
        if self.source == "synthetic" or self.path is not None:
            return super().find()
        from robustbandits.ratings.locate import find_netflix

        path = find_netflix()
        if path is None:
            raise FileNotFoundError(
                "there are no Netflix Prize ratings here, and they may not be downloaded: give "
                "path=... or set ROBUSTBANDITS_NETFLIX to your copy (`robustbandits data check "
                "PATH` looks at it), or play Netflix.synthetic(), on the command line "
                "Netflix(source='synthetic'): a stand-in that says it is one"
            )
        return path

    def read_table(self, path: Path | None) -> RatingTable:
        """Return the ratings at a path, or the stand-in."""
        from robustbandits.ratings.read import read_ratings
        from robustbandits.ratings.synthetic import synthetic_ratings

        return synthetic_ratings(self.scale) if path is None else read_ratings(path, titles=False)
