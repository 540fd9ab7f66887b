"""The command line. Commands import what they need when they run, so that --help stays quick."""

from __future__ import annotations

from typing import Annotated

import typer

import robustbandits
from robustbandits.cli import reproduce

app = typer.Typer(
    name="robustbandits",
    help="Contextual bandits that must not be fooled: defend, attack, measure.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
app.command("reproduce")(reproduce.reproduce)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(robustbandits.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted; nothing was written", err=True)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
