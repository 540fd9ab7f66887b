"""Rank-one steps of cyclic coordinate descent on a sparse matrix (CCD++).

The residuals are kept twice, by rows and by columns: each copy is a :class:`Side`. A step of one
side solves for all of its numbers with those of the other side fixed. Rows are independent, so a
step may be cut into ranges of rows, run in any order and on any number of threads: same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits._jit import kernel, program
from robustbandits.kernels.linalg import Floats

Reals = npt.NDArray[np.floating]


class Side(NamedTuple):
    """A sparse matrix by rows, and the numbers of its rows in the rank-one term at work."""

    starts: npt.NDArray[np.int64]  # (rows + 1,) where the entries of each row start
    indices: npt.NDArray[np.int32]  # (entries,) the column of each entry, ascending in a row
    residuals: Reals  # (entries,) what is left to explain
    old: Floats  # (rows, 2) numbers of the term just finished, and of this term before its update
    now: Floats  # (rows,) numbers of this term


@program
def turn(ours: Side, theirs: Side, penalty: float, first: int, last: int) -> float:
    """Take the finished term out of the residuals, put this one back, and solve for it.

    Three passes of the textbook in one. Returns by how much the objective fell.
    """
    fall = 0.0
    for row in range(first, last):
        begin, end = ours.starts[row], ours.starts[row + 1]
        finished, returning = ours.old[row, 0], ours.old[row, 1]
        for p in range(begin, end):
            i = ours.indices[p]
            gone = finished * theirs.old[i, 0]
            back = returning * theirs.old[i, 1]
            ours.residuals[p] = ours.residuals[p] - gone + back
        fall += _solve(ours, theirs.now, penalty, row)
    return fall


@program
def sweep(ours: Side, theirs: Side, penalty: float, first: int, last: int) -> float:
    """Solve for this term once more. Returns by how much the objective fell."""
    fall = 0.0
    for row in range(first, last):
        fall += _solve(ours, theirs.now, penalty, row)
    return fall


@kernel
def _solve(ours: Side, numbers: Floats, penalty: float, row: int) -> float:
    """Minimise over one number; without entries it is zero. Returns the fall of the objective."""
    begin, end = ours.starts[row], ours.starts[row + 1]
    if begin == end:
        ours.now[row] = 0.0
        return 0.0
    # Two sums each, for entries at even and odd places: an addition need not wait for the last.
    product, square = 0.0, penalty * (end - begin)
    product_2, square_2 = 0.0, 0.0
    for p in range(begin, end - 1, 2):
        x, y = numbers[ours.indices[p]], numbers[ours.indices[p + 1]]
        product += x * ours.residuals[p]
        product_2 += y * ours.residuals[p + 1]
        square += x * x
        square_2 += y * y
    if (end - begin) % 2:
        x = numbers[ours.indices[end - 1]]
        product += x * ours.residuals[end - 1]
        square += x * x
    square += square_2
    best = (product + product_2) / square
    step = best - ours.now[row]
    ours.now[row] = best
    return square * step * step


@program
def settle(ours: Side, theirs: Side, first: int, last: int) -> float:
    """Take the finished term out of the residuals. Returns the sum of their squares."""
    loss = 0.0
    for row in range(first, last):
        finished = ours.old[row, 0]
        for p in range(ours.starts[row], ours.starts[row + 1]):
            left = ours.residuals[p] - finished * theirs.old[ours.indices[p], 0]
            ours.residuals[p] = left
            loss += left * left
    return loss


@program
def scatter(
    rows: npt.NDArray[np.int32],
    columns: npt.NDArray[np.int32],
    values: Reals,
    places: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    residuals: Reals,
) -> None:
    """Put entries at the next free place of their row; ``places`` moves on."""
    for p in range(len(rows)):
        place = places[rows[p]]
        places[rows[p]] = place + 1
        indices[place] = columns[p]
        residuals[place] = values[p]


@program
def transpose(source: Side, target: Side, places: npt.NDArray[np.int64]) -> None:
    """Fill ``target`` with the other order of ``source``; its indices then ascend in each row."""
    for row in range(len(source.starts) - 1):
        for p in range(source.starts[row], source.starts[row + 1]):
            column = source.indices[p]
            place = places[column]
            places[column] = place + 1
            target.indices[place] = row
            target.residuals[place] = source.residuals[p]
