"""Columns moved by an offset each, or all by the same one: in tiles, as columns.py has them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from robustbandits._jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.tiles import Tile, fits, generator


@kernel
def shift_columns(columns: Floats, offsets: Floats, out: Floats) -> None:
    """Write each column plus its offset; if there is only one offset, it is everybody's."""
    done = _tiles(columns, offsets, out)
    dim, count = columns.shape
    own = offsets.shape[1] == count
    for i in range(dim):
        for a in range(done, count):
            out[i, a] = columns[i, a] + offsets[i, a if own else 0]


def _tiles(columns: Floats, offsets: Floats, out: Floats) -> int:
    """Do whole tiles of columns; return how many columns that were. None in plain Python."""
    return 0


@overload(_tiles, strict=False)
def _tiles_compiled(columns: Any, offsets: Any, out: Any) -> Any:
    if not fits(columns, offsets, out):
        return _tiles

    def walk(columns, offsets, out):  # type: ignore[no-untyped-def]
        fours = columns.shape[1] - columns.shape[1] % 4
        if offsets.shape[1] == columns.shape[1]:
            for start in range(0, fours, 4):
                _own(columns, offsets, out, start)
        else:
            for start in range(0, fours, 4):
                _one_for_all(columns, offsets, out, start)
        return fours

    return walk


def _tile(own: bool) -> Any:
    """Return an intrinsic for four columns."""

    def generate(tile: Tile) -> None:
        dim, _ = tile.shape("columns")
        with cgutils.for_range(tile.builder, dim) as rows:
            i = rows.index
            number = None if own else tile.entry("offsets", i, ir.IntType(64)(0))
            offset = tile.row("offsets", i) if own else tile.spread(number)
            tile.write("out", i, tile.builder.fadd(tile.row("columns", i), offset))

    def tile(typing: Any, columns: Any, offsets: Any, out: Any, start: Any) -> Any:
        signature = types.void(columns, offsets, out, types.intp)
        return signature, generator(("columns", "offsets", "out"), 4, generate)

    return intrinsic(tile)


_own = _tile(own=True)
_one_for_all = _tile(own=False)
