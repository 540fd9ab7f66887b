"""CCD++: cyclic coordinate descent on a sparse matrix, one rank-one term at a time.

The residuals are kept twice, by rows and by columns: each copy is a :class:`Side`. A step on one
side solves for all of its numbers while those of the other side are fixed. Rows are independent,
so a step may be cut into ranges of rows, run in any order and on any number of threads, and gives
the same bits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats

#: Ratings in each range of rows, the unit of work of a thread. It does not depend on the number of
#: threads, so neither does the order in which partial sums are added.
RANGE = 1 << 19
#: Ratings converted at once while the table is sorted, to keep temporary arrays small.
CHUNK = 1 << 22
#: A term is finished when a sweep gains less than this fraction of the iteration's best sweep.
TOLERANCE = 1e-3
#: The iteration ends when this many terms were finished after their first sweep.
PATIENCE = 5

Reals = npt.NDArray[np.floating]
Indices = npt.NDArray[np.uint32]  # unsigned, so that Numba does not check for negative indices
Positions = npt.NDArray[np.int64]
Ranges = list[tuple[int, int]]


class Side(NamedTuple):
    """A sparse matrix by rows, and the numbers of its rows in the current rank-one term."""

    starts: Positions  # (rows + 1,) position of the first entry of each row
    indices: Indices  # (entries,) the column of each entry, ascending in a row
    residuals: Reals  # (entries,) ratings minus all terms but the current one
    old: Floats  # (rows, 2) numbers of the finished term, and of this term before its update
    now: Floats  # (rows,) numbers of this term


class Fit(NamedTuple):
    """The result of a descent."""

    users: Floats  # (users, rank)
    items: Floats  # (items, rank)
    train_rmse: float


class Descent:
    """Minimise the weighted objective of :func:`factorize`, one rank-one term at a time.

    Besides the table it needs 16 bytes per rating: an index and a residual, by users and by items.
    The ratings are sorted first, so the result does not depend on their order in the table.
    """

    def __init__(self, table: Any, start: Floats, regularization: float, *, kind: Any = np.float32):
        self.start = start  # (rank, users)
        self.regularization = regularization
        self.users, self.items = sides(table, kind)
        self._user_ranges = ranges(self.users.starts)
        self._item_ranges = ranges(self.items.starts)
        self._map: Callable[..., Any] = map

    def run(self, outer: int, inner: int, workers: int, advance: Callable[[], None]) -> Fit:
        """Make ``outer`` iterations over all terms, with at most ``inner`` sweeps each.

        Can be called only once, because the ratings turn into residuals.
        """
        terms = [(numbers.copy(), np.zeros(len(self.items.now))) for numbers in self.start]
        with ThreadPoolExecutor(workers) as pool:
            self._map = pool.map if workers > 1 else map
            for iteration in range(outer):
                self._iterate(terms, inner, first=iteration == 0, advance=advance)
            losses = self._map(
                lambda rows: subtract_finished(self.items, self.users, *rows), self._item_ranges
            )
            loss = sum(losses, 0.0)
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
        best, finished_at_once = 0.0, 0
        for t, term in enumerate(terms):
            if finished_at_once < PATIENCE:
                for side, numbers in zip((self.users, self.items), term, strict=True):
                    side.old[:, 1] = side.now[:] = numbers
                for visit in range(inner):
                    gain = self._sweep_both(exchange_and_sweep if visit == 0 else sweep)
                    if gain < best * TOLERANCE:
                        finished_at_once += visit == 0
                        break
                    # Like LIBPMF, do not compare with the very first gain, which is from zero.
                    if not (first and t == 0 and visit == 0):
                        best = max(best, gain)
                for side, numbers in zip((self.users, self.items), term, strict=True):
                    side.old[:, 0] = numbers[:] = side.now
            advance()

    def _sweep_both(self, step: Any) -> float:
        """Solve for the items, then for the users; return the decrease of the objective."""
        gain = self._sweep_side(step, self.items, self.users, self._item_ranges)
        return gain + self._sweep_side(step, self.users, self.items, self._user_ranges)

    def _sweep_side(self, step: Any, ours: Side, theirs: Side, parts: Ranges) -> float:
        gains = self._map(lambda rows: step(ours, theirs, self.regularization, *rows), parts)
        return sum(gains, 0.0)  # in the order of the ranges


# ------------------------------------------------------------------------------ compiled steps


@program
def exchange_and_sweep(ours: Side, theirs: Side, penalty: float, first: int, last: int) -> float:
    """Subtract the finished term from the residuals, add this term back, and solve for it.

    Combines three passes of the textbook algorithm. Returns the decrease of the objective.
    """
    decrease = 0.0
    for row in range(first, last):
        begin, end = ours.starts[row], ours.starts[row + 1]
        indices, residuals = ours.indices[begin:end], ours.residuals[begin:end]
        finished, returning = ours.old[row, 0], ours.old[row, 1]
        product, square = 0.0, penalty * (end - begin)
        for p in range(len(indices)):
            i = indices[p]
            subtracted, added = finished * theirs.old[i, 0], returning * theirs.old[i, 1]
            residuals[p] = residuals[p] - subtracted + added
            x = theirs.now[i]
            product += x * residuals[p]
            square += x * x
        decrease += _minimise(ours.now, row, product, square)
    return decrease


@program
def sweep(ours: Side, theirs: Side, penalty: float, first: int, last: int) -> float:
    """Solve for this term once more. Returns the decrease of the objective."""
    decrease = 0.0
    for row in range(first, last):
        begin, end = ours.starts[row], ours.starts[row + 1]
        indices, residuals = ours.indices[begin:end], ours.residuals[begin:end]
        product, square = 0.0, penalty * (end - begin)
        # Separate sums for even and odd positions, so that additions need not wait for each other.
        product_2, square_2 = 0.0, 0.0
        for p in range(0, len(indices) - 1, 2):
            x, y = theirs.now[indices[p]], theirs.now[indices[p + 1]]
            product += x * residuals[p]
            product_2 += y * residuals[p + 1]
            square += x * x
            square_2 += y * y
        if len(indices) % 2:
            x = theirs.now[indices[len(indices) - 1]]
            product += x * residuals[len(indices) - 1]
            square += x * x
        decrease += _minimise(ours.now, row, product + product_2, square + square_2)
    return decrease


@kernel
def _minimise(now: Floats, row: int, product: float, square: float) -> float:
    """Set a row's number to the minimiser of the objective, or to zero if the row is empty.

    Returns the decrease of the objective.
    """
    best = product / square if square > 0.0 else 0.0
    step = best - now[row]
    now[row] = best
    return square * step * step


@program
def subtract_finished(ours: Side, theirs: Side, first: int, last: int) -> float:
    """Subtract the finished term from the residuals. Returns the sum of their squares."""
    loss = 0.0
    for row in range(first, last):
        finished = ours.old[row, 0]
        for p in range(ours.starts[row], ours.starts[row + 1]):
            residual = ours.residuals[p] - finished * theirs.old[ours.indices[p], 0]
            ours.residuals[p] = residual
            loss += residual * residual
    return loss


# ---------------------------------------------------------------------------- layout in memory


def ranges(starts: Positions) -> Ranges:
    """Cut rows into ranges of about ``RANGE`` ratings; every row is in exactly one."""
    rows = len(starts) - 1
    cuts = np.searchsorted(starts, np.arange(RANGE, int(starts[-1]), RANGE))
    edges = sorted({0, rows, *cuts.tolist()})
    return list(itertools.pairwise(edges))


def sides(table: Any, kind: Any) -> tuple[Side, Side]:
    """Return the ratings of a table by users and by items, both in ascending order."""
    users = _empty_side(table.users, table.shape[0], kind)
    items = _empty_side(table.items, table.shape[1], kind)
    free = items.starts[:-1].copy()
    ratings = table.ratings  # read once, because half stars are computed at each access
    for begin in range(0, len(ratings), CHUNK):
        part = slice(begin, begin + CHUNK)
        columns = (table.items[part], table.users[part])
        rows, indices = (np.ascontiguousarray(column, dtype=np.uint32) for column in columns)
        values = np.ascontiguousarray(ratings[part], dtype=kind)
        _scatter(rows, indices, values, free, items.indices, items.residuals)
    # Each transposition sorts one of the two indices.
    _transpose(items, users, users.starts[:-1].copy())
    _transpose(users, items, items.starts[:-1].copy())
    return users, items


def _empty_side(keys: Any, rows: int, kind: Any) -> Side:
    starts = np.zeros(rows + 1, dtype=np.int64)
    for begin in range(0, len(keys), CHUNK):
        starts[1:] += np.bincount(keys[begin : begin + CHUNK], minlength=rows)
    np.cumsum(starts, out=starts)
    indices, residuals = np.empty(len(keys), dtype=np.uint32), np.empty(len(keys), dtype=kind)
    return Side(starts, indices, residuals, np.zeros((rows, 2)), np.zeros(rows))


@program
def _scatter(
    rows: Indices,
    columns: Indices,
    values: Reals,
    free: Positions,
    indices: Indices,
    residuals: Reals,
) -> None:
    """Write entries to the next free position of their row, which ``free`` holds."""
    for p in range(len(rows)):
        position = free[rows[p]]
        free[rows[p]] = position + 1
        indices[position] = columns[p]
        residuals[position] = values[p]


@program
def _transpose(source: Side, target: Side, free: Positions) -> None:
    """Fill ``target`` with the transpose of ``source``; its indices then ascend in each row."""
    for row in range(len(source.starts) - 1):
        for p in range(source.starts[row], source.starts[row + 1]):
            column = source.indices[p]
            position = free[column]
            free[column] = position + 1
            target.indices[position] = row
            target.residuals[position] = source.residuals[p]
