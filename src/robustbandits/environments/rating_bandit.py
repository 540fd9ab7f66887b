"""Ratings: an environment built from your own ratings."""

from __future__ import annotations

import dataclasses
import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from robustbandits.environments._file_recipe import (
    FileRecipe,
    last_change,
    load_once,
    path_text,
)
from robustbandits.game import require
from robustbandits.game.facts import EnvironmentFacts
from robustbandits.ratings.factorize import factorize
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.frame import read_frame_ratings
from robustbandits.ratings.read import DUPLICATES, ON_ERROR, read_csv_ratings, read_ratings
from robustbandits.ratings.synthetic import SYNTHETIC_NAME
from robustbandits.ratings.table import RatingTable

OnError = Annotated[str, functools.partial(require.one_of, choices=ON_ERROR)]
Duplicates = Annotated[str, functools.partial(require.one_of, choices=DUPLICATES)]


@dataclass(frozen=True, kw_only=True)
class Ratings(FileRecipe):
    """An environment built from your own ratings: from a file of ratings, or from factors.

    Parameters
    ----------
    factors
        The result of :func:`~robustbandits.environments.factorize`, or the path of its file. The
        recipe can be written as JSON only with a path.
    path, user, item, rating
        Instead of factors: a file with a header line, and the names of its three columns; see
        :meth:`from_csv`. Without names, any file that
        :func:`~robustbandits.environments.read_ratings` recognizes.
    duplicates
        When a user has rated an item twice: ``"error"``, or keep the ``"first"`` or ``"last"``.
    on_error
        When a line cannot be read: ``"raise"`` an error, or ``"skip"`` it, with a warning.
    rank, regularization, outer
        Parameters of the factorization of a file.
    arms, users, noise, contexts, reward_map, min_ratings, replace, draws, theta_bound
        As for every environment built from ratings, see
        :class:`~robustbandits.environments._rating_recipe.RatingRecipe`.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts(
        "items; fresh or fixed", "a file of ratings, or factors"
    )

    factors: Factors | str | None = None
    user: str | None = None
    item: str | None = None
    rating: str | None = None
    duplicates: Duplicates = "error"
    on_error: OnError = "raise"

    added_parameters: ClassVar[tuple[str, ...]] = ("on_error",)
    source_fields: ClassVar[tuple[str, ...]] = (
        "user",
        "item",
        "rating",
        "duplicates",
        "on_error",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.factors is None) == (self.path is None):
            raise ValueError(
                "Ratings needs either factors=... (from rb.environments.factorize, or their file) "
                "or path=... (a file of ratings)"
            )
        if self.factors is not None and not isinstance(self.factors, Factors):
            if isinstance(self.factors, RatingTable):
                raise TypeError(
                    f"factors must be the result of factorize(table), got {self.factors!r}"
                )
            self._set(factors=path_text("factors", self.factors))
        columns = [self.user, self.item, self.rating]
        if any(columns) and not all(isinstance(name, str) and name for name in columns):
            raise ValueError(f"user, item and rating must all be column names, got {columns}")

    @classmethod
    def from_csv(
        cls, path: str | os.PathLike[str], *, user: str, item: str, rating: str, **parameters: Any
    ) -> Self:
        """Return an environment built from a CSV file, given the names of its columns.

        Examples
        --------
        >>> import robustbandits as rb
        >>> shop = rb.environments.Ratings.from_csv(
        ...     "sales.csv", user="customer", item="sku", rating="stars", arms=10)
        >>> shop.arms
        10
        """
        return cls(path=os.fspath(path), user=user, item=item, rating=rating, **parameters)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        user: str,
        item: str,
        rating: str,
        duplicates: str = "error",
        on_error: str = "raise",
        rank: int = 10,
        regularization: float = 0.05,
        outer: int = 5,
        **parameters: Any,
    ) -> Self:
        """Return an environment built from a pandas or Polars data frame, factorized at once.

        See :func:`~robustbandits.environments.read_frame_ratings`. To store its games, save the
        factors and pass their path: ``Ratings(factors="mine.npz")``.
        """
        columns = {"user": user, "item": item, "rating": rating}
        table = read_frame_ratings(frame, **columns, duplicates=duplicates, on_error=on_error)
        return cls(factors=factorize(table, rank, regularization, outer), **parameters)

    def read_table(self, path: Path | None) -> RatingTable:
        """Return the ratings of the file."""
        assert path is not None
        if self.user is None or self.item is None or self.rating is None:
            return read_ratings(
                path, titles=False, duplicates=self.duplicates, on_error=self.on_error
            )
        columns = {"user": self.user, "item": self.item, "rating": self.rating}
        return read_csv_ratings(path, **columns, duplicates=self.duplicates, on_error=self.on_error)

    def load_factors(self) -> Factors:
        """Return the given factors; load them, or compute them from the ratings, if necessary."""
        if isinstance(self.factors, Factors):
            return self.factors
        if self.factors is None:
            return super().load_factors()
        path = Path(self.factors).expanduser()
        return load_once((Ratings, path, last_change(path)), lambda: Factors.load(path))

    @property
    def stand_in(self) -> bool:
        """Whether the factors are those of the synthetic stand-in for Netflix."""
        if self.factors is None:
            return False
        known = isinstance(self.factors, Factors) or Path(self.factors).expanduser().exists()
        return known and self.load_factors().name == SYNTHETIC_NAME

    def changes(self) -> dict[str, Any]:
        """Return the parameters that are not defaults; factors by the name of their data."""
        changes = super().changes()
        if isinstance(self.factors, Factors):
            changes["factors"] = self.factors.name
        return changes

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; factors only by their file."""
        if isinstance(self.factors, Factors):
            raise ValueError(
                "factors are too large for JSON: save them, factors.save('mine.npz'), and pass the "
                "path, Ratings(factors='mine.npz')"
            )
        return super().to_dict()

    def _key(self) -> tuple[Any, ...]:
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]
        return tuple(value.fingerprint if isinstance(value, Factors) else value for value in values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratings) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())
