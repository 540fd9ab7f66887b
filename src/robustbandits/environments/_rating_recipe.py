"""What bandits made of ratings have in common: items are arms, the average user is theta."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from robustbandits.environments._rating_nature import RatingNature
from robustbandits.environments.reward_map import REWARD_MAPS
from robustbandits.game import require
from robustbandits.game.recipe import Recipe
from robustbandits.ratings import factor_cache
from robustbandits.ratings._files import recognise
from robustbandits.ratings.factorize import factorize, warn_if_deficient

if TYPE_CHECKING:
    from robustbandits.ratings.factors import Factors
    from robustbandits.ratings.table import RatingTable

#: Every label of synthetic data that stands in for real data ends so.
STAND_IN = " (synthetic stand-in)"
#: From so many ratings on, reading them takes longer than anybody likes to wait twice.
MANY = 5_000_000


@dataclass(frozen=True, kw_only=True)
class RatingRecipe(Recipe):
    """A bandit made of a factorised matrix of ratings.

    The features of an item are its context. Theta is the mean of some users' features, so the mean
    reward of an item is what these users would rate it on average, mapped to [0, 1].

    Parameters
    ----------
    arms
        Number of items to choose from, drawn for each seed.
    users
        Theta is the mean of so many users, drawn without replacement.
    noise
        Standard deviation of the Gaussian noise of rewards.
    contexts
        ``"fixed"``: arms are drawn once a game, as in a catalogue. ``"fresh"``: in every round.
    reward_map
        ``"shift-features"`` (linear, fills [0, 1]), ``"scale"`` or ``"affine+intercept"`` (linear),
        or ``"affine"``, the literal paper, which is misspecified. See
        :func:`~robustbandits.environments.reward_map.map_rewards`. Its constants are taken over
        the arms when they are fixed, over all items that may be drawn when they are not.
    min_ratings
        Items with fewer ratings are never arms. (The paper's "more than 10,000" is 10,001.)
    replace
        Whether an item may be drawn twice, as in the authors' code.
    draws
        ``"own"``: from our random streams. ``"authors"``: the arms and users of the paper's
        repetition ``seed`` (0 to 9), by the random calls of its code; noise is still ours.
    theta_bound
        Bound on theta's length that policies are told; the true one when None. (The authors' code
        takes 1 whatever it is.)
    """

    arms: int = 20
    users: int = 100
    noise: float = 0.1
    contexts: str = "fixed"
    reward_map: str = "shift-features"
    min_ratings: int = 1
    replace: bool = False
    draws: str = "own"
    theta_bound: float | None = None

    def __post_init__(self) -> None:
        bound = self.theta_bound
        self._set(
            arms=require.count("arms", self.arms, low=2),
            users=require.count("users", self.users),
            noise=require.at_least("noise", self.noise, 0.0),
            contexts=require.one_of("contexts", self.contexts, ("fixed", "fresh")),
            reward_map=require.one_of("reward_map", self.reward_map, REWARD_MAPS),
            min_ratings=require.count("min_ratings", self.min_ratings),
            replace=require.flag("replace", self.replace),
            draws=require.one_of("draws", self.draws, ("own", "authors")),
            theta_bound=None if bound is None else require.positive("theta_bound", bound),
        )
        if self.draws == "authors" and self.contexts == "fresh":
            raise ValueError("draws='authors' needs contexts='fixed': the paper's arms are fixed")

    def load_factors(self) -> Factors:
        """Return the factors; read, factorised and kept as need be."""
        raise NotImplementedError

    @property
    def stand_in(self) -> bool:
        """Whether this is synthetic data in the place of real data."""
        return False

    @property
    def fewest_ratings(self) -> int:
        """Fewest ratings of an arm."""
        return self.min_ratings

    @property
    def fingerprint(self) -> str:
        """Hash of the factors, which the other parameters do not determine."""
        return self.load_factors().fingerprint

    @property
    def name(self) -> str:
        """Name for tables and figures; says what is synthetic."""
        return super().name + (STAND_IN if self.stand_in else "")

    @property
    def label(self) -> str:
        """Name with the parameters that differ from their defaults; says what is synthetic."""
        label = super().label.replace(STAND_IN, "")
        return label + STAND_IN if self.stand_in else label

    def start(self, rounds: int, seed: np.random.SeedSequence) -> RatingNature:
        """Return the nature of one match."""
        return RatingNature(self, self.load_factors(), rounds, seed)


@dataclass(frozen=True, kw_only=True)
class FileRecipe(RatingRecipe):
    """A bandit made of ratings on disk, factorised when first needed.

    Parameters
    ----------
    path
        File or folder with the ratings.
    rank, regularization, outer
        As for :func:`~robustbandits.ratings.factorize`. The authors' regularization is 0.05;
        the tool they used has 0.1 by default, which leaves some data sets with fewer factors.
    """

    path: str | None = None
    rank: int = 10
    regularization: float = 0.05
    outer: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            path=None if self.path is None else path_text("path", self.path),
            rank=require.count("rank", self.rank),
            regularization=require.positive("regularization", self.regularization),
            outer=require.count("outer", self.outer),
        )

    def find(self) -> Path | None:
        """Return where the ratings are; None when they are not on disk."""
        return None if self.path is None else Path(self.path).expanduser()

    def read_table(self, path: Path | None) -> RatingTable:
        """Return the ratings at a path."""
        raise NotImplementedError

    def load_factors(self) -> Factors:
        """Return the factors: of this process, of the cache on disk, or made now."""
        path = self.find()
        own = [getattr(self, name) for name in self.source_fields]
        words = [type(self).__name__, *own, self.rank, self.regularization, self.outer]
        stamp = None if path is None else stamp_of(path)
        return remembered((*words, path, stamp), lambda: self._make_factors(path, words))

    def _make_factors(self, path: Path | None, words: list[Any]) -> Factors:
        shortcut = None if path is None else shortcut_of(path, words)
        known = None if shortcut is None else factor_cache.recall(shortcut)
        if known is not None:
            warn_if_deficient(known)
            return known
        table = self.read_table(path)
        factors = factorize(table, self.rank, self.regularization, self.outer)
        if shortcut is not None and len(table) >= MANY:
            factor_cache.remember(shortcut, factors)
        return factors

    #: Parameters, beside the path, that say which ratings to read.
    source_fields: ClassVar[tuple[str, ...]] = ()


def path_text(name: str, value: Any) -> str:
    """Return a path as text."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise TypeError(f"{name} must be a path, got {value!r}")
    return str(os.fspath(value))


