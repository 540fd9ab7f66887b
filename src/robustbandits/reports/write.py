"""The whole report of some experiments, as files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from robustbandits._atomic import write_whole
from robustbandits.reports.canvas import FORMATS
from robustbandits.reports.curves import panels, sweeps
from robustbandits.reports.figures import draw_budgets, draw_panels
from robustbandits.reports.page.render import TITLE, render_page
from robustbandits.reports.rerun import rerun, slugs
from robustbandits.reports.tables import make_tables

if TYPE_CHECKING:
    from robustbandits.experiments.store.store import Experiment
    from robustbandits.reports.table import Table


def write_report(
    experiments: Sequence[Experiment],
    out: str | os.PathLike[str],
    *,
    title: str = TITLE,
    on_step: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write figures, tables and the page, and return all files, the page first.

    ::

        index.html          the page, self-contained
        NAME.toml           the spec of an experiment that does not come with the package
        NAME/figure.png     and .svg, .pdf; budgets.png, ... where budgets were swept over
        NAME/tables.md      and .tex; each table also as CSV

    Parameters
    ----------
    experiments
        What to show; they may be unfinished.
    out
        A folder; it is made if need be, and files of these names in it are replaced.
    title
        The page's heading.
    on_step
        Called with what is being made.
    """
    tell = on_step or (lambda step: None)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    made: list[list[Table]] = []
    files: list[Path] = []
    for one, name in zip(experiments, slugs([e.spec.name for e in experiments]), strict=True):
        tell(f"tables of {one.spec.name}")
        made.append(make_tables(one))
        files += _write_tables(made[-1], one.spec.name, folder / name)
        if one.ledgers:
            tell(f"figure of {one.spec.name}")
            files += _draw(one, folder / name)
        again = rerun(one.spec, name)
        if again.file:
            files.append(_write(folder / again.file, again.text))
    tell("page")
    page = _write(folder / "index.html", render_page(experiments, title=title, tables=made))
    return [page, *files]


def _write(path: Path, text: str) -> Path:
    write_whole(path, text.encode())
    return path


def _write_tables(tables: Sequence[Table], name: str, folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    if not tables:
        return []
    title = " ".join(name.split()).replace("<", "\\<")
    markdown = "\n".join([f"# {title}\n", *[table.to_markdown() for table in tables]])
    latex = "\n".join(table.to_latex() for table in tables)
    files = [_write(folder / "tables.md", markdown), _write(folder / "tables.tex", latex)]
    return files + [_write(folder / f"{table.name}.csv", table.to_csv()) for table in tables]


def _draw(experiment: Experiment, folder: Path) -> list[Path]:
    spec, ledgers = experiment.spec, experiment.ledgers
    found = panels(spec, ledgers)
    places = dict.fromkeys(panel.environment for panel in found)
    rows = [(name, [one for one in ledgers if one.environment == name]) for name in places]
    files = [folder / f"figure.{suffix}" for suffix in FORMATS]
    draw_panels(rows, files, title=spec.name)
    swept = sweeps(spec, found)
    if swept:
        budgets = [folder / f"budgets.{suffix}" for suffix in FORMATS]
        draw_budgets(swept, budgets, title=spec.name)
        files += budgets
    return files
