"""The command line. Commands import what they need when they run, so that --help is quick."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

import robustbandits
from robustbandits.cli.failures import INTERRUPTED, Commands

#: Each verb is a module of this package with a function of its name, or ``app``, a group of them.
VERBS = ("play", "redteam", "run", "report", "reproduce", "list", "bench", "data", "cache")

app = typer.Typer(
    name="robustbandits",
    cls=Commands,
    help="Contextual bandits that withstand corrupted rewards: play, attack, measure.",
    no_args_is_help=True,
    add_completion=True,
    # Plain text takes half the time of rich text, and has no colors to switch off.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for verb in VERBS:
    module = importlib.import_module(f"robustbandits.cli.{verb}")
    if hasattr(module, "app"):
        app.add_typer(module.app, name=verb)
    else:
        app.command(verb)(getattr(module, verb if verb != "list" else "list_"))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(robustbandits.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

    ``redteam --fail-over`` also has 3: the regret is above the limit.
    """
    try:
        app()
    except KeyboardInterrupt:  # outside a command
        typer.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
