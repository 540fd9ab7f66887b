"""Public names of a package, imported when they are first used.

The stub beside a package's ``__init__.py`` lists its public names, one import a line, in reading
order. Type checkers read the stub as it is; :func:`exports` makes the same names available at run
time without importing them, so that ``import robustbandits`` stays fast and does not load Numba.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def exports(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package.

    Pass the package's ``__name__`` and ``__file__``. A line ``from . import name as name`` of the
    stub stands for the submodule ``name``, any other line for a name in the module it imports from.
    An exported function must not have the name of a submodule of the package: importing that
    submodule would replace the function.
    """
    stub = Path(file).with_suffix(".pyi")
    modules = {
        alias.name: "." * node.level + (node.module or alias.name)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(modules[name], package)
        return module if modules[name] == f".{name}" else getattr(module, name)

    return get, lambda: sorted(modules), list(modules)
