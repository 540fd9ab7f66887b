"""Scores of many columns at once: the innermost loop of every linear policy.

For each column x of a matrix, the product ``v·x`` and the quadratic form ``xᵀ M x``. LLVM does not
vectorise this well by itself, and a round of LinUCB spends most of its time here; so the compiled
version walks over tiles of 8, 4 and 1 columns held in vector registers. Each column is summed in
exactly the order of the plain loop, so all versions give the same bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.simd import Tile, Total, fits, generator


@kernel
def score_columns(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, forms: Floats
) -> None:
    """Write ``v·x`` and ``xᵀ M x`` for each column x; of the symmetric M the lower half is read."""
    _score(matrix, vector, columns, products, forms)


def _score(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, forms: Floats
) -> None:
    dim, count = columns.shape
    for a in range(count):
        product = 0.0
        form = 0.0
        for i in range(dim):
            product += vector[i] * columns[i, a]
            inner = 0.5 * matrix[i, i] * columns[i, a]
            for j in range(i):
                inner += matrix[i, j] * columns[j, a]
            form += inner * columns[i, a]
        products[a] = product
        forms[a] = 2.0 * form


@overload(_score, strict=False)
def _score_compiled(matrix: Any, vector: Any, columns: Any, products: Any, forms: Any) -> Any:
    if not fits(matrix, vector, columns, products, forms):
        return _score  # tiles walk along memory; anything else goes the plain way

    def score(matrix, vector, columns, products, forms):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        eights = count - count % 8
        for start in range(0, eights, 8):
            _tile_of_8(matrix, vector, columns, products, forms, start)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _tile_of_4(matrix, vector, columns, products, forms, start)
        for start in range(fours, count):
            _tile_of_1(matrix, vector, columns, products, forms, start)

    return score


def _tile(lanes: int) -> Any:
    """Return an intrinsic that scores ``lanes`` columns in one vector register (or a few)."""
    names = ("matrix", "vector", "columns", "products", "forms")

    def tile(
        typing: Any, matrix: Any, vector: Any, columns: Any, products: Any, forms: Any, start: Any
    ) -> Any:
        signature = types.void(matrix, vector, columns, products, forms, types.intp)
        return signature, generator(names, lanes, _generate)

    return intrinsic(tile)


def _generate(tile: Tile) -> None:
    dim, _ = tile.shape("columns")
    product, form = tile.total(), tile.total()
    for first, rows in tile.blocks(dim, 2):
        _add_rows(tile, first, rows, product, form)
    tile.write("products", None, product.value())
    tile.write("forms", None, tile.builder.fmul(tile.full(2.0), form.value()))


def _add_rows(tile: Tile, first: Any, rows: int, product: Total, form: Total) -> None:
    """Add what some neighbouring rows contribute."""
    builder = tile.builder
    numbers = [builder.add(first, ir.IntType(64)(k)) for k in range(rows)]
    inner = []
    for i in numbers:
        half = builder.fmul(ir.Constant(ir.DoubleType(), 0.5), tile.entry("matrix", i, i))
        inner.append(tile.total())
        inner[-1].set(builder.fmul(tile.spread(half), tile.row("columns", i)))

    def add(j: Any, later: list[int]) -> None:
        x = tile.row("columns", j)
        for k in later:
            entry = tile.spread(tile.entry("matrix", numbers[k], j))
            inner[k].add(builder.fmul(entry, x))

    with cgutils.for_range(builder, first) as before:
        add(before.index, list(range(rows)))
    for k, i in enumerate(numbers):
        add(i, list(range(k + 1, rows)))
    for k, i in enumerate(numbers):
        x = tile.row("columns", i)
        weight = builder.load(tile.element("vector", i))
        product.add(builder.fmul(tile.spread(weight), x))
        form.add(builder.fmul(inner[k].value(), x))


_tile_of_8 = _tile(8)
_tile_of_4 = _tile(4)
_tile_of_1 = _tile(1)
