"""A chapter of the page: one experiment, as plain data for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robustbandits.experiments.spec import Spec
from robustbandits.metrics.groups import Labels
from robustbandits.ratings.synthetic import STAND_IN
from robustbandits.reports.grouped_games import GroupedGames, count_matches
from robustbandits.reports.page.charts import Figure, panel_figure, sweep_figure
from robustbandits.reports.page.page_table import PageTable, overview_table
from robustbandits.reports.panels import distinct
from robustbandits.reports.rerun import Rerun
from robustbandits.reports.table import Table

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment

#: Titles of entries of the provenance; the titles of other entries are made from their keys.
PROVENANCE = {
    "planned": "Matches planned",
    "finished": "Matches finished",
    "first": "First match",
    "when": "Last match",
}


@dataclass(frozen=True)
class Chapter:
    """What the page shows about one experiment."""

    id: str
    experiment: Experiment
    games: GroupedGames
    tables: Sequence[Table]
    verdict: Sequence[str]  # what was found, in plain sentences
    rerun: Rerun
    figures: dict[str, list[Figure]]  # by environment
    budget_figures: list[Figure]

    @property
    def spec(self) -> Spec:
        """The spec of the experiment."""
        return self.experiment.spec

    @property
    def matches(self) -> tuple[int, int]:
        """Number of matches that were played, and that the spec has."""
        return count_matches(self.experiment)

    @property
    def stand_ins(self) -> list[str]:
        """Labels of environments with synthetic data instead of real data."""
        return [label for label in self.spec.environments if label.endswith(STAND_IN)]

    @property
    def overview(self) -> PageTable:
        """Mean final regrets of all panels."""
        return overview_table(self.games.panels)

    @property
    def provenance(self) -> dict[str, str]:
        """Versions, machine and commit: everything that the store recorded."""
        return {
            PROVENANCE.get(key, key.replace("_", " ").capitalize()): _as_text(value)
            for key, value in self.experiment.provenance.items()
        }

    @property
    def charts(self) -> list[dict[str, Any]]:
        """Data of all charts, for the page's script."""
        figures = [figure for shown in self.figures.values() for figure in shown]
        return [figure.chart for figure in [*figures, *self.budget_figures]]


def panel_figures(
    games: GroupedGames,
    chapter_id: str,
    numbers: Mapping[str, int],
    points: int,
    published: Mapping[Labels, float],
) -> dict[str, list[Figure]]:
    """Return the figures of an experiment's panels, by environment."""
    environments = distinct(panel.environment for panel in games.panels)
    figures: dict[str, list[Figure]] = {environment: [] for environment in environments}
    for i, panel in enumerate(games.panels):
        chart_id = f"{chapter_id}-chart-{i}"
        group = f"{chapter_id}-{environments.index(panel.environment)}"
        figures[panel.environment].append(
            panel_figure(panel, numbers, points, published, chart_id=chart_id, group=group)
        )
    return figures


def budget_figures(
    games: GroupedGames, chapter_id: str, numbers: Mapping[str, int], limits: Mapping[str, float]
) -> list[Figure]:
    """Return the figures of an experiment's sweeps."""
    group = f"{chapter_id}-budgets"
    return [
        sweep_figure(
            sweep,
            numbers,
            limits.get(sweep.environment),
            chart_id=f"{chapter_id}-chart-{i}",
            group=group,
        )
        for i, sweep in enumerate(games.sweeps, len(games.panels))
    ]


def _as_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_as_text(v)}" for key, v in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_as_text, value))
    return "unknown" if value is None else str(value)
