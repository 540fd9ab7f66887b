"""Hand a whole state to a kernel as one address.

A state is a tuple of arrays, numbers and further tuples: some sixty machine words. Passed by value
they are copied at every call, and each mention of a tuple inside a tuple makes Numba count the
references of all arrays within it, which is half of what there is to compile. A *lease* is one
array that holds those words. Inside a kernel the fields of a leased state are read when they are
asked for, and a tuple inside it is leased again; kernels cannot tell the difference.

The words never change while machine code runs, and LLVM is told so: it may read them once and keep
them. The arrays behind them belong to the state, which a lease keeps alive.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.types.containers import BaseNamedTuple
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    NativeValue,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

from robustbandits.compiled.jit import jit_is_on

WORD = ir.IntType(64)
#: What a word holds as it is.
NUMBERS = (types.int64, types.float64, types.boolean)


class Lease:
    """The words of a state, and where they are."""

    def __init__(self, state: Any):
        self.state = state
        self.kind = Leased(numba.typeof(state))
        self._words = np.array(_words_of(state), dtype=np.int64)
        self.address = self._words.ctypes.data

    def __reduce__(self) -> tuple[Any, ...]:
        return Lease, (self.state,)  # a copy has words, and a state, of its own


def lease_state(state: Any) -> Any:
    """Return a lease of a state; the state itself when JIT is off, or holds what has no words."""
    return Lease(state) if jit_is_on and _has_words(numba.typeof(state)) else state


def _has_words(kind: types.Type) -> bool:
    if isinstance(kind, BaseNamedTuple):
        return all(_has_words(inner) for inner in kind.types)
    return isinstance(kind, types.Array) or kind in NUMBERS


def _words_of(value: Any) -> list[int]:
    if isinstance(value, tuple):
        return [word for inner in value for word in _words_of(inner)]
    if isinstance(value, np.ndarray):
        return [value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, float):
        return [int(np.float64(value).view(np.int64))]
    return [int(value)]


def _count_words(kind: types.Type) -> int:
    if isinstance(kind, BaseNamedTuple):
        return sum(_count_words(inner) for inner in kind.types)
    return 1 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


# ------------------------------------------------------------------------- what Numba must be told


class Leased(types.Type):
    """Type of a leased named tuple."""

    def __init__(self, kind: Any):
        self.kind = kind
        self.instance_class = kind.instance_class
        super().__init__(name=f"Leased({kind})")

    @property
    def key(self) -> Any:
        """What tells types apart: two classes may have one name, as in a cell that was edited."""
        return self.kind


register_model(Leased)(models.OpaqueModel)


@typeof_impl.register(Lease)
def _typeof(lease: Lease, context: Any) -> Leased:
    return lease.kind


@unbox(Leased)
def _unbox(kind: Leased, lease: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(lease, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Leased

    def generic_resolve(self, leased: Leased, name: str) -> types.Type | None:
        if name not in leased.kind.fields:
            return None
        inner = leased.kind.types[leased.kind.fields.index(name)]
        return Leased(inner) if isinstance(inner, BaseNamedTuple) else inner


@lower_getattr_generic(Leased)
def _read_field(context: Any, builder: Any, leased: Leased, address: Any, name: str) -> Any:
    index = leased.kind.fields.index(name)
    kind = leased.kind.types[index]
    words = builder.bitcast(address, WORD.as_pointer())
    start = sum(_count_words(inner) for inner in leased.kind.types[:index])

    def word(number: int) -> Any:
        value = builder.load(builder.gep(words, [WORD(start + number)]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(kind, BaseNamedTuple):
        return builder.bitcast(builder.gep(words, [WORD(start)]), address.type)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        populate_array(
            array,
            data=builder.inttoptr(word(0), array.data.type),
            shape=[word(1 + axis) for axis in range(kind.ndim)],
            strides=[word(1 + kind.ndim + axis) for axis in range(kind.ndim)],
            itemsize=context.get_abi_sizeof(context.get_data_type(kind.dtype)),
            meminfo=None,
        )
        return array._getvalue()
    if kind == types.boolean:
        return builder.trunc(word(0), ir.IntType(1))
    return word(0) if kind == types.int64 else builder.bitcast(word(0), ir.DoubleType())
