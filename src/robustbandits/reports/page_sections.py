"""The page's sections without charts: tables, how to run it again, where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from robustbandits.reports.curves import Panel
from robustbandits.reports.markup import Html, element, facts, join, table
from robustbandits.reports.page_charts import number
from robustbandits.reports.rerun import rerun

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec


def glance_section(found: Sequence[Panel]) -> Html:
    """Return mean final regrets, policies by panels, the lowest of each panel marked."""
    policies = dict.fromkeys(policy for panel in found for policy in panel.groups)
    places = {panel.environment for panel in found}
    means = [{name: float(v.mean()) for name, v in panel.finals.items()} for panel in found]
    best = [min(column.values()) for column in means]
    rows = []
    for policy in policies:
        cells: list[object] = []
        for column, least in zip(means, best, strict=True):
            cells.append(_glance_cell(column.get(policy), least))
        rows.append([policy, *cells])
    heads = [
        panel.attack if len(places) == 1 else f"{panel.environment}: {panel.attack}"
        for panel in found
    ]
    caption = "Mean final regret; lower is better, the lowest of each column in bold"
    return join([element("h3", "At a glance"), table(caption, ["Policy", *heads], rows)])


def _glance_cell(mean: float | None, least: float) -> object:
    if mean is None:
        return "–"
    if mean > least:
        return number(mean)
    return element("strong", number(mean), element("span", " (lowest)", class_="hear"))


def rerun_section(spec: Spec) -> Html:
    """Return the commands and the spec."""
    again = rerun(spec)
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
    return key.replace("_", " ").capitalize()


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_flat(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_flat, value))
    return "unknown" if value is None else str(value)
