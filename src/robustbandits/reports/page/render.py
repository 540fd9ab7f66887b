"""One HTML page for any number of experiments: a single file that works offline.

The templates write all text and all tables, so the page can be read without JavaScript, by a screen
reader and on paper. The page's script draws the curves from a block of data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

from robustbandits._version import __version__
from robustbandits.experiments.labels import STAND_IN
from robustbandits.experiments.spec import Spec
from robustbandits.metrics.groups import Labels
from robustbandits.reports.citations import citations
from robustbandits.reports.experiment_tables import make_tables
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.page.charts import (
    Figure,
    panel_figure,
    points_each,
    policy_numbers,
    sweep_figure,
)
from robustbandits.reports.page.page_table import Lowest, PageTable, overview_table, page_table
from robustbandits.reports.panels import distinct
from robustbandits.reports.rerun import Rerun, rerun, slugs
from robustbandits.reports.table import Table

if TYPE_CHECKING:
    import jinja2

    from robustbandits.experiments import Experiment

TITLE = "Bandits under attack"
#: Titles of the notes on where an experiment came from; others are made from their keys.
PROVENANCE = {
    "planned": "Matches planned",
    "finished": "Matches finished",
    "first": "First match",
    "when": "Last match",
}

References = Callable[[Spec], Mapping[Labels, float]]


@dataclass(frozen=True)
class Chapter:
    """What the page says about one experiment."""

    id: str
    experiment: Experiment
    games: GroupedGames
    tables: Sequence[Table]
    rerun: Rerun
    #: Figures by environment.
    figures: dict[str, list[Figure]]
    budget_figures: list[Figure]

    @property
    def spec(self) -> Spec:
        """The spec of the experiment."""
        return self.experiment.spec

    @property
    def planned(self) -> int:
        """Number of matches of the spec."""
        return len(self.spec.environments) * len(self.spec.seeds)

    @cached_property
    def present(self) -> int:
        """Number of matches that were played."""
        return len({(one.environment, one.seed) for one in self.experiment.ledgers})

    @property
    def stand_ins(self) -> list[str]:
        """Labels of environments with synthetic data in the place of real data."""
        return [label for label in self.spec.environments if label.endswith(STAND_IN)]

    @property
    def overview(self) -> PageTable:
        """Mean final regrets of all panels."""
        return overview_table(self.games.panels)

    @property
    def provenance(self) -> dict[str, str]:
        """Versions, machine and commit: everything that the store has noted."""
        return {
            PROVENANCE.get(key, key.replace("_", " ").capitalize()): _as_text(value)
            for key, value in self.experiment.provenance.items()
        }

    @property
    def charts(self) -> list[dict[str, Any]]:
        """Data of all charts, for the page's script."""
        figures = [figure for shown in self.figures.values() for figure in shown]
        return [figure.chart for figure in [*figures, *self.budget_figures]]


def render_page(
    experiments: Sequence[Experiment],
    *,
    title: str = TITLE,
    tables: Sequence[Sequence[Table]] | None = None,
    references: References | None = None,
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    experiments
        The experiments to show, in this order; they may be unfinished.
    title
        Heading of the page.
    tables
        The tables of each experiment, if they exist already; their intervals take time.
    references
        Function of a spec that returns published final regrets by environment, attack and policy.
        The charts mark them.
    """
    games = [GroupedGames(experiment) for experiment in experiments]
    if tables is None:
        tables = [make_tables(grouped) for grouped in games]
    numbers = policy_numbers(name for grouped in games for name in grouped.spec.policies)
    points = points_each(sum(len(grouped.groups) for grouped in games))
    names = slugs([grouped.spec.name for grouped in games])
    chapters = []
    for i, (experiment, grouped) in enumerate(zip(experiments, games, strict=True)):
        id = f"experiment-{i + 1}"
        published = references(grouped.spec) if references else {}
        figures, budget_figures = _figures(grouped, id, numbers, points, published)
        again = rerun(grouped.spec, names[i])
        chapters.append(Chapter(id, experiment, grouped, tables[i], again, figures, budget_figures))
    charts = [chart for chapter in chapters for chart in chapter.charts]
    used = {curve["policy"] for chart in charts for curve in chart["curves"]}
    names_by_number = {number: name for name, number in numbers.items()}
    return (
        _environment()
        .get_template("page.html")
        .render(
            title=title,
            version=__version__,
            css=_asset("page.css"),
            script=_asset("chart.js") + _asset("page.js"),
            chapters=chapters,
            rounds=sum(
                int(ledger.rounds[-1])
                for experiment in experiments
                for ledger in experiment.ledgers
            ),
            policies={k: name for k, name in names_by_number.items() if k in used},
            citations=citations([experiment.spec for experiment in experiments]),
            data={"policies": names_by_number, "charts": charts},
        )
    )


def _figures(
    games: GroupedGames,
    id: str,
    numbers: Mapping[str, int],
    points: int,
    published: Mapping[Labels, float],
) -> tuple[dict[str, list[Figure]], list[Figure]]:
    """Return the figures of an experiment by environment, and those of its sweeps."""
    environments = distinct(panel.environment for panel in games.panels)
    figures: dict[str, list[Figure]] = {environment: [] for environment in environments}
    for i, panel in enumerate(games.panels):
        group = f"{id}-{environments.index(panel.environment)}"
        figures[panel.environment].append(
            panel_figure(panel, numbers, points, published, id=f"{id}-chart-{i}", group=group)
        )
    budget_figures = [
        sweep_figure(sweep, numbers, id=f"{id}-chart-{i}", group=f"{id}-budgets")
        for i, sweep in enumerate(games.sweeps, len(games.panels))
    ]
    return figures, budget_figures


def _environment() -> jinja2.Environment:
    """Return the templates. They escape all text, whoever wrote it."""
    try:
        import jinja2
    except ImportError:
        raise ImportError("the page needs Jinja2: pip install 'robustbandits[lab]'") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("robustbandits.reports.page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.filters["counted"] = _counted
    environment.filters["page_table"] = page_table
    environment.tests["lowest"] = lambda cell: isinstance(cell, Lowest)
    return environment


def _asset(name: str) -> str:
    folder = resources.files("robustbandits.reports.page").joinpath("assets")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _as_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_as_text(v)}" for key, v in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_as_text, value))
    return "unknown" if value is None else str(value)
