"""Netflix: the Netflix Prize ratings as a bandit, and a synthetic stand-in for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from robustbandits.environments._file_recipe import FileRecipe
from robustbandits.game import require
from robustbandits.game.facts import EnvironmentFacts
from robustbandits.game.parameters import Count, Share
from robustbandits.ratings.datasets import NETFLIX
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.locate import locate
from robustbandits.ratings.synthetic import synthetic_ratings
from robustbandits.ratings.table import RatingTable


@dataclass(frozen=True, kw_only=True)
class Netflix(FileRecipe):
    """The Netflix Prize ratings: 20 popular movies to choose from, for the average of 100 users.

    The ratings may not be redistributed: you need a copy of your own. Without one there is
    :meth:`synthetic`, which every label marks as synthetic.

    Parameters
    ----------
    path
        Your copy, in any format that `robustbandits data check` recognizes. None looks where
        ``ROBUSTBANDITS_NETFLIX`` points and in the data directory.
    min_ratings
        10,001 by default: the paper takes movies with "more than 10,000" ratings, its code those
        with at least 10,000. For the stand-in, which has fewer users, it is scaled down.
    source, scale
        ``"real"``, or ``"synthetic"`` with this fraction of Netflix's 100,480,507 ratings.
    rank, regularization, outer
        Parameters of the factorization.
    arms, users, noise, contexts, reward_map, replace, draws, theta_bound
        As for every environment built from ratings, see
        :class:`~robustbandits.environments._rating_recipe.RatingRecipe`.

    References
    ----------
    Bennett, Lanning (2007); Ding, Hsieh, Sharpnack (2022), section 5.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts(
        "movies; fresh or fixed",
        "your copy of the Netflix Prize data; none for the synthetic stand-in",
    )

    min_ratings: Count | None = 10_001
    source: Literal["real", "synthetic"] = "real"
    scale: Share = 0.01

    source_fields: ClassVar[tuple[str, ...]] = ("source", "scale")

    def __post_init__(self) -> None:
        super().__post_init__()
        require.positive("scale", self.scale)
        if self.path is not None and self.source == "synthetic":
            raise ValueError(f"path must be None with source='synthetic', got {self.path!r}")

    @classmethod
    def synthetic(cls, **parameters: Any) -> Self:
        """Return a bandit on ratings drawn from a low-rank model with Netflix's sizes, scaled down.

        It has only sizes and long-tailed counts in common with the Netflix data. Every label says
        that it is synthetic.
        """
        return cls(**{**parameters, "source": "synthetic"})

    @classmethod
    def real_or_synthetic(cls, **parameters: Any) -> Self:
        """Return the real bandit if this computer has a copy of the ratings, else the stand-in."""
        if parameters.get("path") is not None or locate(NETFLIX.name) is not None:
            return cls(**parameters)
        return cls.synthetic(**parameters)

    @property
    def stand_in(self) -> bool:
        """Whether synthetic data replace real data."""
        return self.source == "synthetic"

    def fewest_ratings(self, factors: Factors) -> int:
        """Return the smallest number; for the stand-in, scaled with its number of users."""
        fewest = super().fewest_ratings(factors)
        if self.source == "real" or self.min_ratings is None:
            return fewest
        return math.ceil(fewest * math.sqrt(self.scale))

    def find(self) -> Path | None:
        """Return where the ratings are; None for the stand-in."""
        if self.source == "synthetic" or self.path is not None:
            return super().find()
        path = locate(NETFLIX.name)
        if path is None:
            raise FileNotFoundError(
                "there are no Netflix Prize ratings on this computer, and they may not be "
                "redistributed: pass path=... or set ROBUSTBANDITS_NETFLIX to your copy "
                "(`robustbandits data check PATH` checks it), or use the synthetic stand-in: "
                "Netflix.synthetic(), on the command line Netflix(source='synthetic')"
            )
        return path

    def read_table(self, path: Path | None) -> RatingTable:
        """Return the ratings at the path; the stand-in if there is none."""
        return synthetic_ratings(self.scale) if path is None else super().read_table(path)
