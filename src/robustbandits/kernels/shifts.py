"""Columns moved by an offset each: in tiles, as columns.py has them."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from robustbandits.compiled.jit import kernel
from robustbandits.compiled.simd import Tile, can_tile, tile_function
from robustbandits.kernels.linalg import Floats


@kernel
def shift_columns(columns: Floats, offsets: Floats, out: Floats) -> None:
    """Write each column plus its offset; ``out`` may be one of the two."""
    _shift(columns, offsets, out)


def _shift(columns: Floats, offsets: Floats, out: Floats) -> None:
    dim, count = columns.shape
    for i in range(dim):
        for a in range(count):
            out[i, a] = columns[i, a] + offsets[i, a]


@overload(_shift, strict=False)
def _shift_compiled(columns: Any, offsets: Any, out: Any) -> Any:
    if not can_tile(columns, offsets, out):
        return _shift

    def walk(columns, offsets, out):  # type: ignore[no-untyped-def]
        count = columns.shape[1]
        fours = count - count % 4
        for start in range(0, fours, 4):
            _tile_of_4(columns, offsets, out, start)
        for start in range(fours, count):
            _tile_of_1(columns, offsets, out, start)

    return walk


def _generate(tile: Tile) -> None:
    dim, _ = tile.shape("columns")
    with tile.up_to(dim) as rows:
        total = tile.builder.fadd(tile.row("columns", rows.index), tile.row("offsets", rows.index))
        tile.write("out", rows.index, total)


_ARRAYS = ("columns", "offsets", "out")
_tile_of_4, _tile_of_1 = (tile_function(_ARRAYS, n, _generate) for n in (4, 1))
