"""How compiled code calls the kernels of a state: by the state's type, or by their addresses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self

import numba
from llvmlite import ir
from numba import types
from numba.extending import (
    NativeValue,
    intrinsic,
    make_attribute_wrapper,
    models,
    overload,
    register_model,
    unbox,
)

from robustbandits.compiled.cache import own_directory, third_party_directory
from robustbandits.compiled.fallback import check_parameters, has_internals
from robustbandits.compiled.jit import compile_into, compiles_ahead, python_of
from robustbandits.compiled.state_pointer import StatePointer
from robustbandits.compiled.third_party import ThirdParty


def calls_kernel(
    name: str, missing: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function: in compiled code it calls the kernel ``name`` of its first argument.

    Numba chooses the kernel by the *type* of that argument. ``missing`` is called for a state
    without such a kernel.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def choose_kernel(state: Any, *arguments: Any) -> Any:
            default = () if missing is None else (missing,)
            return python_of(getattr(state.instance_class, name, *default))

        overload(function, strict=False)(choose_kernel)
        return function

    return decorate


# ------------------------------------------------------------------------------------- by address


@functools.cache
def address_of(function: Any, code: ThirdParty, result: Any, arguments: tuple[Any, ...]) -> int:
    """Compile a function for these types, and return the address of its machine code.

    ``code`` is the third-party code that the function depends on.
    """
    directory = third_party_directory(code) if code.modules else own_directory()
    # Only machine code calls it, so the wrapper for calls from Python need not be compiled. That
    # wrapper would release the GIL; with nogil, Numba warns of kernels that call Python.
    options = {"no_cpython_wrapper": True, "nogil": False}
    compiled = compile_into(directory, python_of(function), **options)
    compiled.compile(arguments)
    (version,) = compiled.overloads.values()
    found = types.unliteral(version.signature.return_type)
    if found != result:
        message = f"{python_of(function).__qualname__} must return {result}, got {found}"
        # A loop that gets the state by value accepts any integer, and ignores unused results.
        fatal = result == types.int64 and not isinstance(found, types.Integer)
        raise TypeError(message) if fatal else numba.errors.TypingError(message)
    _alive.append(compiled)
    address: int = version.library.get_pointer_to_function(version.fndesc.llvm_func_name)
    return address


#: Keeps machine code alive that is known only by its address.
_alive: list[Any] = []


class Addresses(StatePointer):
    """Points to a named tuple of addresses; ``keep_alive`` is what the addresses belong to.

    In compiled code it has the fields and the kernels of the tuple, but cannot be used as a tuple.
    """

    keep_alive: Any

    def __new__(cls, addresses: Any, keep_alive: Any) -> Self:
        """Return a pointer to addresses."""
        pointer = super().__new__(cls, addresses)
        pointer.type = AddressesType(addresses.__class__)
        pointer.keep_alive = keep_alive
        return pointer

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("addresses are valid in one process only: they cannot be copied")


class AddressesType(types.Type):  # type: ignore[misc]
    """Numba's type of addresses."""

    def __init__(self, instance_class: Any):
        self.instance_class = instance_class
        super().__init__(name=instance_class.__name__)


def can_be_addresses(cls: Any) -> Any:
    """Decorate a named tuple of addresses, so that compiled code can read its fields.

    This is done at import, because anything registered with Numba later delays the next
    compilation.
    """
    for name in cls._fields:
        make_attribute_wrapper(AddressesType, name, name)
    return cls


@register_model(AddressesType)
class _AddressesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: AddressesType):
        super().__init__(
            manager, kind, [(name, types.int64) for name in kind.instance_class._fields]
        )


@unbox(AddressesType)
def _unbox(kind: AddressesType, pointer: Any, c: Any) -> NativeValue:
    from numba.core.cgutils import create_struct_proxy

    word = ir.IntType(64)
    words = c.builder.bitcast(c.pyapi.long_as_voidptr(pointer), word.as_pointer())
    addresses = create_struct_proxy(kind)(c.context, c.builder)
    for number, name in enumerate(kind.instance_class._fields):
        setattr(addresses, name, c.builder.load(c.builder.gep(words, [word(number)])))
    return NativeValue(addresses._getvalue())


def call_at(name: str, result: Any, arguments: tuple[Any, ...]) -> Any:
    """Return a function with which compiled code calls a kernel by its address.

    It takes the address of the kernel, that of the state, and arguments of exactly these types.
    """

    def call(typing: Any, address: Any, state: Any, *given: Any) -> Any:
        for found, expected in zip(given, arguments, strict=True):
            # Numba would pass the numbers of any array as if it were contiguous.
            if isinstance(expected, types.Array) and found != expected:
                raise numba.errors.TypingError(f"{name} expects {expected}, got {found}")
        return result(types.int64, types.int64, *arguments), build

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        passed = (types.voidptr, *arguments)
        convention = context.call_conv
        function_type = convention.get_function_type(result, passed).as_pointer()
        function = builder.inttoptr(values[0], function_type)
        state = builder.inttoptr(values[1], context.get_value_type(types.voidptr))
        status, value = convention.call_function(
            builder, function, result, passed, [state, *values[2:]]
        )
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return value

    names = ("typing", "address", "state", *(f"argument{i}" for i in range(len(arguments))))
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return intrinsic(call)


@functools.cache
def can_call_by_address() -> bool:
    """Whether Numba has the internals that calls by address need."""

    def check() -> None:
        from numba.core.callconv import CPUCallConv
        from numba.core.cgutils import create_struct_proxy  # noqa: F401
        from numba.core.codegen import JITCodeLibrary

        check_parameters(CPUCallConv.get_function_type, "self", "restype", "argtypes")
        check_parameters(
            CPUCallConv.call_function, "self", "builder", "callee", "resty", "argtys", "args"
        )
        check_parameters(CPUCallConv.return_status_propagate, "self", "builder", "status")
        check_parameters(JITCodeLibrary.get_pointer_to_function, "self", "name")

    otherwise = "every pair of a policy and an attack is compiled separately"
    return compiles_ahead() and has_internals(check, otherwise)
