"""Tables that are derived from the classes: policies, attacks, environments, metrics, commands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from typer.main import get_command

from robustbandits.cli.app import app
from robustbandits.experiments.registry import MISSING, facts, kinds, parameters, summary
from robustbandits.game.facts import NOT_STATED, policy_facts
from robustbandits.metrics.registry import AUDIT, DAMAGE, PRICE, REGRET, metrics_of
from robustbandits.reports.table import Column, Table

#: The packages that export recipes, and the word for one of them.
SECTIONS = {"policies": "policy", "attacks": "attack", "environments": "environment"}
#: Settings of policies, from the most general to the most specific, and headings for their rows.
SETTINGS = {
    "contextual": "Contextual.",
    "fixed arms": "Fixed arms, contexts used.",
    "MAB": "Fixed arms, contexts unused.",
}
#: Facts in the tables of recipes, with the headings of their columns.
RECIPE_FACTS = {
    "policies": {"setting": "setting", "needs": "must be told"},
    "attacks": {
        "changes": "changes",
        "timing": "when",
        "knowledge": "knowledge",
        "knows": "knows",
        "goal": "goal",
        "cost": "cost of a round",
    },
    "environments": {"contexts": "contexts", "data": "data"},
}
PROVED_FACTS = {
    **RECIPE_FACTS["policies"],
    "adversary": "proved against",
    "regret": "regret, up to logarithms",
    "cost": "cost of a round",
    "infinite_arms": "infinite arms",
    "provenance": "specification",
    "reference": "reference",
}
#: Column *Infinite-arm* of the paper's Table 1, by our names of its algorithms.
TABLE1_INFINITE = {
    "MLAER": False,
    "BARBAR": False,
    "SupportBasisExploration": True,
    "FastSlowGPUCB": True,
    "RobustPhasedElimination": False,
    "Greedy": True,
    "RobustBandit": True,
}


def recipe_table(section: str) -> Table:
    """Return a sentence on each policy, attack or environment, with its most important facts.

    The parameters of policies are left out: they have too many.
    """
    columns = RECIPE_FACTS[section]
    heads = [SECTIONS[section], "in one sentence", *columns.values()]
    rows: list[tuple[str, ...]] = []
    for name, kind in _in_order(section).items():
        row = (name, _words(summary(kind)), *_facts_of(kind, columns))
        rows.append(row if section == "policies" else (*row, _parameters(kind)))
    if section != "policies":
        heads.append("parameters")
    return _table(section, f"{len(rows)} {section}", heads, rows)


def proved_table() -> Table:
    """Return what each exported policy assumes, and what is proved about it.

    A column after "infinitely many arms" shows what the paper's Table 1 says about that.
    """
    policies = _in_order("policies").items()
    heads = ["policy", *PROVED_FACTS.values()]
    rows = [[name, *_facts_of(kind, PROVED_FACTS)] for name, kind in policies]
    after = heads.index(PROVED_FACTS["infinite_arms"]) + 1
    heads.insert(after, "in the paper's Table 1")
    for row in rows:
        row.insert(after, _words(TABLE1_INFINITE.get(row[0], "–")))
    title = f"What is proved: {len(rows)} policies"
    return _table("proved", title, heads, [tuple(row) for row in rows])


def metrics_table() -> Table:
    """Return the metrics of the registry."""
    rows = [
        (metric.name, metric.meaning, metric.unit, metric.better, metric.table)
        for table in (REGRET, DAMAGE, PRICE, AUDIT)
        for metric in metrics_of(table)
    ]
    heads = ["metric", "what it is", "unit", "better", "table of the report"]
    return _table("metrics", f"{len(rows)} metrics", heads, rows)


def commands_table() -> Table:
    """Return the commands of the command line."""
    rows = list(_commands(get_command(app), "robustbandits"))
    return _table("commands", f"{len(rows)} commands", ["command", "what it does"], rows)


#: The function that makes each derived part of a page, by the name of the part.
DERIVED: dict[str, Callable[[], Table]] = {
    **{section: functools.partial(recipe_table, section) for section in SECTIONS},
    "proved": proved_table,
    "metrics": metrics_table,
    "commands": commands_table,
}


def _in_order(section: str) -> dict[str, type[Any]]:
    """Return the recipes of a section; policies are sorted by setting."""
    found = kinds(section)
    if section != "policies":
        return {**found}
    order = sorted(found, key=lambda name: [*SETTINGS].index(policy_facts(found[name]).setting))
    return {name: found[name] for name in order}


def _facts_of(kind: type[Any], keys: Iterable[str]) -> list[str]:
    known = facts(kind)
    return [_words(known.get(key, NOT_STATED)) for key in keys]


def _parameters(kind: Any) -> str:
    given = parameters(kind).values()
    texts = [p.name if p.default is MISSING else f"{p.name}={p.default!r}" for p in given]
    return ", ".join(texts) or "none"


def _commands(group: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield each command with the first sentence of its help; skip groups that cannot run."""
    for name, command in group.commands.items():
        is_group = hasattr(command, "commands")
        if not is_group or command.invoke_without_command:
            about = " ".join((command.help or "").split("\n\n")[0].split())
            yield f"{path} {name}", about
        if is_group:
            yield from _commands(command, f"{path} {name}")


def _table(name: str, title: str, heads: list[str], rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(name, title, tuple(Column(head, "text") for head in heads), tuple(rows))


def _words(value: str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else ", ".join(value)
    return text.replace("`", "") or "nothing"
