"""One HTML page for any number of experiments: a single file that works offline.

All text and all tables are written here, so the page can be read without JavaScript, aloud and on
paper; the script draws the curves from a block of data and answers to the buttons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits._version import __version__
from robustbandits.experiments.labels import STAND_IN
from robustbandits.reports.citations import citations
from robustbandits.reports.curves import Panel, Sweep, panels, points_each, policy_numbers, sweeps
from robustbandits.reports.page.charts import chart_figures
from robustbandits.reports.page.markup import Html, element, join, safe, script_data
from robustbandits.reports.page.sections import (
    glance_section,
    provenance_section,
    rerun_section,
    table_section,
)
from robustbandits.reports.rerun import slugs
from robustbandits.reports.table import Table
from robustbandits.reports.tables import make_tables

if TYPE_CHECKING:
    from robustbandits.experiments.store.store import Experiment

TITLE = "Bandits under attack"


class Chapter(NamedTuple):
    """An experiment, sorted for the page."""

    number: int
    slug: str  # of its files
    experiment: Experiment
    panels: list[Panel]
    sweeps: list[Sweep]
    tables: Sequence[Table]

    @property
    def id(self) -> str:
        """Where links point to."""
        return f"experiment-{self.number}"


def render_page(
    experiments: Sequence[Experiment],
    *,
    title: str = TITLE,
    tables: Sequence[Sequence[Table]] | None = None,
) -> str:
    """Return the page as text.

    Parameters
    ----------
    experiments
        What to show, in this order; they may be unfinished.
    title
        The page's heading.
    tables
        The tables of each experiment, if they were made already: intervals take time.
    """
    chapters = _chapters(experiments, tables)
    numbers = policy_numbers(name for one in experiments for name in one.spec.policies)
    points = points_each(sum(len(p.groups) for chapter in chapters for p in chapter.panels))
    charts: list[dict[str, Any]] = []
    sections = [_chapter(chapter, numbers, points, charts) for chapter in chapters]
    used = {curve["policy"] for chart in charts for curve in chart["curves"]}
    return fill(
        _asset("page.html"),
        {
            "title": safe(title),
            "version": safe(__version__),
            "css": _asset("page.css"),
            "js": _asset("chart.js") + _asset("page.js"),
            "lead": _lead(chapters),
            "contents": _contents(chapters),
            "controls": _controls({k: name for name, k in numbers.items() if k in used}),
            "experiments": join(sections) if sections else _nothing(),
            "reading": _reading() if charts else Html(""),
            "citing": _citing(experiments),
            "data": script_data(
                {"policies": {k: name for name, k in numbers.items()}, "charts": charts}
            ),
        },
    )


def _chapters(
    experiments: Sequence[Experiment], tables: Sequence[Sequence[Table]] | None
) -> list[Chapter]:
    if tables is None:
        tables = [make_tables(one) for one in experiments]
    files = slugs([one.spec.name for one in experiments])
    chapters = []
    for number, (one, made) in enumerate(zip(experiments, tables, strict=True)):
        found = panels(one.spec, one.ledgers)
        swept = sweeps(one.spec, found)
        chapters.append(Chapter(number + 1, files[number], one, found, swept, made))
    return chapters


def fill(template: str, values: dict[str, str]) -> str:
    """Put values in place of ``{{name}}``, all at once: no value can pose as a name."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def _asset(name: str) -> Html:
    folder = resources.files("robustbandits.reports.page").joinpath("assets")
    return Html(folder.joinpath(name).read_text(encoding="utf-8"))


def _lead(chapters: Sequence[Chapter]) -> Html:
    games = sum(len(one.experiment.ledgers) for one in chapters)
    rounds = sum(int(ledger.rounds[-1]) for one in chapters for ledger in one.experiment.ledgers)
    shown = sum(len(one.panels) for one in chapters)
    parts = [
        _count(len(chapters), "experiment"),
        _count(shown, "panel"),
        _count(games, "game"),
        _count(rounds, "round"),
    ]
    return safe(", ".join(parts) + ".")


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _contents(chapters: Sequence[Chapter]) -> Html:
    links = [element("a", one.experiment.spec.name, href=f"#{one.id}") for one in chapters]
    links += [element("a", "How to read this page", href="#reading")] if chapters else []
    links += [element("a", "How to cite", href="#citing")]
    items = [element("li", link) for link in links]
    return element("nav", element("ul", *items), class_="contents", aria_label="Contents")


