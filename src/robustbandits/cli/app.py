"""The command line. Commands import what they need when they run, so that --help stays quick."""

from __future__ import annotations

from typing import Annotated

import typer

import robustbandits
from robustbandits.cli import bench, cache, data, play, report, reproduce, run
from robustbandits.cli import list as listing
from robustbandits.cli.failures import INTERRUPTED, Commands

app = typer.Typer(
    name="robustbandits",
    cls=Commands,
    help="Contextual bandits that must not be fooled: defend, attack, measure.",
    no_args_is_help=True,
    add_completion=True,
    # Plain text: half the time of a drawn help page, and no colours to switch off.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("play")(play.play_one)
app.command("run")(run.run)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.command("list")(listing.show)
app.command("bench")(bench.bench)
app.add_typer(data.app, name="data")
app.add_typer(cache.app, name="cache")


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
    """Run the command line. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    try:
        app()
    except KeyboardInterrupt:  # before a command was reached, or while one was ending
        typer.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
