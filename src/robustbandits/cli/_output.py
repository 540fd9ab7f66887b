"""How commands print their results."""

from __future__ import annotations

import os
import sys

import typer


def show(text: str) -> None:
    """Print the result of a command. A reader that stops early, such as `head`, is no failure."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        # Python flushes the stream once more at its end, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
