"""Ratings that look like Netflix's, for those who have no copy of the real ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.game import require
from robustbandits.ratings.table import RatingTable

#: Tells that ratings, and factors made of them, are not the real ones.
SYNTHETIC_NAME = "netflix-synthetic"
#: Sizes of the Netflix Prize training set.
USERS, ITEMS, RATINGS = 480_189, 17_770, 100_480_507
#: Spread of the logarithm of counts: such that mean/median is about 2 for users, 10 for films.
USER_SPREAD, ITEM_SPREAD = 1.25, 2.15
#: No film was rated by more than about this part of the users, and none fewer times than 3.
MOST, FEWEST = 0.485, 3
#: Users are picked from a table of this length, in which active ones come more often.
PICKS = 1 << 22

#: Standard deviations of what a rating is made of: film, user, taste and luck.
ITEM_SD, USER_SD, TASTE_SD, NOISE_SD = 0.5, 0.4, 0.6, 0.7
MEAN = 3.6

Indices = npt.NDArray[np.int32]


def synthetic_ratings(scale: float = 0.01, seed: int = 0, rank: int = 10) -> RatingTable:
    """Draw ratings from a low-rank model with Netflix's sizes and long-tailed counts.

    A stand-in: nothing of Netflix's is in it but its sizes. A rating is a mean, a film's and a
    user's own level, ``rank - 2`` tastes and noise, rounded to 1, ..., 5 stars: without noise
    and rounding the matrix has exactly that rank. Each pair occurs once, each user and each film
    at least once.

    Parameters
    ----------
    scale
        Number of ratings as a part of Netflix's 100,480,507. Users (480,189) and films (17,770)
        go down with its square root, so the share of pairs rated stays that of Netflix: the
        default has 1,004,805 ratings of 1,777 films by 48,019 users. 1.0 is the full size.
    seed
        Of the NumPy stream; the same numbers each time.
    rank
        Rank of the model, at least 2.
    """
    scale = require.real("scale", scale)
    if not 0 < scale <= 1:
        raise ValueError(f"scale must be above 0 and at most 1, got {scale!r}")
    rank = require.count("rank", rank, 2)
    rng = np.random.default_rng(require.count("seed", seed, 0))
    user_count, item_count, count = sizes(scale)
    if count < max(user_count, FEWEST * item_count) or MOST * user_count < FEWEST:
        raise ValueError(f"scale={scale:g} leaves too few ratings, {count}: take a larger one")
    counts = item_counts(rng, user_count, item_count, count)
    users, items = pairs(rng, counts, user_count)
    return RatingTable(
        users,
        items,
        stars(rng, users, counts, rank, user_count),
        np.arange(1, user_count + 1),
        np.arange(1, item_count + 1),
        name=SYNTHETIC_NAME,
    )


def sizes(scale: float) -> tuple[int, int, int]:
    """Return the numbers of users, of items and of ratings at a scale."""
    side = math.sqrt(scale)
    return round(USERS * side), round(ITEMS * side), int(RATINGS * scale)


def item_counts(
    rng: np.random.Generator, user_count: int, item_count: int, count: int
) -> npt.NDArray[np.int64]:
    """Draw how often each item is rated: log-normal, within limits, ``count`` in all."""
    weights = rng.lognormal(0.0, ITEM_SPREAD, item_count)
    most = int(MOST * user_count)
    low, high = 0.0, float(most) / weights.min()
    for _ in range(200):  # halve: the total grows with the factor
        middle = (low + high) / 2
        total = int(np.clip(middle * weights, FEWEST, most).astype(np.int64).sum())
        low, high = (middle, high) if total <= count else (low, middle)
    counts = np.clip(low * weights, FEWEST, most).astype(np.int64)
    missing = count - int(counts.sum())
    while missing > 0:  # what rounding down has left: one each
        room = rng.permutation(np.flatnonzero(counts < most))[:missing]
        counts[room] += 1
        missing -= len(room)
    return counts


def pairs(
    rng: np.random.Generator, counts: npt.NDArray[np.int64], user_count: int
) -> tuple[Indices, npt.NDArray[Any]]:
    """Draw different users for each item, active ones more often; everybody is drawn once."""
    activity = np.cumsum(rng.lognormal(0.0, USER_SPREAD, user_count))
    grid = (np.arange(PICKS) + 0.5) * (activity[-1] / PICKS)
    picks = np.searchsorted(activity, grid).astype(np.int32)
    # Each user gets one place of its own among all; those on an item's places rate it first.
    ends = np.cumsum(counts)
    everybody = rng.permutation(user_count).astype(np.int32)
    places = np.arange(user_count) * int(ends[-1]) // user_count
    edges = np.searchsorted(places, np.concatenate([[0], ends]))
    users = np.empty(int(ends[-1]), dtype=np.int32)
    chosen = np.zeros(user_count, dtype=bool)
    for j, n in enumerate(counts.tolist()):
        chosen[:] = False
        chosen[everybody[edges[j] : edges[j + 1]]] = True
        missing = n - int(edges[j + 1] - edges[j])
        while missing:  # who was drawn twice is drawn anew
            chosen[picks[rng.integers(PICKS, size=missing)]] = True
            missing = n - int(np.count_nonzero(chosen))
        users[ends[j] - n : ends[j]] = np.flatnonzero(chosen)
    kind = np.int16 if len(counts) < 1 << 15 else np.int32
    return users, np.repeat(np.arange(len(counts), dtype=kind), counts)


def stars(
    rng: np.random.Generator,
    users: Indices,
    counts: npt.NDArray[np.int64],
    rank: int,
    user_count: int,
) -> npt.NDArray[np.uint8]:
    """Draw the ratings of the pairs, item by item."""
    spread = math.sqrt(TASTE_SD / math.sqrt(max(rank - 2, 1)))
    people = rng.standard_normal((rank, user_count), dtype=np.float32) * np.float32(spread)
    films = rng.standard_normal((len(counts), rank), dtype=np.float32) * np.float32(spread)
    people[0], films[:, 1] = 1.0, 1.0
    people[1] *= np.float32(USER_SD / spread)
    films[:, 0] = np.float32(MEAN) + films[:, 0] * np.float32(ITEM_SD / spread)
    ratings = np.empty(len(users), dtype=np.uint8)
    end = 0
    for film, n in zip(films, counts.tolist(), strict=True):
        start, end = end, end + n
        values = rng.standard_normal(n, dtype=np.float32) * np.float32(NOISE_SD)
        # Factor by factor: the same bits whatever BLAS is installed.
        for numbers, weight in zip(people, film, strict=True):
            values += numbers[users[start:end]] * weight
        ratings[start:end] = np.clip(np.rint(values), 1, 5)
    return ratings
