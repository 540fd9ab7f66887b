"""The page's sections without charts: tables, how to run it again, where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from robustbandits.reports.curves import Panel
from robustbandits.reports.page.charts import number
from robustbandits.reports.page.markup import Html, element, facts, join, table
from robustbandits.reports.rerun import rerun

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec
    from robustbandits.reports.table import Table

#: More policies than this are rows of the table at a glance rather than columns.
WIDE = 9
#: What the store's notes are called on the page.
TITLES = {
    "planned": "Matches planned",
    "finished": "Matches finished",
    "first": "First match",
    "when": "Last match",
}


def glance_section(found: Sequence[Panel]) -> Html:
    """Return mean final regrets, panels by policies, the lowest of each panel marked."""
    policies = list(dict.fromkeys(policy for panel in found for policy in panel.groups))
    grid: list[list[object]] = []
    for panel in found:
        means = {name: float(values.mean()) for name, values in panel.finals.items()}
        least = min(means.values())
        grid.append([_glance_cell(means.get(policy), least) for policy in policies])
    caption = "Mean final regret: lower is better, the lowest of each panel in bold"
    title = join([element("h3", "At a glance"), element("p", f"{caption}.", class_="soft")])
    if len(policies) > WIDE:  # a long table is easier to read than a wide one
        heads = ["Policy", *[f"{panel.environment}: {panel.attack}" for panel in found]]
        turned = [[name, *[line[k] for line in grid]] for k, name in enumerate(policies)]
        return join([title, table(caption, heads, turned, headed=True)])
    rows = [
        [panel.environment, panel.attack, *line] for panel, line in zip(found, grid, strict=True)
    ]
    heads = ["Environment", "Attack", *policies]
    return join([title, table(caption, heads, rows, words=2, headed=True)])


def _glance_cell(mean: float | None, least: float) -> object:
    if mean is None:
        return "–"
    if mean > least:
        return number(mean)
    return element("strong", number(mean), element("span", " (lowest)", class_="hear"))


def table_section(found: Table) -> Html:
    """Return a table of the report, with its notes."""
    words = sum(column.kind == "text" for column in found.columns)
    heads = [column.head for column in found.columns]
    return join(
        [
            element("h3", found.title),
            table(found.title, heads, found.texts(), words=max(1, words), headed=True),
            *[element("p", note, class_="soft") for note in found.notes],
        ]
    )


def rerun_section(spec: Spec, file: str) -> Html:
    """Return the commands and the spec, which lies in a file of this name."""
    again = rerun(spec, file)
    where = (
        element("p", "The spec below lies beside this page as ", element("code", again.file), ".")
        if again.file
        else element("p", "The spec comes with the package.")
    )
    return join(
        [
            element("h3", "Run it again"),
            element("pre", element("code", again.commands), tabindex=0, class_="wrap"),
            where,
            element(
                "details",
                element("summary", "The whole spec"),
                element("pre", element("code", again.text), tabindex=0),
            ),
        ]
    )


def provenance_section(provenance: Mapping[str, Any]) -> Html:
    """Return versions, machine and commit: all that the store kept."""
    pairs = [(_title(key), _flat(value)) for key, value in provenance.items()]
    content = facts(pairs) if pairs else element("p", "Nothing is known of how this was made.")
    return join([element("h3", "Where it came from"), content])


def _title(key: str) -> str:
    return TITLES.get(key, key.replace("_", " ").capitalize())


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_flat(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_flat, value))
    return "unknown" if value is None else str(value)
