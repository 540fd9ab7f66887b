"""``robustbandits data``: list, fetch and check rating data."""

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
    help="List, fetch and check data sets of ratings.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Column = Annotated[str | None, typer.Option(help="Name of the column.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def show(as_json: Json = False) -> None:
    """List the known data sets and where they are on this computer.

    Example: robustbandits data list
    """
    from robustbandits.ratings.datasets import DATASETS

    rows = []
    for dataset in DATASETS.values():
        facts = dataclasses.asdict(dataset)
        del facts["files"], facts["archive_hash"]
        rows.append(facts | _find_copy(dataset.name))
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo(f"{row['name']:24} {row['ratings']:>11,} ratings  {row['about']}")
        typer.echo(f"{'':24} {row['trouble'] or row['path'] or _advice(row)}")


def _find_copy(name: str) -> dict[str, Any]:
    from robustbandits.ratings.locate import locate

    try:
        found = locate(name)
    except (ValueError, OSError) as error:  # there is a copy, but a bad one
        return {"path": None, "trouble": str(error)}
    return {"path": None if found is None else str(found), "trouble": None}


def _advice(row: dict[str, Any]) -> str:
    if not row["archive"]:
        return f"not found: set {row['variable']} to your own copy"
    return f"not found: run `robustbandits data fetch {row['name']}`"


@app.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="A name shown by `robustbandits data list`.")],
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Your own copy: a folder, a file of ratings, or an archive."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Fetch even if there is a good copy.")
    ] = False,
) -> None:
    """Fetch a data set into your data directory and check it.

    Example: robustbandits data fetch movielens-100k

    Prints the licence of the data and how to cite them.
    """
    from robustbandits.ratings.datasets import DATASETS
    from robustbandits.ratings.fetch import fetch as fetch_dataset

    if name not in DATASETS:
        raise typer.BadParameter(
            f"unknown data set {name!r}; known data sets: {', '.join(DATASETS)}"
        )
    fetch_dataset(name, source, again=again, say=typer.echo)


@app.command("check")
def check(
    path: Annotated[Path, typer.Argument(help="A folder or a file with ratings.")],
    user: Column = None,
    item: Column = None,
    rating: Column = None,
    as_json: Json = False,
) -> None:
    """Read all ratings at a path; report what they are and what is missing.

    For a CSV file with column names of its own, give all three: --user, --item and --rating.

    The exit code is 1 if they cannot be read or are only a part of their data set.

    Example: robustbandits data check ~/netflix/training_set
    """
    from robustbandits.ratings.check import check_csv_ratings, check_ratings

    if any((user, item, rating)) and not (user and item and rating):
        raise typer.BadParameter("give all three of --user, --item and --rating, or none of them")
    try:
        with _bar(f"reading {path.name}") as progress:
            if user and item and rating:
                report = check_csv_ratings(path, user=user, item=item, rating=rating)
            else:
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
        _print(report)
    if report.complete is False:
        raise typer.Exit(1)


def _print(report: RatingReport) -> None:
    files = "1 file" if report.files == 1 else f"{report.files:,} files"
    typer.echo(f"{report.path}: {report.format}, {files}")
    typer.echo(
        f"{report.ratings:,} ratings, {report.users:,} users, {report.items:,} items, "
        f"{report.titles:,} titles"
    )
    if report.complete is None:
        typer.echo("not a known data set, but its ratings can be used")
    elif report.complete:
        typer.echo(f"complete: this is {report.dataset}")
    else:
        typer.echo(f"not the complete {report.dataset}, or not as it was published:")
        for line in report.missing:
            typer.echo(f"  {line}")


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr, if it is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
