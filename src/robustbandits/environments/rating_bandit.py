"""Ratings as a bandit: items are arms, the average user is theta."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from robustbandits.environments.rating_nature import RatingNature
from robustbandits.environments.reward_map import REWARD_MAPS
from robustbandits.game import require
from robustbandits.game.recipe import Recipe

if TYPE_CHECKING:
    from robustbandits.environments.factors import Factors

STAND_IN = " (synthetic stand-in)"


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
    def fingerprint(self) -> str:
        """Hash of the factors, which the other parameters do not determine."""
        return self.load_factors().fingerprint

    @property
    def label(self) -> str:
        """Name with the parameters that differ from their defaults; says what is synthetic."""
        label = super().label.replace(STAND_IN, "")
        return label + STAND_IN if self.stand_in else label

    def start(self, rounds: int, seed: np.random.SeedSequence) -> RatingNature:
        """Return the nature of one match."""
        return RatingNature(self, self.load_factors(), rounds, seed)


_shelf: dict[Hashable, Any] = {}
_shelf_lock = threading.Lock()
SHELF = 4


def remembered(key: Hashable, make: Callable[[], Any]) -> Any:
    """Return what ``make`` made for this key before, or make it now: one thread at a time."""
    with _shelf_lock:
        if key not in _shelf:
            while len(_shelf) >= SHELF:
                del _shelf[next(iter(_shelf))]
            _shelf[key] = make()
        return _shelf[key]
