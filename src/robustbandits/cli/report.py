"""``robustbandits report``: figures, tables and a page from a store."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from robustbandits.experiments.store.store import Experiment


def report(
    store: Annotated[
        Path,
        typer.Argument(
            exists=True, file_okay=False, help="Folder that `robustbandits run` filled."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Name of an experiment to show; may be given again."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as JSON.")
    ] = False,
) -> None:
    """Write figures (PNG, SVG, PDF), tables (Markdown, CSV, LaTeX) and one offline HTML page.

    Example: robustbandits report store --out report

    Unfinished experiments are shown as far as they got; open report/index.html in a browser.
    """
    from robustbandits.experiments.store.store import Store
    from robustbandits.reports.page.render import TITLE
    from robustbandits.reports.write import write_report

    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", RuntimeWarning)
        found = _chosen(Store(store).experiments(), only, store)
    for note in notes:  # damaged files: named, and left out
        typer.echo(f"warning: {note.message}", err=True)
    files = write_report(found, out, title=title or TITLE, on_step=_tell)
    if as_json:
        typer.echo(json.dumps({"page": str(files[0]), "files": [str(file) for file in files]}))
        return
    for one in found:
        present, planned = _progress(one)
        rest = "" if present == planned else f" (unfinished: {present} of {planned} matches)"
        typer.echo(f"{one.spec.name}: {len(one.ledgers):,} games{rest}")
    typer.echo(f"{len(files)} files; open {files[0]}")


def _chosen(found: list[Experiment], only: list[str] | None, store: Path) -> list[Experiment]:
    if not found:
        raise ValueError(
            f"{store} holds no experiments; play one first: robustbandits run smoke --store {store}"
        )
    if not only:
        return found
    names = [one.spec.name for one in found]
    for name in only:
        if name not in names:
            raise typer.BadParameter(f"no experiment {name!r} in {store}; there is {names}")
    return [one for one in found if one.spec.name in only]


def _progress(experiment: Experiment) -> tuple[int, int]:
    spec = experiment.spec
    present = {(ledger.environment, ledger.seed) for ledger in experiment.ledgers}
    return len(present), len(spec.environments) * len(spec.seeds)


def _tell(step: str) -> None:
    typer.echo(f"{step} ...", err=True)
