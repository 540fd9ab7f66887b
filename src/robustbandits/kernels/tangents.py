"""What is needed to know a cone-like bound, and its tangent planes, at many columns at once.

The bound is ``f(x) = v·x + β √(xᵀ M x)``; its gradient at x is ``v + κ Mx``, κ being β over the
root. With the products below, f, its gradient's length and its gradient's product with an offset
come at O(1) for any β.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.simd import Tile, Total, fits, generator

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
    if not fits(matrix, vector, columns, offsets, out):
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


def _tile(lanes: int) -> Any:
    """Return an intrinsic for ``lanes`` columns."""
    names = ("matrix", "vector", "columns", "offsets", "out")

    def tile(
        typing: Any, matrix: Any, vector: Any, columns: Any, offsets: Any, out: Any, start: Any
    ) -> Any:
        signature = types.void(matrix, vector, columns, offsets, out, types.intp)
        return signature, generator(names, lanes, _generate)

    return intrinsic(tile)


def _generate(tile: Tile) -> None:
    dim, _ = tile.shape("columns")
    totals = [tile.total() for _ in range(PRODUCTS)]
    for first, rows in tile.blocks(dim, 2):
        _add_rows(tile, first, rows, totals)
    for k, total in enumerate(totals):
        tile.write("out", ir.IntType(64)(k), total.value())


def _add_rows(tile: Tile, first: Any, rows: int, totals: list[Total]) -> None:
    """Add what some neighbouring rows contribute."""
    builder = tile.builder
    numbers = [builder.add(first, ir.IntType(64)(k)) for k in range(rows)]
    images = [tile.total() for _ in numbers]
    with cgutils.for_range(builder, tile.shape("columns")[0]) as inner:
        x = tile.row("columns", inner.index)
        for i, image in zip(numbers, images, strict=True):
            image.add(builder.fmul(tile.spread(tile.entry("matrix", i, inner.index)), x))
    for i, image in zip(numbers, images, strict=True):
        x, d, y = tile.row("columns", i), tile.row("offsets", i), image.value()
        v = tile.spread(builder.load(tile.element("vector", i)))
        factors = {VX: (v, x), XY: (x, y), VY: (v, y), YY: (y, y), VD: (v, d), DY: (d, y)}
        for k, (left, right) in factors.items():
            totals[k].add(builder.fmul(left, right))


_tile_of_8 = _tile(8)
_tile_of_4 = _tile(4)
_tile_of_1 = _tile(1)
