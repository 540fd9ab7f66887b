"""Pass a NumPy random generator to compiled code as a small array of addresses.

Numba takes about 12 microseconds to unpack a ``numpy.random.Generator`` at each call from Python:
nothing for a loop of a thousand rounds, but most of a live decision. An *rng pointer* holds the
addresses that unpacking would find, from which :func:`rng_at` rebuilds the generator in compiled
code.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from robustbandits.compiled.fallback import has_internals
from robustbandits.compiled.jit import jit_is_on

#: Fields of Numba's unpacked bit generator that random draws read, in the order of a pointer.
FIELDS = ("state_address", "state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
#: The other fields, which draws do not read.
UNUSED_FIELDS = ("parent", "bit_generator")


def rng_pointer(generator: np.random.Generator) -> Any:
    """Return the addresses of a generator; they are valid as long as it lives.

    Where this is not possible, return the generator itself.
    """
    if not jit_is_on or not _can_build_generators():
        return generator
    interface = generator.bit_generator.ctypes
    functions = (interface.next_uint64, interface.next_uint32, interface.next_double)
    addresses = [interface.state_address, interface.state.value]
    addresses += [ctypes.cast(function, ctypes.c_void_p).value for function in functions]
    return np.array(addresses, dtype=np.uintp)


def rng_at(pointer: Any) -> np.random.Generator:
    """Return the generator behind a pointer, in compiled code; a generator is returned as it is."""
    generator: np.random.Generator = pointer
    return generator


@overload(rng_at, strict=False)
def _rng_at(pointer: Any) -> Any:
    if isinstance(pointer, types.Array):
        return lambda pointer: _build(pointer[0], pointer[1], pointer[2], pointer[3], pointer[4])
    return lambda pointer: pointer


@intrinsic
def _build(
    typing: Any, state_address: Any, state: Any, uint64: Any, uint32: Any, double: Any
) -> Any:
    from numba.core.cgutils import create_struct_proxy

    generator_type = _generator_type()

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        generator = create_struct_proxy(generator_type)(context, builder)
        inner_type = context.data_model_manager[generator_type].get_member_fe_type("bit_generator")
        inner = create_struct_proxy(inner_type)(context, builder)
        for field, value in zip(FIELDS, arguments, strict=True):
            setattr(inner, field, value)
        generator.bit_generator = inner._getvalue()
        return generator._getvalue()

    return generator_type(*[types.uintp] * len(FIELDS)), build


def _generator_type() -> Any:
    return numba.typeof(np.random.default_rng(0))


@functools.cache
def _can_build_generators() -> bool:
    def check() -> None:
        importlib.import_module("numba.np.random.generator_core")  # registers the types used below
        from numba.core.cgutils import create_struct_proxy  # noqa: F401
        from numba.core.datamodel import default_manager

        inner = default_manager[_generator_type()].get_member_fe_type("bit_generator")
        model = default_manager[inner]
        if model.field_count != len(FIELDS) + len(UNUSED_FIELDS):
            raise TypeError(f"a bit generator has {model.field_count} fields")
        for field in FIELDS:
            if model.get_member_fe_type(field) != types.uintp:
                raise TypeError(f"{field} of a bit generator is not an address")

    return has_internals(check, "a live decision takes several microseconds longer")
