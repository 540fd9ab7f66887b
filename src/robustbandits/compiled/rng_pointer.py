"""Hand a NumPy random stream to a kernel at the price of one small array.

Numba takes about 12 microseconds to unwrap a ``numpy.random.Generator`` at each call from Python:
nothing for a loop of a thousand rounds, but the larger part of a live decision. A *lease* is the
array of addresses that unwrapping would find; inside a kernel, :func:`borrow` turns it back into
the very same generator.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from robustbandits.compiled.jit import jit_is_on

#: Fields of Numba's unwrapped bit generator that random draws read, in the order of a lease.
FIELDS = ("state_address", "state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")

Lease = npt.NDArray[np.uintp]


def lease(generator: np.random.Generator) -> Any:
    """Addresses of a generator, valid as long as it lives; the generator itself when JIT is off."""
    if not jit_is_on:
        return generator
    interface = generator.bit_generator.ctypes
    functions = (interface.next_uint64, interface.next_uint32, interface.next_double)
    pointers = [interface.state_address, interface.state.value]
    pointers += [ctypes.cast(function, ctypes.c_void_p).value for function in functions]
    return np.array(pointers, dtype=np.uintp)


def borrow(leased: Any) -> np.random.Generator:
    """Return the generator behind a lease, inside a kernel."""
    generator: np.random.Generator = leased
    return generator


@overload(borrow, strict=False)
def _borrow(leased: Any) -> Any:
    if isinstance(leased, types.Array):
        return lambda leased: _generator_at(leased[0], leased[1], leased[2], leased[3], leased[4])
    return lambda leased: leased


@intrinsic
def _generator_at(
    typing: Any, state_address: Any, state: Any, uint64: Any, uint32: Any, double: Any
) -> Any:
    kind = numba.typeof(np.random.default_rng(0))

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        generator = cgutils.create_struct_proxy(kind)(context, builder)
        inner_kind = context.data_model_manager[kind].get_member_fe_type("bit_generator")
        inner = cgutils.create_struct_proxy(inner_kind)(context, builder)
        for field, value in zip(FIELDS, arguments, strict=True):
            setattr(inner, field, value)
        generator.bit_generator = inner._getvalue()
        return generator._getvalue()

    return kind(*[types.uintp] * len(FIELDS)), build
