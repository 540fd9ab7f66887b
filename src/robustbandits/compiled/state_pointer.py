"""Pass a whole state to compiled code as one pointer.

A state is a tuple of arrays, numbers and further tuples: about sixty machine words. If it is passed
by value, they are copied at every call, and each use of a tuple inside a tuple makes Numba count
the references of all arrays within it, which is half of the code to compile. A *state pointer* is
the address of an array that holds those words. Compiled code reads a field when it needs it, and a
tuple inside a state is again a pointer; the source of a kernel is the same either way.

The words never change while compiled code runs, and are marked so for LLVM, which may read them
once and keep them in registers. The arrays behind them belong to the state, which its pointer keeps
alive.
"""

from __future__ import annotations

import functools
from typing import Any, Self

import numba
import numpy as np
from numba import types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from robustbandits.compiled.fallback import check_parameters, has_internals, warn_once
from robustbandits.compiled.jit import jit_is_on

#: Numbers that fit a machine word as they are.
NUMBERS = (types.int64, types.float64, types.boolean)


class StatePointer(int):
    """The address of a state's words. It keeps the words and the state alive.

    It is an int because compiled code can read an int fastest.
    """

    state: Any
    type: Any
    _words: Any

    def __new__(cls, state: Any) -> Self:
        """Return a pointer to a state whose fields all fit into machine words."""
        words = np.array(_words_of(state), dtype=np.int64)
        pointer = super().__new__(cls, words.ctypes.data)
        pointer.state = state
        pointer.type = StatePointerType(numba.typeof(state))
        pointer._words = words
        return pointer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.state,)  # a copy points to words of its own


def pointer_to(state: Any) -> Any:
    """Return a pointer to a state, or the state itself where pointers are not possible."""
    if not jit_is_on or not _can_read_fields():
        return state
    unsuitable = _unsuitable_field(numba.typeof(state))
    if unsuitable is None:
        return StatePointer(state)
    warn_once(
        type(state),
        f"{type(state).__name__} is passed to compiled code by value, so its games take longer to "
        f"compile, because of its field {unsuitable}: a state of arrays, int, float, bool, None "
        f"and NamedTuples only is passed as a pointer",
    )
    return state


def state_behind(pointer: Any) -> Any:
    """Return the state that a pointer points to; return anything else as it is."""
    return pointer.state if isinstance(pointer, StatePointer) else pointer


def _unsuitable_field(kind: types.Type, path: str = "") -> str | None:
    """Return a field that does not fit into machine words, with its type; None if all do."""
    if isinstance(kind, types.BaseNamedTuple):
        inner = zip(kind.types, kind.fields, strict=True)
        found = (_unsuitable_field(part, f"{path}.{name}".lstrip(".")) for part, name in inner)
        return next((field for field in found if field is not None), None)
    suitable = isinstance(kind, types.Array) or kind in (*NUMBERS, types.none)
    return None if suitable else f"{path} ({kind})"


def _words_of(value: Any) -> list[int]:
    if isinstance(value, tuple):
        return [word for inner in value for word in _words_of(inner)]
    if value is None:
        return []
    if isinstance(value, np.ndarray):
        return [value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, float):
        return [int(np.float64(value).view(np.int64))]
    return [int(value)]


def _count_words(kind: types.Type) -> int:
    if isinstance(kind, types.BaseNamedTuple):
        return sum(_count_words(inner) for inner in kind.types)
    if isinstance(kind, types.Array):
        return 1 + 2 * kind.ndim
    return 0 if kind == types.none else 1


# --------------------------------------------------------------------------- the type, for Numba


class StatePointerType(types.Type):  # type: ignore[misc]
    """Numba's type of a pointer to a named tuple."""

    def __init__(self, kind: Any):
        self.kind = kind
        self.instance_class = kind.instance_class
        super().__init__(name=f"pointer({kind})")

    @property
    def key(self) -> Any:
        """What Numba compares types by: names are equal if a class is defined twice."""
        return self.kind


register_model(StatePointerType)(models.OpaqueModel)


@typeof_impl.register(StatePointer)
def _typeof(pointer: StatePointer, context: Any) -> StatePointerType:
    return pointer.type


@unbox(StatePointerType)
def _unbox(kind: StatePointerType, pointer: Any, c: Any) -> NativeValue:
    return NativeValue(c.pyapi.long_as_voidptr(pointer))


@functools.cache
def _can_read_fields() -> bool:
    """Register how to read fields through a pointer; return False if Numba lacks the internals."""
    return has_internals(
        _register_fields, "states are passed by value, and games take longer to compile"
    )


def _register_fields() -> None:
    from numba.core.typing.templates import AttributeTemplate
    from numba.extending import infer_getattr, lower_getattr_generic
    from numba.np.arrayobj import populate_array

    check_parameters(populate_array, "array", "data", "shape", "strides", "itemsize", "meminfo")

    @infer_getattr
    class Fields(AttributeTemplate):  # type: ignore[misc]
        key = StatePointerType

        def generic_resolve(self, pointer: StatePointerType, name: str) -> types.Type | None:
            if name not in pointer.kind.fields:
                return None
            inner = pointer.kind.types[pointer.kind.fields.index(name)]
            return StatePointerType(inner) if isinstance(inner, types.BaseNamedTuple) else inner

    @lower_getattr_generic(StatePointerType)
    def read_field(context: Any, builder: Any, pointer_type: Any, address: Any, name: str) -> Any:
        return _read_field(context, builder, pointer_type.kind, address, name, populate_array)


def _read_field(
    context: Any, builder: Any, state_type: Any, address: Any, name: str, populate_array: Any
) -> Any:
    """Build the instructions that read one field of the state at an address."""
    from llvmlite import ir

    word_type = ir.IntType(64)
    index = state_type.fields.index(name)
    kind = state_type.types[index]
    words = builder.bitcast(address, word_type.as_pointer())
    start = sum(_count_words(inner) for inner in state_type.types[:index])

    def word(number: int) -> Any:
        value = builder.load(builder.gep(words, [word_type(start + number)]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(kind, types.BaseNamedTuple):
        return builder.bitcast(builder.gep(words, [word_type(start)]), address.type)
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
    if kind == types.none:
        return context.get_dummy_value()
    if kind == types.boolean:
        return builder.trunc(word(0), ir.IntType(1))
    return word(0) if kind == types.int64 else builder.bitcast(word(0), ir.DoubleType())
