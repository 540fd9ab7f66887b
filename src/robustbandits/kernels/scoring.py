"""Scores of many columns at once: the innermost loop of every linear policy.

For each column x of a matrix, the product ``v·x`` and the quadratic form ``xᵀ M x``. LLVM does not
vectorise this well by itself, and a round of LinUCB spends most of its time here. So the compiled
version builds LLVM instructions that process 8, 4 or 1 neighbouring columns, a tile, in vector
registers. It sums each column in the order of the plain loop, so both give the same bits
(docs/decisions/0002).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats

INDEX, DOUBLE = ir.IntType(64), ir.DoubleType()
#: Names of the arrays that a tile is made of, in the order of the arguments.
ARRAYS = ("matrix", "vector", "columns", "products", "forms")


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
    arrays = (matrix, vector, columns, products, forms)
    if not all(array.layout == "C" and array.dtype == types.float64 for array in arrays):
        return _score  # a tile is read along memory

    def score(matrix, vector, columns, products, forms):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        eights = count - count % 8
        for start in range(0, eights, 8):
            _score_8(matrix, vector, columns, products, forms, start)
        fours = count - count % 4
        for start in range(eights, fours, 4):
            _score_4(matrix, vector, columns, products, forms, start)
        for start in range(fours, count):
            _score_1(matrix, vector, columns, products, forms, start)

    return score


def _make_intrinsic(lanes: int) -> Any:
    """Return an intrinsic that scores ``lanes`` columns from a start on."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        arrays = {
            name: context.make_array(kind)(context, builder, value)
            for name, kind, value in zip(ARRAYS, signature.args[:-1], arguments[:-1], strict=True)
        }
        _Tile(builder, arrays, arguments[-1], lanes).score()

    def score_tile(
        typing: Any, matrix: Any, vector: Any, columns: Any, products: Any, forms: Any, start: Any
    ) -> Any:
        return types.void(matrix, vector, columns, products, forms, types.intp), build

    return intrinsic(score_tile)


class _Tile:
    """Builds the instructions that score a tile of columns."""

    def __init__(self, builder: Any, arrays: dict[str, Any], start: Any, lanes: int):
        self.builder = builder
        self.lanes = lanes
        self.pack = ir.VectorType(DOUBLE, lanes)
        self._arrays = arrays
        self._start = start

    def score(self) -> None:
        """Score the columns, two rows of the matrix at a time."""
        dim, _ = cgutils.unpack_tuple(self.builder, self._arrays["columns"].shape)
        product, form = _Sum(self), _Sum(self)
        for first, rows in self._blocks(dim, 2):
            self._add_rows(first, rows, product, form)
        self._write("products", product.read())
        doubled = self.builder.fmul(ir.Constant(self.pack, [2.0] * self.lanes), form.read())
        self._write("forms", doubled)

    def _add_rows(self, first: Any, rows: int, product: _Sum, form: _Sum) -> None:
        """Add what some neighbouring rows of the matrix contribute."""
        builder = self.builder
        numbers = [builder.add(first, INDEX(k)) for k in range(rows)]
        inner = []
        for i in numbers:
            half = builder.fmul(ir.Constant(DOUBLE, 0.5), self._entry(i, i))
            inner.append(_Sum(self))
            inner[-1].set(builder.fmul(self._spread(half), self._columns(i)))

        def add(j: Any, later: list[int]) -> None:
            x = self._columns(j)
            for k in later:
                entry = self._spread(self._entry(numbers[k], j))
                inner[k].add(builder.fmul(entry, x))

        with cgutils.for_range(builder, first) as before:
            add(before.index, list(range(rows)))
        for k, i in enumerate(numbers):
            add(i, list(range(k + 1, rows)))
        for k, i in enumerate(numbers):
            x = self._columns(i)
            weight = builder.load(self._address("vector", i))
            product.add(builder.fmul(self._spread(weight), x))
            form.add(builder.fmul(inner[k].read(), x))

    def _blocks(self, count: Any, size: int) -> Iterator[tuple[Any, int]]:
        """Count up to a number in blocks of a size, and then one by one.

        The caller builds the instructions for a block twice: for whole blocks, and for the rest.
        """
        builder = self.builder
        whole = builder.sub(count, builder.urem(count, INDEX(size)))
        with cgutils.for_range_slice(builder, INDEX(0), whole, INDEX(size)) as (index, _):
            yield index, size
        with cgutils.for_range_slice(builder, whole, count, INDEX(1)) as (index, _):
            yield index, 1

    def _address(self, name: str, index: Any) -> Any:
        return self.builder.gep(self._arrays[name].data, [index])

    def _row_and_column(self, name: str, i: Any, j: Any) -> Any:
        _, width = cgutils.unpack_tuple(self.builder, self._arrays[name].shape)
        return self.builder.add(self.builder.mul(i, width), j)

    def _entry(self, i: Any, j: Any) -> Any:
        """Read one number of the matrix."""
        return self.builder.load(self._address("matrix", self._row_and_column("matrix", i, j)))

    def _columns(self, i: Any) -> Any:
        """Read number i of each column of the tile."""
        address = self._address("columns", self._row_and_column("columns", i, self._start))
        pointer = self.builder.bitcast(address, self.pack.as_pointer())
        return self.builder.load(pointer, align=8, typ=self.pack)

    def _write(self, name: str, value: Any) -> None:
        """Write one number for each column of the tile."""
        address = self._address(name, self._start)
        pointer = self.builder.bitcast(address, self.pack.as_pointer())
        self.builder.store(value, pointer, align=8)

    def _spread(self, number: Any) -> Any:
        """Put one number into every lane."""
        blank = ir.Constant(self.pack, ir.Undefined)
        first = self.builder.insert_element(blank, number, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, blank, mask)


class _Sum:
    """A running sum for each column of a tile; it starts at zero where it is created."""

    def __init__(self, tile: _Tile):
        self._builder = tile.builder
        self._place = cgutils.alloca_once(tile.builder, tile.pack)
        self.set(ir.Constant(tile.pack, [0.0] * tile.lanes))

    def set(self, value: Any) -> None:
        self._builder.store(value, self._place)

    def add(self, value: Any) -> None:
        self.set(self._builder.fadd(self.read(), value))

    def read(self) -> Any:
        return self._builder.load(self._place)


_score_8 = _make_intrinsic(8)
_score_4 = _make_intrinsic(4)
_score_1 = _make_intrinsic(1)
