"""Columns of matrices in vector registers, for kernels that build their own LLVM instructions.

A tile is 8, 4 or 1 neighboring columns. Each instruction works on all columns of a tile at once,
in the order in which a plain loop works on each, so both give the same bits (docs/decisions/0002).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robustbandits.compiled.fallback import check_parameters, has_internals

INDEX = ir.IntType(64)


class Tile:
    """Builds instructions for neighboring columns, from ``start`` on, of C-contiguous arrays."""

    def __init__(self, builder: Any, arrays: dict[str, Any], start: Any, lanes: int):
        from numba.core import cgutils

        self.builder = builder
        self.lanes = lanes
        self.pack = ir.VectorType(ir.DoubleType(), lanes)
        self._cgutils = cgutils
        self._arrays = arrays
        self._start = start

    def shape(self, name: str) -> Any:
        """Return the shape of an array."""
        return self._cgutils.unpack_tuple(self.builder, self._arrays[name].shape)

    def row(self, name: str, index: Any) -> Any:
        """Read the tile's part of a row."""
        return self.builder.load(self._row_address(name, index), align=8)

    def write(self, name: str, index: Any, value: Any) -> None:
        """Write the tile's part of a row; a vector has one row, of index None."""
        self.builder.store(value, self._row_address(name, index), align=8)

    def _row_address(self, name: str, index: Any) -> Any:
        offset = self._start
        if len(self.shape(name)) == 2:
            width = self.shape(name)[1]
            offset = self.builder.add(self.builder.mul(index, width), offset)
        return self.builder.bitcast(self._address(name, offset), self.pack.as_pointer())

    def _address(self, name: str, index: Any) -> Any:
        return self.builder.gep(self._arrays[name].data, [index])

    def number(self, name: str, index: Any) -> Any:
        """Read one number of a vector into every lane."""
        return self.spread(self.builder.load(self._address(name, index)))

    def entry(self, name: str, i: Any, j: Any) -> Any:
        """Read one number of a matrix into every lane."""
        width = self.shape(name)[1]
        return self.number(name, self.builder.add(self.builder.mul(i, width), j))

    def spread(self, number: Any) -> Any:
        """Put one number into every lane."""
        undefined = ir.Constant(self.pack, ir.Undefined)
        first = self.builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, undefined, mask)

    def full(self, number: float) -> Any:
        """Return a constant in every lane."""
        return ir.Constant(self.pack, [number] * self.lanes)

    def times(self, left: Any, right: Any) -> Any:
        """Multiply lane by lane."""
        return self.builder.fmul(left, right)

    def indices(self, first: Any, count: int) -> list[Any]:
        """Return ``count`` neighboring indices."""
        return [self.builder.add(first, INDEX(k)) for k in range(count)]

    def up_to(self, count: Any) -> Any:
        """Open a loop over indices below ``count``: a context manager that yields ``.index``."""
        return self._cgutils.for_range(self.builder, count)

    def blocks(self, count: Any, *sizes: int) -> Iterator[tuple[Any, int]]:
        """Loop over indices below ``count`` in blocks of the first size, then of the next ones.

        Each size must divide the one before; the last must be 1. Yields the first index and the
        size of a block, once for each of the loops.
        """
        builder, start = self.builder, INDEX(0)
        for size in sizes:
            stop = builder.sub(count, builder.urem(count, INDEX(size)))
            with self._cgutils.for_range_slice(builder, start, stop, INDEX(size)) as (index, _):
                yield index, size
            start = stop

    def total(self, start: Any = None) -> Total:
        """Return a sum that starts at zero or at a value, each time this point is reached."""
        address = self._cgutils.alloca_once(self.builder, self.pack)
        self.builder.store(self.full(0.0) if start is None else start, address)
        return Total(self.builder, address)


class Total:
    """A sum in progress, one for each column of a tile."""

    def __init__(self, builder: Any, address: Any):
        self._builder = builder
        self._address = address

    def add(self, value: Any) -> None:
        """Add a value to the sum."""
        self._builder.store(self._builder.fadd(self.value(), value), self._address)

    def value(self) -> Any:
        """Return the sum so far."""
        return self._builder.load(self._address)


def tile_function(names: tuple[str, ...], lanes: int, generate: Callable[[Tile], None]) -> Any:
    """Return a function for compiled code that works on one tile.

    It takes the named arrays and the tile's first column; ``generate`` builds its instructions.
    """

    def typed(typing: Any, *kinds: Any) -> Any:
        return types.void(*kinds[:-1], types.intp), build

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        arrays = {
            name: context.make_array(kind)(context, builder, value)
            for name, kind, value in zip(names, signature.args[:-1], arguments[:-1], strict=True)
        }
        generate(Tile(builder, arrays, arguments[-1], lanes))

    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)
        for name in ("typing", *names, "start")
    ]
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return intrinsic(typed)


def can_tile(*kinds: Any) -> bool:
    """Whether arrays of these Numba types can be worked on in tiles."""
    suitable = all(kind.layout == "C" and kind.dtype == types.float64 for kind in kinds)
    return suitable and _can_build_tiles()


@functools.cache
def _can_build_tiles() -> bool:
    def check() -> None:
        from numba.core import cgutils

        check_parameters(cgutils.unpack_tuple, "builder", "tup")
        check_parameters(cgutils.for_range, "builder", "count")
        check_parameters(cgutils.for_range_slice, "builder", "start", "stop", "step")
        check_parameters(cgutils.alloca_once, "builder", "ty")

    return has_internals(check, "linear policies take about twice as long to choose")