def stamp_of(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file does, or one in a folder; None when there is none."""
    try:
        found = [path.stat()]
        if path.is_dir():
            with os.scandir(path) as entries:
                found += [entry.stat() for entry in entries]
    except OSError:
        return None
    return max(one.st_mtime_ns for one in found), sum(one.st_size for one in found)


def shortcut_of(path: Path, words: list[Any]) -> Path | None:
    """Return where factors are kept by the names, sizes and dates of the files of ratings.

    The cache of `factorize` goes by contents, so it must read them first: 2 GB, for Netflix.
    """
    if not path.exists():
        return None
    files = recognise(path).files if path.is_dir() else (path,)
    stamps = [(str(file.resolve()), stamp_of(file)) for file in files]
    text = json.dumps([factor_cache.SOLVER, words, stamps])
    key = hashlib.sha256(text.encode()).hexdigest()
    return factor_cache.cache_folder() / f"{key[:40]}.npz"


_shelf: dict[Hashable, Any] = {}
_shelf_lock = threading.Lock()
SHELF = 8


def remembered(key: Hashable, make: Callable[[], Any]) -> Any:
    """Return what ``make`` made for this key before, or make it now: one thread at a time."""
    with _shelf_lock:
        if key not in _shelf:
            made = make()
            while len(_shelf) >= SHELF:
                del _shelf[next(iter(_shelf))]
            _shelf[key] = made
        return _shelf[key]
