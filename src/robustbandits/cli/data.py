"""``robustbandits data``: ratings to play with."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from robustbandits.ratings.check import RatingReport

app = typer.Typer(
    help="List, fetch and check ratings: MovieLens, Netflix, your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = Annotated[bool, typer.Option("--json", help="For programs.")]


@app.command("list")
def show(as_json: Json = False) -> None:
    """List the known data sets, and which of them are on this computer.

    Example: robustbandits data list
    """
    from robustbandits.ratings.datasets import DATASETS

    rows = []
    for one in DATASETS.values():
        facts = dataclasses.asdict(one)
        rows.append({key: facts[key] for key in facts if key != "files"} | _state(one.name))
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo(f"{row['name']:24} {row['ratings']:>11,} ratings  {row['about']}")
        typer.echo(f"{'':24} {row['trouble'] or row['path'] or _advice(row)}")


def _state(name: str) -> dict[str, Any]:
    from robustbandits.ratings.locate import locate

    try:
        found = locate(name)
    except (ValueError, OSError) as error:  # a copy that is not what it should be
        return {"path": None, "trouble": str(error)}
    return {"path": None if found is None else str(found), "trouble": None}


def _advice(row: dict[str, Any]) -> str:
    if not row["archive"]:
        return f"not here: set {row['variable']} to your own copy"
    return f"not here: robustbandits data fetch {row['name']}"


@app.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="A name that `robustbandits data list` shows.")],
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Your own copy: a folder, the ratings, or the archive."),
    ] = None,
    again: Annotated[bool, typer.Option(help="Even if a good copy is there.")] = False,
) -> None:
    """Put a data set into your data directory, checked; print its licence and what to cite.

    Example: robustbandits data fetch movielens-100k
    """
    from robustbandits.ratings.datasets import DATASETS
    from robustbandits.ratings.fetch import fetch as fetch_dataset

    if name not in DATASETS:
        raise typer.BadParameter(f"{name!r} is not known; known are {', '.join(DATASETS)}")
    fetch_dataset(name, source, again=again, say=typer.echo)


@app.command("check")
def check(
    path: Annotated[Path, typer.Argument(help="A folder or a file with ratings.")],
    as_json: Json = False,
) -> None:
    """Read all ratings at a path; say what they are and what is missing.

    Ends with 1 if they cannot be read or are only a part of their data set.

    Example: robustbandits data check ~/netflix/training_set
    """
    from robustbandits.ratings.check import check_ratings

    try:
        with _bar(f"reading {path.name}") as progress:
            report = check_ratings(path, progress)
    except (ValueError, OSError) as error:
        if not as_json:
            raise
        typer.echo(json.dumps({"path": str(path), "complete": False, "error": str(error)}))
        raise typer.Exit(1) from None
    if as_json:
        facts = dataclasses.asdict(report) | {"complete": report.complete, "error": None}
        typer.echo(json.dumps(facts, indent=2))
    else:
        _tell(report)
    if report.complete is False:
        raise typer.Exit(1)


def _tell(report: RatingReport) -> None:
    files = "1 file" if report.files == 1 else f"{report.files:,} files"
    typer.echo(f"{report.path}: {report.format}, {files}")
    typer.echo(
        f"{report.ratings:,} ratings, {report.users:,} users, {report.items:,} items, "
        f"{report.titles:,} titles"
    )
    if report.complete is None:
        typer.echo("no data set known here, but its ratings can be played")
    elif report.complete:
        typer.echo(f"complete: this is {report.dataset}")
    else:
        typer.echo(f"not the whole {report.dataset}, or not as it was published:")
        for line in report.missing:
            typer.echo(f"  {line}")


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show how much is read, on the error stream and only if it is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
