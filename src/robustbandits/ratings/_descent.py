"""CCD++ at work: the layout in memory, the threads, and when to stop."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.kernels.linalg import Floats
from robustbandits.ratings._ccd import Side, scatter, settle, sweep, transpose, turn

#: Ratings in a range of rows that a thread takes at once. It does not depend on the number of
#: threads, so neither does the order in which partial sums are added.
RANGE = 1 << 19
#: Ratings converted at once while the table is sorted, to keep temporary arrays small.
CHUNK = 1 << 22
#: A term is left when a sweep gains less than this part of the best sweep of the iteration...
TOLERANCE = 1e-3
#: ...and the iteration is left when that many terms did so at their first sweep.
PATIENCE = 5

Ranges = list[tuple[int, int]]


class Fit(NamedTuple):
    """What a descent found."""

    users: Floats  # (users, rank)
    items: Floats  # (items, rank)
    train_rmse: float


class Descent:
    """Minimise the weighted objective of :func:`factorize`, one rank-one term at a time.

    Memory: 16 bytes a rating (an index and a residual, by users and by items) beside the table.
    The ratings are sorted first, so the result does not depend on their order in the table.
    """

    def __init__(self, table: Any, start: Floats, regularization: float, *, kind: Any = np.float32):
        self.start = start  # (rank, users)
        self.regularization = regularization
        self.users, self.items = sides(table, kind)
        self.user_ranges, self.item_ranges = ranges(self.users.starts), ranges(self.items.starts)
        self._map: Callable[..., Any] = map

    def run(self, outer: int, inner: int, workers: int, advance: Callable[[], None]) -> Fit:
        """Make ``outer`` iterations over all terms, at most ``inner`` sweeps each.

        Once only: the ratings turn into residuals on the way.
        """
        terms = [(numbers.copy(), np.zeros(len(self.items.now))) for numbers in self.start]
        with ThreadPoolExecutor(workers) as pool:
            self._map = pool.map if workers > 1 else map
            for iteration in range(outer):
                self._iterate(terms, inner, first=iteration == 0, advance=advance)
            loss = self._settle()
        users, items = (np.stack(numbers, axis=1) for numbers in zip(*terms, strict=True))
        return Fit(users, items, math.sqrt(loss / len(self.users.indices)))

    def _iterate(
        self,
        terms: list[tuple[Floats, Floats]],
        inner: int,
        *,
        first: bool,
        advance: Callable[[], None],
    ) -> None:
        best, idle = 0.0, 0
        for t, term in enumerate(terms):
            if idle < PATIENCE:
                self._put_back(*term)
                for visit in range(inner):
                    fall = self._visit(turn if visit == 0 else sweep)
                    if fall < best * TOLERANCE:
                        idle += visit == 0
                        break
                    # The very first fall is from nothing at all; LIBPMF does not measure by it.
                    if not (first and t == 0 and visit == 0):
                        best = max(best, fall)
                self._keep(*term)
            advance()

    def _put_back(self, users: Floats, items: Floats) -> None:
        for side, numbers in ((self.users, users), (self.items, items)):
            side.old[:, 1] = side.now[:] = numbers

    def _keep(self, users: Floats, items: Floats) -> None:
        for side, numbers in ((self.users, users), (self.items, items)):
            side.old[:, 0] = numbers[:] = side.now

    def _visit(self, step: Any) -> float:
        """Solve for the items, then for the users."""
        fall = self._step(step, self.items, self.users, self.item_ranges)
        return fall + self._step(step, self.users, self.items, self.user_ranges)

    def _step(self, step: Any, ours: Side, theirs: Side, parts: Ranges) -> float:
        falls = self._map(lambda part: step(ours, theirs, self.regularization, *part), parts)
        return sum(falls, 0.0)  # in the order of the ranges

    def _settle(self) -> float:
        """Bring the residuals by items up to date; return the sum of squares."""
        losses = self._map(lambda part: settle(self.items, self.users, *part), self.item_ranges)
        return sum(losses, 0.0)


def ranges(starts: npt.NDArray[np.int64]) -> Ranges:
    """Cut rows into ranges of about ``RANGE`` ratings; every row is in one."""
    rows = len(starts) - 1
    cuts = np.searchsorted(starts, np.arange(RANGE, int(starts[-1]), RANGE))
    edges = sorted({0, rows, *cuts.tolist()})
    return list(itertools.pairwise(edges))


def sides(table: Any, kind: Any) -> tuple[Side, Side]:
    """Return a table's ratings by users and by items, both in ascending order."""
    user_count, item_count = table.shape
    users = _empty_side(table.users, user_count, kind)
    items = _empty_side(table.items, item_count, kind)
    places = items.starts[:-1].copy()
    ratings = table.ratings  # once: half stars are made anew at each call
    for begin in range(0, len(ratings), CHUNK):
        part = slice(begin, begin + CHUNK)
        scatter(
            np.ascontiguousarray(table.items[part], dtype=np.uint32),
            np.ascontiguousarray(table.users[part], dtype=np.uint32),
            np.ascontiguousarray(ratings[part], dtype=kind),
            places,
            items.indices,
            items.residuals,
        )
    # Each turn of the matrix sorts one of its two indices.
    transpose(items, users, users.starts[:-1].copy())
    transpose(users, items, items.starts[:-1].copy())
    return users, items


def _empty_side(keys: Any, rows: int, kind: Any) -> Side:
    starts = np.zeros(rows + 1, dtype=np.int64)
    for begin in range(0, len(keys), CHUNK):
        starts[1:] += np.bincount(keys[begin : begin + CHUNK], minlength=rows)
    np.cumsum(starts, out=starts)
    indices, residuals = np.empty(len(keys), dtype=np.uint32), np.empty(len(keys), dtype=kind)
    return Side(starts, indices, residuals, np.zeros((rows, 2)), np.zeros(rows))
