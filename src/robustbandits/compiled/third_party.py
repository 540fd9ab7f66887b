"""What other people's code ends up in our machine code: the modules and the constants of a state.

A kernel freezes whatever its names stood for when it was compiled: helpers, helpers of helpers,
numbers. Numba's disk cache would notice none of it, so all of it goes into the name of the
directory (see ``jit.py``).
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

#: What a kernel may freeze besides functions.
FROZEN = (
    *(int, float, complex, str, bytes, type(None)),
    *(enum.Enum, np.generic, np.dtype, np.ndarray),
)


class Outside(NamedTuple):
    """What a state is made of beyond this package; no modules when there is nothing."""

    modules: tuple[str, ...]
    constants: tuple[str, ...]


def python_of(function: Any) -> Any:
    """Return the plain Python function behind a kernel."""
    return getattr(function, "py_func", function)


def is_own(module: str) -> bool:
    """Whether a module is one of this package."""
    return module.split(".")[0] == "robustbandits"


def outside_of(*states: Any) -> Outside:
    """Return what the classes of states are made of, beyond this package."""
    modules: set[str] = set()
    constants: set[str] = set()
    seen: set[int] = set()
    kinds = {kind for state in states for kind in _kinds(state)}
    waiting = [part for kind in kinds for part in (kind, *_members(kind))]
    while waiting:
        item = python_of(waiting.pop())
        module = getattr(item, "__module__", None) or ""
        if id(item) in seen or not module or not _is_outside(module):
            continue
        seen.add(id(item))
        modules.add(module)
        if isinstance(item, type):
            waiting.extend(_members(item))
        for name, value in _names_of(item):
            if isinstance(value, FROZEN):
                constants.add(f"{module} {name} {_fingerprint(value)}")
            else:
                waiting.append(value)
    return Outside(tuple(sorted(modules)), tuple(sorted(constants)))


def _kinds(state: Any) -> set[type]:
    """Classes of a state and of the states that it holds."""
    inner = (value for value in state if isinstance(value, tuple))
    return {type(state)}.union(*(_kinds(value) for value in inner))


def _members(kind: type) -> Iterator[Any]:
    """Methods of a class, and those that it inherits, wherever they come from."""
    for base in kind.__mro__:
        yield from vars(base).values()


def _names_of(function: Any) -> Iterator[tuple[str, Any]]:
    """Names in a function, with what they stand for; of modules and tuples, what is in them."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    names = set(_names_in(code))
    waiting = list(inspect.getclosurevars(function).nonlocals.items())
    waiting += [(n, function.__globals__[n]) for n in names if n in function.__globals__]
    while waiting:
        name, value = waiting.pop()
        if inspect.ismodule(value):
            if _is_outside(value.__name__):
                inside = vars(value)
                waiting.extend((f"{name}.{key}", inside[key]) for key in names & inside.keys())
        elif isinstance(value, tuple):
            waiting.extend((f"{name}[{i}]", part) for i, part in enumerate(value))
        else:
            yield name, value


def _names_in(code: CodeType) -> Iterator[str]:
    """Names of globals and attributes in a function and in the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _fingerprint(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)


def _is_outside(module: str) -> bool:
    top = module.split(".")[0]
    library = top in sys.stdlib_module_names or top in ("numpy", "numba", "scipy")
    return not library and not is_own(module)
