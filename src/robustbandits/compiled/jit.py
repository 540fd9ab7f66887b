"""``@kernel`` and ``@program``: compile a function when it is first called.

Both give the same bits as plain Python, because ``fastmath`` is off. With ``NUMBA_DISABLE_JIT=1``
they return the function unchanged.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any, TypeVar

import numba

from robustbandits.compiled.cache import (
    can_write,
    example,
    keep_in,
    own_directory,
    third_party_directory,
)
from robustbandits.compiled.fallback import check_parameters, has_internals
from robustbandits.compiled.third_party import ThirdParty, is_own, third_party_code
from robustbandits.compiled.third_party import python_of as python_of

Function = TypeVar("Function", bound=Callable[..., Any])

jit_is_on = not numba.config.DISABLE_JIT


def kernel(function: Function) -> Function:
    """Compile ``function`` as a part of whatever calls it.

    For the kernels of a state (``choose``, ``learn``, ``propose_reward``, ...) and the functions
    that they call. Write plain loops over arrays, and ``math.sqrt`` rather than ``np.sqrt`` for
    numbers: ``np.linalg``, ``np.sort`` and the like take seconds to compile or cannot be compiled.
    With the environment variable ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, which is
    slow, but works in a debugger, and gives the same bits.

    Inlined into its caller, a kernel costs no call and takes a third less time to compile.
    """
    return _compile(function, inline="always") if jit_is_on else function


def program(function: Function) -> Function:
    """Compile ``function`` on its own.

    Use it for functions that Python calls, and for large ones that rarely run.
    """
    return _compile(function) if jit_is_on else function


def keeps_machine_code() -> bool:
    """Whether functions are compiled, and their machine code is kept on disk."""
    directory = own_directory() if jit_is_on else None
    return directory is not None and can_write(directory)


def compiled_for(function: Function, *states: Any) -> Function:
    """Return a program for these states: a separate copy if one of their classes is third-party.

    The machine code of the copy is kept under the hash of our sources *and* the third-party files,
    because Numba would not notice an edit there.
    """
    if not jit_is_on:
        return function
    code = third_party_code(*states)
    return _copy_for(function, code) if code.modules else function


def entry_point(function: Any, *examples: Any) -> Callable[..., Any]:
    """Return the machine code of a program for arguments of exactly the types of ``examples``.

    Calling it skips Numba's dispatch on types, which takes longer than a whole live decision. The
    caller must pass exactly these types: a wrong one is not noticed.
    """
    code = None
    if jit_is_on and compiles_ahead():
        code = function.compile(tuple(map(numba.typeof, examples)))
    return code if callable(code) else function


def compile_into(directory: str | None, function: Any, **options: Any) -> Any:
    """Let Numba compile a function on its first call, and keep the machine code in a directory."""
    options = {"nogil": True, "error_model": "numpy", **options}
    if _can_skip_wrappers():
        options = {"no_cfunc_wrapper": True, **options}  # no C code calls it
    else:
        options.pop("no_cpython_wrapper", None)
    compiled = numba.njit(**options)(function)
    if directory is not None:
        keep_in(directory, compiled)
    return compiled


def _compile(function: Any, **options: Any) -> Any:
    # Third-party kernels are kept as parts of the programs that use them: see `compiled_for`.
    directory = own_directory() if is_own(function.__module__) else None
    return compile_into(directory, function, **options)


@functools.cache
def _copy_for(function: Function, code: ThirdParty) -> Function:
    copy: Function = compile_into(third_party_directory(code), python_of(function))
    return copy


def _pause_garbage_collection() -> None:
    """Let garbage collection pause while Numba compiles: it would take a tenth of the time."""
    from numba.core.event import Listener, register

    class Pause(Listener):  # type: ignore[misc]
        depth = 0  # compiling a function compiles those that it calls; one thread at a time does
        was_enabled = False

        def on_start(self, event: Any) -> None:
            if self.depth == 0:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0 and self.was_enabled:
                gc.enable()

    register("numba:compile", Pause())


if jit_is_on:
    has_internals(_pause_garbage_collection, "compiling takes a tenth longer")


# --------------------------------------------------------------------- checks of Numba, done once


@functools.cache
def compiles_ahead() -> bool:
    """Whether Numba can compile a function for given types before it is called."""

    def check() -> None:
        check_parameters(type(numba.njit(example)).compile, "self", "sig")

    return has_internals(check, "live decisions are slower, and games take longer to compile")


@functools.cache
def _can_skip_wrappers() -> bool:
    def check() -> None:
        from numba.core.cpu import CPUTargetOptions

        CPUTargetOptions.no_cfunc_wrapper  # noqa: B018
        CPUTargetOptions.no_cpython_wrapper  # noqa: B018

    return has_internals(check, "compiling takes longer")
