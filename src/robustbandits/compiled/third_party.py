"""Third-party modules and constants that a compiled state depends on.

Machine code contains whatever the names in a kernel stood for when it was compiled: helpers,
helpers of helpers, numbers. Numba's disk cache does not notice changes to these, so all of them go
into the name of the cache directory (see ``cache.py``).
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

#: Types of constants, besides functions, that end up in machine code.
CONSTANTS = (
    *(int, float, complex, str, bytes, type(None)),
    *(enum.Enum, np.generic, np.dtype, np.ndarray),
)


class ThirdParty(NamedTuple):
    """What states depend on outside this package; both are empty if there is nothing."""

    modules: tuple[str, ...]
    constants: tuple[str, ...]


def python_of(function: Any) -> Any:
    """Return the plain Python function behind a kernel."""
    return getattr(function, "py_func", function)


def is_own(module: str) -> bool:
    """Whether a module belongs to this package."""
    return module.split(".")[0] == "robustbandits"


def third_party_code(*states: Any) -> ThirdParty:
    """Return the modules and constants outside this package that the classes of states use."""
    modules: set[str] = set()
    constants: set[str] = set()
    seen: set[int] = set()
    classes = {cls for state in states for cls in _classes_of(state)}
    waiting = [part for cls in classes for part in (cls, *_members(cls))]
    while waiting:
        item = python_of(waiting.pop())
        module = getattr(item, "__module__", None) or ""
        if id(item) in seen or not module or not _is_third_party(module):
            continue
        seen.add(id(item))
        modules.add(module)
        if isinstance(item, type):
            waiting.extend(_members(item))
        for name, value in _names_in_function(item):
            if isinstance(value, CONSTANTS):
                constants.add(f"{module} {name} {_fingerprint(value)}")
            else:
                waiting.append(value)
    return ThirdParty(tuple(sorted(modules)), tuple(sorted(constants)))


def _classes_of(state: Any) -> set[type]:
    """Classes of a state and of the states inside it."""
    inner = (value for value in state if isinstance(value, tuple))
    return {type(state)}.union(*(_classes_of(value) for value in inner))


def _members(cls: type) -> Iterator[Any]:
    """Everything that a class defines or inherits."""
    for base in cls.__mro__:
        yield from vars(base).values()


def _names_in_function(function: Any) -> Iterator[tuple[str, Any]]:
    """Names that a function uses, with their values; modules and tuples are expanded."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    names = set(_names_in_code(code))
    waiting = list(inspect.getclosurevars(function).nonlocals.items())
    waiting += [(n, function.__globals__[n]) for n in names if n in function.__globals__]
    while waiting:
        name, value = waiting.pop()
        if inspect.ismodule(value):
            if _is_third_party(value.__name__):
                inside = vars(value)
                waiting.extend((f"{name}.{key}", inside[key]) for key in names & inside.keys())
        elif isinstance(value, tuple):
            waiting.extend((f"{name}[{i}]", part) for i, part in enumerate(value))
        else:
            yield name, value


def _names_in_code(code: CodeType) -> Iterator[str]:
    """Names of globals and attributes in a function and in the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in_code(constant)


def _fingerprint(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)


def _is_third_party(module: str) -> bool:
    top = module.split(".")[0]
    known = top in sys.stdlib_module_names or top in ("numpy", "numba", "scipy")
    return not known and not is_own(module)
