"""How a command ends: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

A known failure (bad input, a missing file, a full disk, an optional library that is not installed)
is one line on the error stream. ``ROBUSTBANDITS_TRACEBACK=1`` shows where it came from.
"""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperGroup

FAILED, INTERRUPTED = 1, 130


class Commands(TyperGroup):
    """The commands, with failures told in one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader, `head` for one, has seen enough
            raise
        except (ValueError, OSError, ImportError, MemoryError) as error:
            if os.environ.get("ROBUSTBANDITS_TRACEBACK"):
                raise
            typer.echo(f"error: {_sentence(error)}", err=True)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory {error}".strip()
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
