"""Optional packages: what to install if one is missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable


def install_hint(extra: str) -> str:
    """Return the commands that install an extra: from an index, or in a checkout."""
    return f"pip install 'robustbandits[{extra}]', or in a checkout: pip install '.[{extra}]'"


def missing_package(what: str, package: str, extra: str) -> ImportError:
    """Return the error for something that needs a package of an extra."""
    return ImportError(f"{what} {package}: {install_hint(extra)}")


def require_packages(what: str, packages: Iterable[str], extra: str) -> None:
    """Raise ImportError if packages of an extra are missing; the message names all of them."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise missing_package(f"{what} needs", " and ".join(missing), extra)
