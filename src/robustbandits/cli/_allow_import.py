"""``--allow-import``: the permission to import third-party recipes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer


def allow_import_option(folder: str) -> Any:
    """Return the option; ``folder`` says in its help where modules are looked for first."""
    return typer.Option(
        "--allow-import",
        help=f"Import recipes written as module:Class, which runs the module's code. "
        f"Python looks for modules in {folder} first.",
    )


def search_first(folder: Path) -> None:
    """Make Python look for modules in a folder first, as it does in the folder of a script."""
    sys.path.insert(0, str(folder.resolve()))
