"""write_report: write the figures, tables and page of one or more experiments."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from robustbandits._atomic import write_whole
from robustbandits.reports.experiment_tables import make_tables
from robustbandits.reports.figures import FORMATS, draw_budgets, draw_panels
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.page.render import TITLE, References, page_template, render_page
from robustbandits.reports.panels import distinct
from robustbandits.reports.rerun import rerun, slugs
from robustbandits.reports.styles import Style, styles_of
from robustbandits.reports.table import Table, as_markdown

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment


def write_report(
    experiments: Sequence[Experiment],
    out: str | os.PathLike[str],
    *,
    title: str = TITLE,
    references: References | None = None,
    more_tables: Sequence[Sequence[Table]] | None = None,
    verdicts: Sequence[Sequence[str]] | None = None,
    limits: Mapping[str, float] | None = None,
    on_step: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write figures, tables and the page, and return all files, the page first.

    ::

        index.html          the page, self-contained
        NAME.toml           the spec of an experiment that does not come with the package
        NAME/figure.png     and .svg, .pdf; also budgets.png, ... if there is a sweep over budgets
        NAME/tables.md      and .tex; each table also as CSV

    Parameters
    ----------
    experiments
        The experiments to show; they may be unfinished.
    out
        A folder. It is created if needed, and files of these names in it are replaced.
    title
        Heading of the page.
    references
        Function that returns published final regrets for the page's charts, see
        :func:`~robustbandits.reports.page.render.render_page`.
    more_tables
        For each experiment, tables to show after its own.
    verdicts
        For each experiment, paragraphs to show first; by default its findings.
    limits
        What any policy must pay for each unit of budget, by environment, for the page's charts; see
        :func:`~robustbandits.reports.page.render.render_page`.
    on_step
        Called with a description of each step before it starts.
    """
    page_template()  # if Jinja2 is missing, say so before the work starts
    announce = on_step or (lambda step: None)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    tables: list[list[Table]] = []
    files: list[Path] = []
    names = slugs([experiment.spec.name for experiment in experiments])
    # The same styles in all figures of the report, and on its page.
    styles = styles_of(policy for experiment in experiments for policy in experiment.spec.policies)
    more = more_tables or [()] * len(experiments)
    for experiment, name, added in zip(experiments, names, more, strict=True):
        games = GroupedGames(experiment)
        announce(f"tables of {games.spec.name}")
        tables.append([*make_tables(games), *added])
        files += _write_tables(tables[-1], games.spec.name, folder / name)
        if games.panels:
            announce(f"figure of {games.spec.name}")
            files += _draw(games, folder / name, styles)
        spec_text = rerun(games.spec, name)
        if spec_text.file:
            files.append(_write(folder / spec_text.file, spec_text.text))
    announce("page")
    page = render_page(
        experiments,
        title=title,
        tables=tables,
        references=references,
        verdicts=verdicts,
        limits=limits,
    )
    return [_write(folder / "index.html", page), *files]


def _write(path: Path, text: str) -> Path:
    write_whole(path, text.encode())
    return path


def _write_tables(tables: Sequence[Table], name: str, folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    if not tables:
        return []
    markdown = "\n".join([f"# {as_markdown(name)}\n", *[table.to_markdown() for table in tables]])
    latex = "\n".join(table.to_latex() for table in tables)
    files = [_write(folder / "tables.md", markdown), _write(folder / "tables.tex", latex)]
    return files + [_write(folder / f"{table.name}.csv", table.to_csv()) for table in tables]


def _draw(games: GroupedGames, folder: Path, styles: Mapping[str, Style]) -> list[Path]:
    ledgers = [ledger for group in games.groups.values() for ledger in group]
    rows = [
        (environment, [ledger for ledger in ledgers if ledger.environment == environment])
        for environment in distinct(panel.environment for panel in games.panels)
    ]
    files = [folder / f"figure.{suffix}" for suffix in FORMATS]
    draw_panels(rows, files, title=games.spec.name, styles=styles)
    if games.sweeps:
        budgets = [folder / f"budgets.{suffix}" for suffix in FORMATS]
        draw_budgets(games.sweeps, budgets, title=games.spec.name, styles=styles)
        files += budgets
    return files
