"""Scores of many columns at once: the innermost loop of every linear policy.

For each column x of a matrix, the product ``v·x`` and the quadratic form ``xᵀ M x``. LLVM does not
vectorise this well by itself, and a round of LinUCB spends most of its time here; so the compiled
version walks over tiles of 8 and 4 columns held in vector registers. Each column is summed in
exactly the order of the plain loop below it, so all versions give the same bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from robustbandits._jit import kernel
from robustbandits.kernels.linalg import Floats


@kernel
def score_columns(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, forms: Floats
) -> None:
    """Write ``v·x`` and ``xᵀ M x`` for each column x; of the symmetric M the lower half is read."""
    done = _score_tiles(matrix, vector, columns, products, forms)
    dim, count = columns.shape
    for a in range(done, count):
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


def _score_tiles(
    matrix: Floats, vector: Floats, columns: Floats, products: Floats, forms: Floats
) -> int:
    """Score whole tiles of columns; return how many columns that were. None in plain Python."""
    return 0


@overload(_score_tiles, strict=False)
def _score_tiles_compiled(matrix: Any, vector: Any, columns: Any, products: Any, forms: Any) -> Any:
    arrays = (matrix, vector, columns, products, forms)
    if any(kind.layout != "C" or kind.dtype != types.float64 for kind in arrays):
        return _score_tiles  # tiles walk along memory; anything else goes the plain way

    def score(matrix, vector, columns, products, forms):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        eights = count - count % 8
        for start in range(0, eights, 8):
            _tile_of_8(matrix, vector, columns, start, products, forms)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _tile_of_4(matrix, vector, columns, start, products, forms)
        return fours

    return score


def _tile(lanes: int) -> Any:
    """Return an intrinsic that scores ``lanes`` columns in one vector register (or a few)."""

    def tile(
        typing: Any, matrix: Any, vector: Any, columns: Any, start: Any, products: Any, forms: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
            arrays = {
                name: context.make_array(kind)(context, builder, value)
                for name, kind, value in zip(
                    ("matrix", "vector", "columns", "start", "products", "forms"),
                    signature.args,
                    arguments,
                    strict=True,
                )
                if name != "start"
            }
            _generate_tile(builder, arrays, arguments[3], lanes)

        return types.void(matrix, vector, columns, types.intp, products, forms), generate

    return intrinsic(tile)


def _generate_tile(builder: Any, arrays: dict[str, Any], start: Any, lanes: int) -> None:
    double = ir.DoubleType()
    pack = ir.VectorType(double, lanes)
    dim, count = cgutils.unpack_tuple(builder, arrays["columns"].shape)

    def element(name: str, index: Any) -> Any:
        return builder.gep(arrays[name].data, [index])

    def spread(number: Any) -> Any:
        first = builder.insert_element(ir.Constant(pack, ir.Undefined), number, _int32(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
        return builder.shuffle_vector(first, ir.Constant(pack, ir.Undefined), mask)

    def row(index: Any) -> Any:
        offset = builder.add(builder.mul(index, count), start)
        place = builder.bitcast(element("columns", offset), pack.as_pointer())
        return builder.load(place, align=8, typ=pack)

    def entry(i: Any, j: Any) -> Any:
        return builder.load(element("matrix", builder.add(builder.mul(i, dim), j)))

    def store(name: str, value: Any) -> None:
        builder.store(value, builder.bitcast(element(name, start), pack.as_pointer()), align=8)

    zeros = ir.Constant(pack, [0.0] * lanes)
    product = cgutils.alloca_once_value(builder, zeros)
    form = cgutils.alloca_once_value(builder, zeros)
    inner = cgutils.alloca_once_value(builder, zeros)
    builder.store(zeros, product)
    builder.store(zeros, form)
    with cgutils.for_range(builder, dim) as outer:
        i = outer.index
        x = row(i)
        weighted = builder.fmul(spread(builder.load(element("vector", i))), x)
        builder.store(builder.fadd(builder.load(product), weighted), product)
        half = builder.fmul(ir.Constant(double, 0.5), entry(i, i))
        builder.store(builder.fmul(spread(half), x), inner)
        with cgutils.for_range(builder, i) as before:
            step = builder.fmul(spread(entry(i, before.index)), row(before.index))
            builder.store(builder.fadd(builder.load(inner), step), inner)
        builder.store(builder.fadd(builder.load(form), builder.fmul(builder.load(inner), x)), form)
    store("products", builder.load(product))
    twice = ir.Constant(pack, [2.0] * lanes)
    store("forms", builder.fmul(twice, builder.load(form)))


def _int32(value: int) -> Any:
    return ir.Constant(ir.IntType(32), value)


_tile_of_8 = _tile(8)
_tile_of_4 = _tile(4)
