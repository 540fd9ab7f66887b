"""Synthetic ratings with the shape of the Netflix Prize data, for users without a copy."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robustbandits.game import require
from robustbandits.ratings.datasets import NETFLIX
from robustbandits.ratings.table import RatingTable

#: Name of these ratings, and of factors made of them.
SYNTHETIC_NAME = "netflix-synthetic"
#: Every label of synthetic data that stands in for real data ends with this.
STAND_IN = " (synthetic stand-in)"
#: Spread of the logarithm of counts, so that mean/median is about 2 for users, 10 for films.
USER_SPREAD, ITEM_SPREAD = 1.25, 2.15
#: Largest fraction of the users who rated one film, and smallest number of its ratings.
LARGEST_SHARE, FEWEST_RATINGS = 0.485, 3
#: Users are drawn from a table of this length, in which active users occur more often.
DRAW_TABLE = 1 << 22

#: Mean, and standard deviations of the parts of a rating: film, user, taste and noise.
MEAN = 3.6
ITEM_SD, USER_SD, TASTE_SD, NOISE_SD = 0.5, 0.4, 0.6, 0.7

Indices = npt.NDArray[np.int32]


def synthetic_ratings(scale: float = 0.01, seed: int = 0, rank: int = 10) -> RatingTable:
    """Draw ratings from a low-rank model with Netflix's sizes and long-tailed counts.

    Nothing of the Netflix data is in it but the sizes. A rating is a mean, a film's and a user's
    own level, ``rank - 2`` tastes and noise, rounded to 1, ..., 5 stars: without noise and
    rounding the matrix has exactly that rank. Each pair occurs once, each user and each film at
    least once.

    Parameters
    ----------
    scale
        Number of ratings as a fraction of Netflix's 100,480,507. The numbers of users (480,189)
        and films (17,770) are scaled with its square root, so the fraction of pairs rated stays the
        same: the default has 1,004,805 ratings of 1,777 films by 48,019 users.
    seed
        Seed of the NumPy stream.
    rank
        Rank of the model, at least 2.
    """
    scale = require.real("scale", scale)
    if not 0 < scale <= 1:
        raise ValueError(f"scale must be above 0 and at most 1, got {scale!r}")
    rank = require.count("rank", rank, 2)
    rng = np.random.default_rng(require.count("seed", seed, 0))
    user_count, item_count, count = sizes(scale)
    too_few = count < max(user_count, FEWEST_RATINGS * item_count)
    if too_few or LARGEST_SHARE * user_count < FEWEST_RATINGS:
        raise ValueError(f"scale={scale:g} leaves too few ratings, {count}: use a larger scale")
    counts = item_counts(rng, user_count, item_count, count)
    users = _draw_users(rng, counts, user_count)
    return RatingTable(
        users,
        np.repeat(np.arange(item_count, dtype=np.int16), counts),
        _draw_ratings(rng, users, counts, rank, user_count),
        np.arange(1, user_count + 1),
        np.arange(1, item_count + 1),
        name=SYNTHETIC_NAME,
    )


def sizes(scale: float) -> tuple[int, int, int]:
    """Return the numbers of users, items and ratings at a scale."""
    side = math.sqrt(scale)
    return round(NETFLIX.users * side), round(NETFLIX.items * side), int(NETFLIX.ratings * scale)


def item_counts(
    rng: np.random.Generator, user_count: int, item_count: int, count: int
) -> npt.NDArray[np.int64]:
    """Draw the number of ratings of each item: log-normal, within limits, ``count`` in all."""
    weights = rng.lognormal(0.0, ITEM_SPREAD, item_count)
    most = int(LARGEST_SHARE * user_count)
    low, high = 0.0, float(most) / weights.min()
    for _ in range(200):  # bisection, because the total grows with the factor
        middle = (low + high) / 2
        total = int(np.clip(middle * weights, FEWEST_RATINGS, most).astype(np.int64).sum())
        low, high = (middle, high) if total <= count else (low, middle)
    counts = np.clip(low * weights, FEWEST_RATINGS, most).astype(np.int64)
    missing = count - int(counts.sum())
    while missing > 0:  # distribute what was lost by rounding down, one each
        room = rng.permutation(np.flatnonzero(counts < most))[:missing]
        counts[room] += 1
        missing -= len(room)
    return counts


def _draw_users(
    rng: np.random.Generator, counts: npt.NDArray[np.int64], user_count: int
) -> Indices:
    """Draw different users for each item, active ones more often, and everybody at least once."""
    activity = np.cumsum(rng.lognormal(0.0, USER_SPREAD, user_count))
    grid = (np.arange(DRAW_TABLE) + 0.5) * (activity[-1] / DRAW_TABLE)
    table = np.searchsorted(activity, grid).astype(np.int32)
    # Each user is assigned one rating in advance; those of an item are taken first.
    ends = np.cumsum(counts)
    everybody = rng.permutation(user_count).astype(np.int32)
    assigned = np.arange(user_count) * int(ends[-1]) // user_count
    edges = np.searchsorted(assigned, np.concatenate([[0], ends]))
    users = np.empty(int(ends[-1]), dtype=np.int32)
    chosen = np.zeros(user_count, dtype=bool)
    for item, count in enumerate(counts.tolist()):
        chosen[:] = False
        chosen[everybody[edges[item] : edges[item + 1]]] = True
        missing = count - int(edges[item + 1] - edges[item])
        while missing:  # a user drawn twice is replaced by another draw
            chosen[table[rng.integers(DRAW_TABLE, size=missing)]] = True
            missing = count - int(np.count_nonzero(chosen))
        users[ends[item] - count : ends[item]] = np.flatnonzero(chosen)
    return users


def _draw_ratings(
    rng: np.random.Generator,
    users: Indices,
    counts: npt.NDArray[np.int64],
    rank: int,
    user_count: int,
) -> npt.NDArray[np.uint8]:
    """Draw the ratings of the pairs, item by item."""
    spread = math.sqrt(TASTE_SD / math.sqrt(max(rank - 2, 1)))
    user_vectors = rng.standard_normal((rank, user_count), dtype=np.float32) * np.float32(spread)
    film_vectors = rng.standard_normal((len(counts), rank), dtype=np.float32) * np.float32(spread)
    user_vectors[0], film_vectors[:, 1] = 1.0, 1.0
    user_vectors[1] *= np.float32(USER_SD / spread)
    film_vectors[:, 0] = np.float32(MEAN) + film_vectors[:, 0] * np.float32(ITEM_SD / spread)
    ratings = np.empty(len(users), dtype=np.uint8)
    end = 0
    for film, n in zip(film_vectors, counts.tolist(), strict=True):
        start, end = end, end + n
        values = rng.standard_normal(n, dtype=np.float32) * np.float32(NOISE_SD)
        # Factor by factor: the same bits whatever BLAS is installed.
        for numbers, weight in zip(user_vectors, film, strict=True):
            values += numbers[users[start:end]] * weight
        ratings[start:end] = np.clip(np.rint(values), 1, 5)
    return ratings
