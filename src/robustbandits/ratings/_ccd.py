"""Rank-one steps of cyclic coordinate descent on a sparse matrix (CCD++).

The residuals are kept twice, by rows and by columns: each copy is a :class:`Side`. A step of one
side solves for all of its numbers with those of the other side fixed. Rows are independent, so a
step may be cut into ranges of rows, run in any order and on any number of threads: same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats

Reals = npt.NDArray[np.floating]
Indices = npt.NDArray[np.uint32]  # unsigned: no look whether an index counts from the end


class Side(NamedTuple):
    """A sparse matrix by rows, and the numbers of its rows in the rank-one term at work."""

    starts: npt.NDArray[np.int64]  # (rows + 1,) where the entries of each row start
    indices: Indices  # (entries,) the column of each entry, ascending in a row
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
        indices, residuals = ours.indices[begin:end], ours.residuals[begin:end]
        finished, returning = ours.old[row, 0], ours.old[row, 1]
        product, square = 0.0, penalty * (end - begin)
        for p in range(len(indices)):
            i = indices[p]
            gone, back = finished * theirs.old[i, 0], returning * theirs.old[i, 1]
            residuals[p] = residuals[p] - gone + back
            x = theirs.now[i]
            product += x * residuals[p]
            square += x * x
        fall += _minimise(ours.now, row, product, square)
    return fall


@program
def sweep(ours: Side, theirs: Side, penalty: float, first: int, last: int) -> float:
    """Solve for this term once more. Returns by how much the objective fell."""
    fall = 0.0
    for row in range(first, last):
        begin, end = ours.starts[row], ours.starts[row + 1]
        indices, residuals = ours.indices[begin:end], ours.residuals[begin:end]
        product, square = 0.0, penalty * (end - begin)
        # Two sums each, for even and odd places: an addition need not wait for the last one.
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
        fall += _minimise(ours.now, row, product + product_2, square + square_2)
    return fall


@kernel
def _minimise(now: Floats, row: int, product: float, square: float) -> float:
    """Put one number where the objective is least: zero where there are no entries."""
    best = product / square if square > 0.0 else 0.0
    step = best - now[row]
    now[row] = best
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
    rows: Indices,
    columns: Indices,
    values: Reals,
    places: npt.NDArray[np.int64],
    indices: Indices,
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
