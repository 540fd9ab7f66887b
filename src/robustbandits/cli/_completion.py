"""How the shell completes the arguments of commands."""

from __future__ import annotations

from typing import Any


def complete(section: str) -> Any:
    """Return a function that completes the name of a recipe for the shell."""

    def names(incomplete: str) -> list[str]:
        from robustbandits.experiments.registry import kinds

        return [name for name in kinds(section) if name.startswith(incomplete)]

    return names