def _controls(policies: dict[int, str]) -> Html:
    """Return the bar of buttons: every policy that was played, then the views."""
    if not policies:
        return Html("")
    buttons: list[Html] = [
        element("button", name, type="button", class_="policy", data_policy=k, aria_pressed="true")
        for k, name in policies.items()
    ]
    every = [element("button", word, type="button", id=word.lower()) for word in ("All", "None")]
    views = [
        element("button", words, type="button", id=key, class_="switch", aria_pressed="false")
        for key, words in (
            ("log-y", "Log regret"),
            ("log-x", "Log rounds"),
            ("same", "Same scale"),
            ("dark", "Dark"),
        )
    ]
    return element(
        "section",
        element("div", *buttons, class_="policies", role="group", aria_label="Policies shown"),
        element("div", *every, class_="all", role="group", aria_label="Policies, all at once"),
        element("div", *views, class_="views", role="group", aria_label="View"),
        class_="controls",
        aria_label="What the charts show",
    )


def _chapter(
    chapter: Chapter, numbers: dict[str, int], points: int, charts: list[dict[str, Any]]
) -> Html:
    spec = chapter.experiment.spec
    figures, drawn = chart_figures(
        chapter.id, spec, chapter.panels, chapter.sweeps, numbers, points
    )
    charts += drawn
    content = [
        element("h2", spec.name, id=f"{chapter.id}-title"),
        element("p", spec.about, class_="about") if spec.about else Html(""),
        _state(chapter),
    ]
    if chapter.panels:
        content += [
            glance_section(chapter.panels),
            figures,
            *[table_section(one) for one in chapter.tables],
        ]
    content += [
        rerun_section(spec, chapter.slug),
        provenance_section(chapter.experiment.provenance),
    ]
    return element("section", join(content), id=chapter.id, aria_labelledby=f"{chapter.id}-title")


def _state(chapter: Chapter) -> Html:
    """Return the size of the experiment, and how much of it is there."""
    spec, ledgers = chapter.experiment.spec, chapter.experiment.ledgers
    planned = len(spec.environments) * len(spec.seeds)
    present = len({(ledger.environment, ledger.seed) for ledger in ledgers})
    notes = []
    if present < planned:
        notes.append(
            element(
                "p",
                element("strong", "Unfinished: "),
                f"{present:,} of {planned:,} matches are present. What follows is of these alone; "
                "run the same command again to play the rest.",
                class_="note",
                role="note",
            )
        )
    fakes = [name for name in spec.environments if name.endswith(STAND_IN)]
    if fakes:
        notes.append(
            element(
                "p",
                element("strong", "Synthetic stand-in: "),
                f"{', '.join(fakes)} — made-up data of the same shape, not the real thing.",
                class_="note",
                role="note",
            )
        )
    seeds = _count(len(spec.seeds), "seed") + (", so no bands" if len(spec.seeds) == 1 else "")
    size = f"{_count(spec.rounds, 'round')} a game, {seeds}, {_count(len(ledgers), 'game')}; "
    size += f"{present:,} of {planned:,} matches are present."
    return join([*notes, element("p", size, class_="soft")])


def _nothing() -> Html:
    return element(
        "p",
        "There are no experiments here yet. Play one: ",
        element("code", "robustbandits run smoke --store STORE"),
        class_="note",
    )


def _reading() -> Html:
    lines = [
        "Regret is what the best arm would have earned more, summed over rounds, on clean mean "
        "rewards: lower is better. A straight rising line means that a policy never learns.",
        "Lines are means over seeds, bands 95 % intervals (Student's t). All policies and attacks "
        "of a seed meet the same rounds, so differences between them are paired; intervals in "
        "the tables are bootstraps over seeds.",
        "An open circle marks the last round that the attack changed (mean over seeds). A "
        "triangle at the right edge marks what the paper itself reports, where it does.",
        "Hover or touch a chart for values; with the keyboard, focus it and use the arrow keys. "
        "The table under each chart holds the same figures.",
    ]
    return element(
        "section",
        element("h2", "How to read this page", id="reading-title"),
        element("ul", *[element("li", line) for line in lines]),
        id="reading",
        aria_labelledby="reading-title",
    )


def _citing(experiments: Sequence[Experiment]) -> Html:
    listed = citations([one.spec for one in experiments])
    return element(
        "section",
        element("h2", "How to cite", id="citing-title"),
        *[join([element("h3", what), element("p", text)]) for what, text in listed],
        id="citing",
        aria_labelledby="citing-title",
    )
