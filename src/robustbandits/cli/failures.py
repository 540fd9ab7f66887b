"""How a command ends: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

An expected failure (bad input, a missing file, a full disk, an optional library that is not
installed) prints one line to the error stream. ``ROBUSTBANDITS_TRACEBACK=1`` shows the traceback.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

FAILED, INTERRUPTED = 1, 130


class Commands(TyperGroup):
    """The group of all commands: prints expected failures as one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader, for example `head`, has closed the pipe
            raise
        except (ValueError, OSError, ImportError, MemoryError) as error:
            if os.environ.get("ROBUSTBANDITS_TRACEBACK"):
                raise
            typer.echo(f"error: {_message(error)}", err=True)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory {error}".strip()
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    text = " ".join(str(error).split()) or type(error).__name__
    notes = getattr(error, "__notes__", ())
    return f"{text} ({'; '.join(notes)}; ROBUSTBANDITS_TRACEBACK=1 shows where)" if notes else text


@contextmanager
def resumable(store: Path) -> Iterator[None]:
    """Say on Ctrl-C that finished matches are stored and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        message = f"interrupted; finished matches are in {store}: run the same command to continue"
        typer.echo(message, err=True)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def usage_errors(parameter: str) -> Iterator[None]:
    """Report a ValueError as wrong usage of a parameter."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=parameter) from None
