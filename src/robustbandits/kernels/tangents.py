"""What is needed to know a cone-like bound, and its tangent planes, at many columns at once.

The bound is ``f(x) = v·x + β √(xᵀ M x)``; its gradient at x is ``v + κ Mx``, κ being β over the
root. With the products below, f, its gradient's length and its gradient's product with an offset
come at O(1) for any β.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from robustbandits.compiled.jit import kernel
from robustbandits.compiled.simd import INDEX, Tile, Total, can_tile, tile_function
from robustbandits.kernels.linalg import Floats

#: Rows of the products, for a column x and its offset δ, with y = Mx.
VX, XY, VY, YY, VD, DY = range(6)
PRODUCTS = 6


@kernel
def tangent_products(
    matrix: Floats, vector: Floats, columns: Floats, offsets: Floats, out: Floats
) -> None:
    """Write, for each column, the six inner products of x, δ, v and ``y = M x``."""
    _multiply(matrix, vector, columns, offsets, out)


def _multiply(
    matrix: Floats, vector: Floats, columns: Floats, offsets: Floats, out: Floats
) -> None:
    dim, count = columns.shape
    for a in range(count):
        for k in range(PRODUCTS):
            out[k, a] = 0.0
        for i in range(dim):
            y = 0.0
            for j in range(dim):
                y += matrix[i, j] * columns[j, a]
            x, d, v = columns[i, a], offsets[i, a], vector[i]
            out[VX, a] += v * x
            out[XY, a] += x * y
            out[VY, a] += v * y
            out[YY, a] += y * y
            out[VD, a] += v * d
            out[DY, a] += d * y


@overload(_multiply, strict=False)
def _multiply_compiled(matrix: Any, vector: Any, columns: Any, offsets: Any, out: Any) -> Any:
    if not can_tile(matrix, vector, columns, offsets, out):
        return _multiply

    def walk(matrix, vector, columns, offsets, out):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        eights = count - count % 8
        for start in range(0, eights, 8):
            _tile_of_8(matrix, vector, columns, offsets, out, start)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _tile_of_4(matrix, vector, columns, offsets, out, start)
        for start in range(fours, count):
            _tile_of_1(matrix, vector, columns, offsets, out, start)

    return walk


def _generate(tile: Tile) -> None:
    dim, _ = tile.shape("columns")
    totals = [tile.total() for _ in range(PRODUCTS)]
    for first, rows in tile.blocks(dim, 2):
        _add_rows(tile, first, rows, totals)
    for k, total in enumerate(totals):
        tile.write("out", INDEX(k), total.value())


def _add_rows(tile: Tile, first: Any, rows: int, totals: list[Total]) -> None:
    """Add what some neighbouring rows contribute."""
    numbers = tile.indices(first, rows)
    images = [tile.total() for _ in numbers]
    with tile.up_to(tile.shape("columns")[0]) as inner:
        x = tile.row("columns", inner.index)
        for i, image in zip(numbers, images, strict=True):
            image.add(tile.times(tile.entry("matrix", i, inner.index), x))
    for i, image in zip(numbers, images, strict=True):
        x, d, y = tile.row("columns", i), tile.row("offsets", i), image.value()
        v = tile.number("vector", i)
        factors = {VX: (v, x), XY: (x, y), VY: (v, y), YY: (y, y), VD: (v, d), DY: (d, y)}
        for k, (left, right) in factors.items():
            totals[k].add(tile.times(left, right))


_ARRAYS = ("matrix", "vector", "columns", "offsets", "out")
_tile_of_8, _tile_of_4, _tile_of_1 = (tile_function(_ARRAYS, n, _generate) for n in (8, 4, 1))
