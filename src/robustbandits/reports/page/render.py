"""One HTML page for any number of experiments: a single file that works offline.

The templates write all text and all tables, so the page can be read without JavaScript, by a screen
reader and on paper. The page's script draws the curves from a block of data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from robustbandits._extras import missing_package
from robustbandits._version import __version__
from robustbandits.experiments.spec import Spec
from robustbandits.metrics.groups import Labels
from robustbandits.reports.citations import citations
from robustbandits.reports.experiment_tables import make_tables
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.page.chapter import Chapter, budget_figures, panel_figures
from robustbandits.reports.page.charts import points_each
from robustbandits.reports.page.findings import findings
from robustbandits.reports.page.page_table import Lowest, page_table
from robustbandits.reports.panels import distinct
from robustbandits.reports.rerun import rerun, slugs
from robustbandits.reports.styles import PALETTE, style, style_numbers
from robustbandits.reports.table import Table

if TYPE_CHECKING:
    import jinja2

    from robustbandits.experiments import Experiment

TITLE = "Bandits under attack"
#: A longer word may be broken, so that it fits on a phone.
MOST_LETTERS = 28

References = Callable[[Spec], Mapping[Labels, float]]


def render_page(
    experiments: Sequence[Experiment],
    *,
    title: str = TITLE,
    tables: Sequence[Sequence[Table]] | None = None,
    references: References | None = None,
    verdicts: Sequence[Sequence[str]] | None = None,
    limits: Mapping[str, float] | None = None,
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
    verdicts
        For each experiment, the paragraphs at the top of the page; by default its findings.
    limits
        For each environment, the least regret without attack of any policy that withstands an
        attacker, for each unit of budget (:func:`~robustbandits.limits.price_of_tolerance`). The
        charts of regret by budget show it.
    """
    games = [GroupedGames(experiment) for experiment in experiments]
    if tables is None:
        tables = [make_tables(grouped) for grouped in games]
    names = distinct(name for grouped in games for name in grouped.spec.policies)
    numbers = style_numbers(names)
    points = points_each(sum(len(grouped.groups) for grouped in games))
    files = slugs([grouped.spec.name for grouped in games])
    chapters = []
    for i, grouped in enumerate(games):
        chapter_id = f"experiment-{i + 1}"
        published = references(grouped.spec) if references else {}
        chapters.append(
            Chapter(
                id=chapter_id,
                experiment=experiments[i],
                games=grouped,
                tables=tables[i],
                verdict=findings(grouped) if verdicts is None else verdicts[i],
                rerun=rerun(grouped.spec, files[i]),
                figures=panel_figures(grouped, chapter_id, numbers, points, published),
                budget_figures=budget_figures(grouped, chapter_id, numbers, limits or {}),
            )
        )
    charts = [chart for chapter in chapters for chart in chapter.charts]
    drawn = {curve["policy"] for chart in charts for curve in chart["curves"]}
    ledgers = [ledger for experiment in experiments for ledger in experiment.ledgers]
    return page_template().render(
        title=title,
        version=__version__,
        css=_style_sheet(),
        script=_asset("chart.js") + _asset("page.js"),
        chapters=chapters,
        rounds=sum(int(ledger.rounds[-1]) for ledger in ledgers),
        policies={numbers[name]: name for name in names if numbers[name] in drawn},
        citations=citations([experiment.spec for experiment in experiments]),
        data={
            "policies": {numbers[name]: _policy(name, numbers[name]) for name in names},
            "charts": charts,
        },
    )


def page_template() -> jinja2.Template:
    """Return the template of the page, which escapes all text that it is given."""
    try:
        import jinja2
    except ImportError:
        raise missing_package("the page needs", "Jinja2", "lab") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("robustbandits.reports.page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.filters["counted"] = _counted
    environment.filters["breakable"] = _breakable
    environment.filters["page_table"] = page_table
    environment.tests["lowest"] = lambda cell: isinstance(cell, Lowest)
    return environment.get_template("page.html")


def _policy(name: str, number: int) -> dict[str, Any]:
    """Return what the page's script needs to know about a policy."""
    dash = " ".join(map(str, style(number).dash))
    return {"name": name, "color": number % len(PALETTE), "dash": dash}


def _style_sheet() -> str:
    """Return the style sheet with the colors of the palette: --c0, --c1, ..."""
    light, dark = (
        " ".join(f"--c{k}: {shades[theme]};" for k, shades in enumerate(PALETTE))
        for theme in (0, 1)
    )
    sheet = _asset("page.css")
    return sheet.replace("/* light lines */", light).replace("/* dark lines */", dark)


def _breakable(name: str) -> Any:
    """Return a name as HTML that lines break at spaces or before "(", but not at hyphens."""
    from markupsafe import Markup

    parts = re.split(r"( |(?=\())", name)
    whole = Markup('<span class="word">{}</span>')
    marked = [
        whole.format(part) if "-" in part and len(part) < MOST_LETTERS else part for part in parts
    ]
    return Markup("").join(part or Markup("<wbr>") for part in marked)  # escapes the names


def _asset(name: str) -> str:
    folder = resources.files("robustbandits.reports.page").joinpath("assets")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")
