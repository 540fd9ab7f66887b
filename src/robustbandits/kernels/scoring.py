"""Scores of many columns at once: the innermost loop of every linear policy.

For each column x of a matrix, the product ``v·x`` and the quadratic form ``xᵀ M x``, or the vector
``M x``. LLVM does not vectorize this well by itself, and a round of LinUCB spends most of its time
here. So the compiled version builds LLVM instructions that process 8, 4 or 1 neighboring columns,
a tile, in vector registers. It sums each column in the order of the plain loop, so both give the
same bits (docs/decisions/0002).
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
            _scores_of_8(matrix, vector, columns, products, forms, start)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _scores_of_4(matrix, vector, columns, products, forms, start)
        for start in range(fours, count):
            _scores_of_1(matrix, vector, columns, products, forms, start)

    return score


def _generate_scores(tile: Tile) -> None:
    dim, _ = tile.shape("columns")
    product, form = tile.total(), tile.total()
    # Four sums at a time keep the processor busy. Narrow tiles are rare, so they get less code.
    sizes = (4, 2, 1) if tile.lanes == 8 else (2, 1)
    for first, rows in tile.blocks(dim, *sizes):
        _add_rows(tile, first, rows, product, form)
    tile.write("products", None, product.value())
    tile.write("forms", None, tile.times(tile.full(2.0), form.value()))


def _add_rows(tile: Tile, first: Any, rows: int, product: Total, form: Total) -> None:
    """Add what some neighboring rows contribute."""
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


# ---------------------------------------------------------------------------- matrix times columns


@kernel
def multiply_columns(matrix: Floats, columns: Floats, out: Floats) -> None:
    """Write ``M x`` into the columns of ``out``, for each column x; M need not be square."""
    _multiply(matrix, columns, out)


def _multiply(matrix: Floats, columns: Floats, out: Floats) -> None:
    dim, count = columns.shape
    for i in range(matrix.shape[0]):
        for a in range(count):
            total = 0.0
            for j in range(dim):
                total += matrix[i, j] * columns[j, a]
            out[i, a] = total


@overload(_multiply, strict=False)
def _multiply_compiled(matrix: Any, columns: Any, out: Any) -> Any:
    if not can_tile(matrix, columns, out):
        return _multiply

    def multiply(matrix, columns, out):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        eights = count - count % 8
        for start in range(0, eights, 8):
            _product_of_8(matrix, columns, out, start)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _product_of_4(matrix, columns, out, start)
        for start in range(fours, count):
            _product_of_1(matrix, columns, out, start)

    return multiply


def _generate_product(tile: Tile) -> None:
    height, _ = tile.shape("matrix")
    for first, rows in tile.blocks(height, 4, 1):
        for i, total in _inner_products(tile, first, rows):
            tile.write("out", i, total.value())


def _inner_products(tile: Tile, first: Any, rows: int) -> list[tuple[Any, Total]]:
    """Return some neighboring rows of the matrix, and their products with the columns."""
    _, dim = tile.shape("matrix")
    numbered = [(i, tile.total()) for i in tile.indices(first, rows)]
    with tile.up_to(dim) as loop:
        x = tile.row("columns", loop.index)
        for i, total in numbered:
            total.add(tile.times(tile.entry("matrix", i, loop.index), x))
    return numbered


@kernel
def score_images(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, squares: Floats
) -> None:
    """Write ``v·g`` into ``products`` and ``g·g`` into ``squares``, for ``g = M x``."""
    _score_images(matrix, vector, columns, products, squares)


def _score_images(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, squares: Floats
) -> None:
    dim, count = columns.shape
    for a in range(count):
        products[a] = 0.0
        squares[a] = 0.0
        for i in range(matrix.shape[0]):
            inner = 0.0
            for j in range(dim):
                inner += matrix[i, j] * columns[j, a]
            products[a] += vector[i] * inner
            squares[a] += inner * inner


@overload(_score_images, strict=False)
def _score_images_compiled(
    matrix: Any, vector: Any, columns: Any, products: Any, squares: Any
) -> Any:
    if not can_tile(matrix, vector, columns, products, squares):
        return _score_images

    def score_all(matrix, vector, columns, products, squares):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        eights = count - count % 8
        for start in range(0, eights, 8):
            _images_of_8(matrix, vector, columns, products, squares, start)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _images_of_4(matrix, vector, columns, products, squares, start)
        for start in range(fours, count):
            _images_of_1(matrix, vector, columns, products, squares, start)

    return score_all


def _generate_image_scores(tile: Tile) -> None:
    height, _ = tile.shape("matrix")
    product, square = tile.total(), tile.total()
    for first, rows in tile.blocks(height, 4, 1):
        for i, total in _inner_products(tile, first, rows):
            inner = total.value()
            product.add(tile.times(tile.number("vector", i), inner))
            square.add(tile.times(inner, inner))
    tile.write("products", None, product.value())
    tile.write("squares", None, square.value())


_ARRAYS = ("matrix", "vector", "columns", "products", "forms")
_scores_of_8, _scores_of_4, _scores_of_1 = (
    tile_function(_ARRAYS, n, _generate_scores) for n in (8, 4, 1)
)
_product_of_8, _product_of_4, _product_of_1 = (
    tile_function(("matrix", "columns", "out"), n, _generate_product) for n in (8, 4, 1)
)
_images_of_8, _images_of_4, _images_of_1 = (
    tile_function(("matrix", "vector", "columns", "products", "squares"), n, _generate_image_scores)
    for n in (8, 4, 1)
)
