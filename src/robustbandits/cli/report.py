"""``robustbandits report``: figures, tables and a page from a store."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment


def report(
    store: Annotated[
        Path,
        typer.Argument(file_okay=False, help="Folder that `robustbandits run` wrote to."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="Name of an experiment to show. Repeat the option to show several."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the names of the files as JSON.")
    ] = False,
) -> None:
    """Write figures, tables and one HTML page that works offline.

    Example: robustbandits report store --out report

    Then open report/index.html in a browser. Figures are PNG, SVG and PDF files; tables are
    Markdown, CSV and LaTeX files. An unfinished experiment is shown with its
    finished matches.
    """
    from robustbandits.experiments import Store
    from robustbandits.reports.grouped_games import count_matches
    from robustbandits.reports.page.render import TITLE
    from robustbandits.reports.write import write_report
    from robustbandits.reproduction.published import published_in_report

    if not store.is_dir():
        raise typer.BadParameter(
            f"there is no folder {store}; `robustbandits run SPEC --store {store}` makes one",
            param_hint="STORE",
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        experiments = _choose(Store(store).experiments(), only, store)
    for warning in caught:  # damaged files: they are named and left out
        typer.echo(f"warning: {warning.message}", err=True)
    files = write_report(
        experiments,
        out,
        title=title or TITLE,
        references=published_in_report,
        on_step=lambda step: typer.echo(f"{step} ...", err=True),
    )
    if as_json:
        typer.echo(json.dumps({"page": str(files[0]), "files": [str(file) for file in files]}))
        return
    for experiment in experiments:
        played, planned = count_matches(experiment)
        note = "" if played == planned else f" (unfinished: {played} of {planned} matches)"
        typer.echo(f"{experiment.spec.name}: {len(experiment.ledgers):,} games{note}")
    typer.echo(f"{len(files)} files; open {files[0]}")


def _choose(found: list[Experiment], only: list[str] | None, store: Path) -> list[Experiment]:
    if not found:
        raise ValueError(
            f"{store} has no experiments; run one first: robustbandits run smoke --store {store}"
        )
    names = [experiment.spec.name for experiment in found]
    for name in only or []:
        if name not in names:
            raise typer.BadParameter(
                f"no experiment {name!r} in {store}; it has {', '.join(names)}"
            )
    return [experiment for experiment in found if not only or experiment.spec.name in only]
