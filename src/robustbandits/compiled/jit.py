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
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs

from robustbandits.compiled.third_party import Outside, is_own
from robustbandits.compiled.third_party import outside_of as outside_of
from robustbandits.compiled.third_party import python_of as python_of

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parents[1]
#: Everything a kernel may be compiled from. Reports and the command line are not in it.
KERNEL_SOURCES = ("compiled", "kernels", "game", "ratings", "policies", "attacks", "agent")
#: How many generations of machine code to keep on disk: our own, and those with outside policies.
GENERATIONS = {"own": 5, "outside": 20}

#: Tells this process' files of machine code from those of others.
OURS = secrets.token_hex(4)

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


def source_hash(files: Iterable[Path], constants: Iterable[str] = ()) -> str:
    """Fingerprint of source files, of what they take from elsewhere, of Numba and of Python."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for constant in constants:
        digest.update(constant.encode() + b"\0")
    return digest.hexdigest()[:20]


def _open_directory(kind: str, files: Iterable[Path], constants: Iterable[str] = ()) -> str | None:
    """Create the cache directory for these sources; None when nothing can be written there."""
    directory = cache_root() / f"{kind}-{source_hash(files, constants)}"
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


def _compile(function: Any, directory: str | None, **options: Any) -> Any:
    before = numba.config.CACHE_DIR
    # A public knob, turned only while decorating: other users of Numba keep their own setting.
    numba.config.CACHE_DIR = directory or ""
    try:
        options |= {"nogil": True, "error_model": "numpy", "cache": directory is not None}
        options["no_cfunc_wrapper"] = True  # for callers in C: there are none
        compiled: Any = numba.njit(**options)(function)
    finally:
        numba.config.CACHE_DIR = before
    if directory is not None:
        # Two processes that compile a function for two types at once would both call their file
        # the first, and the index might then lead to the wrong one.
        files = compiled._cache._cache_file
        files._data_name_pattern = files._data_name_pattern.replace("{", OURS + "-{")
    return compiled


@functools.cache
def _own_directory() -> str | None:
    return _open_directory("own", source_files())


def keeps_machine_code() -> bool:
    """Whether anything is compiled, and can be written where it is kept."""
    return jit_is_on and _own_directory() is not None


def _directory_of(function: Any) -> str | None:
    """Where a function's machine code may be kept: ours only, as we hash our own files only."""
    return _own_directory() if is_own(function.__module__) else None


def kernel(function: Function) -> Function:
    """Compile ``function`` as a part of whatever calls it. Same bits as plain Python: no fast math.

    Spliced into its caller, it costs no call and, measured, a third less time to compile.
    """
    return _compile(function, _directory_of(function), inline="always") if jit_is_on else function


def program(function: Function) -> Function:
    """Compile ``function`` by itself: what Python calls, and what is large and seldom run."""
    return _compile(function, _directory_of(function)) if jit_is_on else function


def compiled_for(function: Function, *states: Any) -> Function:
    """Return ``function``, compiled anew when a state's class was written outside this package.

    Its machine code then lives under the hash of our sources *and* the outside files, because
    Numba would not notice an edit there. A class without a file (a notebook) is never cached.
    """
    if not jit_is_on:
        return function
    outside = outside_of(*states)
    return _compiled_outside(function, outside) if outside.modules else function


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
def address_of(function: Any, outside: Outside, result: Any, arguments: tuple[Any, ...]) -> int:
    """Address of a function's machine code for these types, for other machine code to call.

    ``outside`` is what it is made of beyond this package.
    """
    directory = _directory_for(outside) if outside.modules else _own_directory()
    # Python never calls it: what would unwrap its arguments need not be compiled.
    compiled: Any = _compile(python_of(function), directory, no_cpython_wrapper=True)
    with _without_collector():
        compiled.compile(arguments)
    (code,) = compiled.overloads.values()
    found = numba.types.unliteral(code.signature.return_type)
    if found != result:
        complaint = f"{python_of(function).__qualname__} must return {result}; it returns {found}"
        # A loop of its own would make do with any whole number, and with a result that it ignores.
        hopeless = result == numba.types.int64 and not isinstance(found, numba.types.Integer)
        raise TypeError(complaint) if hopeless else numba.TypingError(complaint)
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


@functools.cache
def _compiled_outside(function: Function, outside: Outside) -> Function:
    return _compile(python_of(function), _directory_for(outside))


def _directory_for(outside: Outside) -> str | None:
    """Where to keep code from outside; a prompt or a notebook has no file to hash."""
    files = [_file_of(name) for name in outside.modules]
    if not all(file is not None for file in files):
        return None
    known = [*source_files(), *(file for file in files if file)]
    return _open_directory("outside", known, outside.constants)


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None
