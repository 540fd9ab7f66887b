"""Columns of matrices in vector registers: what the kernels that build LLVM instructions share.

A tile is 8, 4 or 1 neighbouring columns. What is done to one is done to all columns of a tile at
once, in the same order as a plain loop would do it to each, so all give the same bits
(docs/decisions/0002).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types


class Tile:
    """Instructions for some columns, from ``start`` on, of C-contiguous matrices of one width."""

    def __init__(self, builder: Any, arrays: dict[str, Any], start: Any, lanes: int):
        self.builder = builder
        self.lanes = lanes
        self.pack = ir.VectorType(ir.DoubleType(), lanes)
        self._arrays = arrays
        self._start = start

    def shape(self, name: str) -> Any:
        """Return rows and columns of an array."""
        return cgutils.unpack_tuple(self.builder, self._arrays[name].shape)

    def row(self, name: str, index: Any) -> Any:
        """Read the tile's part of a row."""
        return self.builder.load(self._place(name, index), align=8, typ=self.pack)

    def write(self, name: str, index: Any, value: Any) -> None:
        """Write the tile's part of a row."""
        self.builder.store(value, self._place(name, index), align=8)

    def _place(self, name: str, index: Any) -> Any:
        offset = self._start
        if len(self.shape(name)) == 2:
            width = self.shape(name)[1]
            offset = self.builder.add(self.builder.mul(index, width), offset)
        return self.builder.bitcast(self.element(name, offset), self.pack.as_pointer())

    def element(self, name: str, index: Any) -> Any:
        """Address of a number, counted along memory."""
        return self.builder.gep(self._arrays[name].data, [index])

    def entry(self, name: str, i: Any, j: Any) -> Any:
        """Read one number of a matrix."""
        width = self.shape(name)[1]
        return self.builder.load(
            self.element(name, self.builder.add(self.builder.mul(i, width), j))
        )

    def spread(self, number: Any) -> Any:
        """Put one number into every lane."""
        blank = ir.Constant(self.pack, ir.Undefined)
        first = self.builder.insert_element(blank, number, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, blank, mask)

    def full(self, number: float) -> Any:
        """Return a constant in every lane."""
        return ir.Constant(self.pack, [number] * self.lanes)

    def blocks(self, count: Any, size: int) -> Iterator[tuple[Any, int]]:
        """Count up to a number in blocks of so many, and then one by one.

        What is done with a block is built once for whole blocks, and once for what is left.
        """
        builder = self.builder
        zero, width = ir.IntType(64)(0), ir.IntType(64)(size)
        whole = builder.sub(count, builder.urem(count, width))
        with cgutils.for_range_slice(builder, zero, whole, width) as (index, _):
            yield index, size
        with cgutils.for_range_slice(builder, whole, count, ir.IntType(64)(1)) as (index, _):
            yield index, 1

    def total(self) -> Total:
        """Return a sum that starts at zero, wherever in a loop it is asked for."""
        place = cgutils.alloca_once(self.builder, self.pack)
        self.builder.store(self.full(0.0), place)
        return Total(self.builder, place)


class Total:
    """A sum in progress, one for each column of a tile."""

    def __init__(self, builder: Any, place: Any):
        self._builder = builder
        self._place = place

    def add(self, value: Any) -> None:
        """Add to it."""
        self._builder.store(self._builder.fadd(self.value(), value), self._place)

    def set(self, value: Any) -> None:
        """Start from another number than zero."""
        self._builder.store(value, self._place)

    def value(self) -> Any:
        """Read it."""
        return self._builder.load(self._place)


def fits(*kinds: Any) -> bool:
    """Whether tiles can walk along these arrays."""
    return all(kind.layout == "C" and kind.dtype == types.float64 for kind in kinds)


def generator(
    names: tuple[str, ...], lanes: int, generate: Callable[[Tile], None]
) -> Callable[..., None]:
    """Return what builds the instructions of an intrinsic: arrays of these names, then a start."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        arrays = {
            name: context.make_array(kind)(context, builder, value)
            for name, kind, value in zip(names, signature.args[:-1], arguments[:-1], strict=True)
        }
        generate(Tile(builder, arrays, arguments[-1], lanes))

    return build
