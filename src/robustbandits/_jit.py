"""``@kernel``: compile on first call, and keep the machine code where it cannot go stale.

Numba's disk cache looks only at the file of the cached function. Edit a helper in another file and
it serves the old machine code, silently. So the cache lives in a directory named by the hash of
every source file that may end up in a kernel: any edit starts a new directory. This is the only
file that knows about it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import inspect
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
#: Everything a kernel may be compiled from. Reports and the command line are not in it.
KERNEL_SOURCES = ("_jit.py", "kernels", "game", "policies", "attacks")
#: How many generations of machine code to keep on disk: our own, and those with outside policies.
GENERATIONS = {"own": 5, "outside": 20}

jit_is_on = not numba.config.DISABLE_JIT


def cache_root() -> Path:
    """Where machine code is kept: ``ROBUSTBANDITS_CACHE``, or the user's cache directory."""
    chosen = os.environ.get("ROBUSTBANDITS_CACHE")
    if chosen:
        return Path(chosen)
    return Path(platformdirs.user_cache_dir("robustbandits")) / "kernels"


def source_files() -> list[Path]:
    """Return the package's own files that kernels are compiled from."""
    files: list[Path] = []
    for name in KERNEL_SOURCES:
        path = PACKAGE / name
        files.extend(sorted(path.rglob("*.py")) if path.is_dir() else [path])
    return files


def source_hash(files: Iterable[Path]) -> str:
    """Fingerprint of source files, of Numba and of Python."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _open_directory(kind: str, files: Iterable[Path]) -> str | None:
    """Create the cache directory for these sources; None when nothing can be written there."""
    directory = cache_root() / f"{kind}-{source_hash(files)}"
    try:
        fresh = not directory.is_dir()
        directory.mkdir(parents=True, exist_ok=True)
        if not os.access(directory, os.W_OK):
            return None
        if fresh:
            _forget_old_generations(directory.parent, kind)
    except OSError:
        return None
    return str(directory)


def _forget_old_generations(root: Path, kind: str) -> None:
    """Delete all but the newest directories of one kind; leave everything else alone."""
    ours = [path for path in root.iterdir() if re.fullmatch(kind + "-[0-9a-f]{20}", path.name)]
    ours.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for old in ours[GENERATIONS[kind] :]:
        shutil.rmtree(old, ignore_errors=True)


def _compile(function: Function, directory: str | None, **options: Any) -> Function:
    before = numba.config.CACHE_DIR
    # A public knob, turned only while decorating: other users of Numba keep their own setting.
    numba.config.CACHE_DIR = directory or ""
    try:
        options |= {"nogil": True, "error_model": "numpy", "cache": directory is not None}
        options["no_cfunc_wrapper"] = True  # for callers in C: there are none
        compiled: Function = numba.njit(**options)(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = before


@functools.cache
def _own_directory() -> str | None:
    return _open_directory("own", source_files())


def _directory_of(function: Any) -> str | None:
    """Where a function's machine code may be kept: ours only, as we hash our own files only."""
    return _own_directory() if _is_own(function.__module__) else None


def _is_own(module: str) -> bool:
    return module.split(".")[0] == __package__


def kernel(function: Function) -> Function:
    """Compile ``function`` as a part of whatever calls it. Same bits as plain Python: no fast math.

    Spliced into its caller, it costs no call and, measured, a third less time to compile.
    """
    return _compile(function, _directory_of(function), inline="always") if jit_is_on else function


def program(function: Function) -> Function:
    """Compile ``function`` by itself: what Python calls, and what is large and seldom run."""
    return _compile(function, _directory_of(function)) if jit_is_on else function


def python_of(function: Any) -> Any:
    """Return the plain Python function behind a kernel."""
    return getattr(function, "py_func", function)


def compiled_for(function: Function, *states: Any) -> Function:
    """Return ``function``, compiled anew when a state's class was written outside this package.

    Its machine code then lives under the hash of our sources *and* the outside files, because
    Numba would not notice an edit there. A class without a file (a notebook) is never cached.
    """
    if not jit_is_on:
        return function
    outside = outside_modules(*states)
    return _compiled_outside(function, outside) if outside else function


def outside_modules(*states: Any) -> tuple[str, ...]:
    """Names of the modules outside this package that the classes of states are made of."""
    kinds = {kind for state in states for kind in _kinds(state)}
    return tuple(sorted({module for kind in kinds for module in _modules_of(kind)}))


def entry_point(function: Any, *examples: Any) -> Callable[..., Any]:
    """Return the machine code of a program for arguments of exactly the types of ``examples``.

    Calling it skips Numba's look at the types, which takes longer than a whole live decision. The
    caller vouches for the types: a wrong one is not noticed.
    """
    if not jit_is_on:
        plain: Callable[..., Any] = function
        return plain
    with _without_collector():
        code: Callable[..., Any] = function.compile(tuple(map(numba.typeof, examples)))
    return code


@functools.cache
def address_of(
    function: Any, outside: tuple[str, ...], result: Any, arguments: tuple[Any, ...]
) -> int:
    """Address of a function's machine code for these types, for other machine code to call.

    ``outside`` names the modules beyond this package that it is made of.
    """
    directory = _directory_for(outside) if outside else _own_directory()
    # Python never calls it: what would unwrap its arguments need not be compiled.
    compiled: Any = _compile(python_of(function), directory, no_cpython_wrapper=True)
    with _without_collector():
        compiled.compile(arguments)
    (code,) = compiled.overloads.values()
    found = numba.types.unliteral(code.signature.return_type)
    if found != result:
        name = python_of(function).__qualname__
        raise TypeError(f"{name} must return {result}; it returns {found}")
    _alive.append(compiled)
    address: int = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
    return address


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Compile without Python's search for garbage cycles: it takes a sixth of the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


#: Keeps machine code that is known by its address only.
_alive: list[Any] = []


def _kinds(state: Any) -> set[type]:
    """Classes of a state and of the states that it holds."""
    inner = (value for value in state if isinstance(value, tuple))
    return {type(state)}.union(*(_kinds(value) for value in inner))


def _modules_of(kind: type) -> set[str]:
    """Names of the outside modules that a state's class is made of, helpers included."""
    found = set() if _is_own(kind.__module__) else {kind.__module__}
    waiting = [python_of(value) for value in vars(kind).values()]
    seen: set[int] = set()
    while waiting:
        function = waiting.pop()
        module = getattr(function, "__module__", None) or ""
        code = getattr(function, "__code__", None)
        if code is None or id(function) in seen or _is_own(module) or _is_library(module):
            continue
        seen.add(id(function))
        found.add(module)
        for name in code.co_names:
            value = function.__globals__.get(name)
            # A helper itself, or all of a module that helpers are taken from.
            inside = vars(value).values() if inspect.ismodule(value) else (value,)
            waiting.extend(python_of(item) for item in inside)
    return found


def _is_library(module: str) -> bool:
    top = module.split(".")[0]
    return top in sys.stdlib_module_names or top in ("numpy", "numba", "scipy")


@functools.cache
def _compiled_outside(function: Function, modules: tuple[str, ...]) -> Function:
    return _compile(python_of(function), _directory_for(modules))


def _directory_for(modules: tuple[str, ...]) -> str | None:
    """Where to keep code of outside modules; a prompt or a notebook has no file to hash."""
    files = [_file_of(name) for name in modules]
    if not all(file is not None for file in files):
        return None
    return _open_directory("outside", [*source_files(), *(f for f in files if f)])


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None
