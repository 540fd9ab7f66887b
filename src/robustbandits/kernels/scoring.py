"""Scores of many columns at once: the innermost loop of every linear policy.

For each column x of a matrix, the product ``v·x`` and the quadratic form ``xᵀ M x``. LLVM does not
vectorise this well by itself, and a round of LinUCB spends most of its time here. So the compiled
version builds LLVM instructions that process 8, 4 or 1 neighbouring columns, a tile, in vector
registers. It sums each column in the order of the plain loop, so both give the same bits
(docs/decisions/0002).
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from robustbandits.compiled.jit import kernel
from robustbandits.compiled.simd import Tile, Total, can_tile, tile_function
from robustbandits.kernels.linalg import Floats


@kernel
def score_columns(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, forms: Floats
) -> None:
    """Write ``v·x`` into ``products`` and ``xᵀ M x`` into ``forms``, for each column x.

    M must be symmetric; only its lower half is read. For a policy with contexts (dim, arms),
    ``score_columns(ridge.inverse, ridge.theta, contexts, means, variances)`` writes the estimated
    mean of each arm and its variance in units of the noise.
    """
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
    if not can_tile(matrix, vector, columns, products, forms):
        return _score

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


def _generate(tile: Tile) -> None:
    dim, _ = tile.shape("columns")
    product, form = tile.total(), tile.total()
    for first, rows in tile.blocks(dim, 2):
        _add_rows(tile, first, rows, product, form)
    tile.write("products", None, product.value())
    tile.write("forms", None, tile.times(tile.full(2.0), form.value()))


def _add_rows(tile: Tile, first: Any, rows: int, product: Total, form: Total) -> None:
    """Add what some neighbouring rows contribute."""
    numbers = tile.indices(first, rows)
    inner = []
    for i in numbers:
        half = tile.times(tile.full(0.5), tile.entry("matrix", i, i))
        inner.append(tile.total(tile.times(half, tile.row("columns", i))))

    def add(j: Any, later: list[int]) -> None:
        x = tile.row("columns", j)
        for k in later:
            inner[k].add(tile.times(tile.entry("matrix", numbers[k], j), x))

    with tile.up_to(first) as before:
        add(before.index, list(range(rows)))
    for k, i in enumerate(numbers):
        add(i, list(range(k + 1, rows)))
    for k, i in enumerate(numbers):
        x = tile.row("columns", i)
        product.add(tile.times(tile.number("vector", i), x))
        form.add(tile.times(inner[k].value(), x))


_ARRAYS = ("matrix", "vector", "columns", "products", "forms")
_tile_of_8, _tile_of_4, _tile_of_1 = (tile_function(_ARRAYS, n, _generate) for n in (8, 4, 1))
