"""Tables that are derived from the classes: policies, attacks, environments, metrics, commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from typer.main import get_command

from robustbandits.cli.app import app
from robustbandits.experiments.registry import MISSING, facts, kinds, parameters, summary
from robustbandits.game.facts import AttackFacts, EnvironmentFacts, policy_facts
from robustbandits.metrics.registry import AUDIT, DAMAGE, PRICE, REGRET, metrics_of
from robustbandits.reports.table import Column, Table

#: Settings of policies, from the most general to the most special, and the headings of their rows.
SETTINGS = {
    "contextual": "Contextual.",
    "fixed arms": "Fixed arms, contexts used.",
    "MAB": "Fixed arms, contexts unused.",
}
POLICY_FACTS = {
    "setting": "setting",
    "needs": "must be told",
    "adversary": "proved against",
    "regret": "regret, up to logarithms",
    "cost": "cost of a round",
    "provenance": "specification",
    "reference": "reference",
}


def proved_table() -> Table:
    """Return what each exported policy assumes, and what is proved about it."""
    known = {name: policy_facts(kind) for name, kind in kinds("policies").items()}
    order = sorted(known, key=lambda name: [*SETTINGS].index(known[name].setting))
    rows = [(name, *[_words(getattr(known[name], key)) for key in POLICY_FACTS]) for name in order]
    return _table(
        "proved", f"What is proved: {len(rows)} policies", ["policy", *POLICY_FACTS.values()], rows
    )


def attacks_table() -> Table:
    """Return what each exported attack does, and what it must know."""
    return _recipe_table("attack", AttackFacts())


def environments_table() -> Table:
    """Return where the rounds of each exported environment come from."""
    return _recipe_table("environment", EnvironmentFacts())


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
    "proved": proved_table,
    "attacks": attacks_table,
    "environments": environments_table,
    "metrics": metrics_table,
    "commands": commands_table,
}


def _recipe_table(word: str, default: AttackFacts | EnvironmentFacts) -> Table:
    rows = []
    for name, kind in kinds(f"{word}s").items():
        known = {**default._asdict(), **facts(kind)}
        rows.append((name, *map(_words, [summary(kind), *known.values()]), _parameters(kind)))
    heads = [word, "summary", *default._fields, "parameters"]
    return _table(f"{word}s", f"{len(rows)} {word}s", heads, rows)


def _parameters(kind: Any) -> str:
    given = parameters(kind).values()
    texts = [p.name if p.default is MISSING else f"{p.name}={p.default!r}" for p in given]
    return ", ".join(texts) or "none"


def _commands(group: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield each command with the first sentence of its help; a group that only groups has none."""
    for name, command in group.commands.items():
        inside = hasattr(command, "commands")
        if not inside or command.invoke_without_command:
            about = " ".join((command.help or "").split("\n\n")[0].split())
            yield f"{path} {name}", about
        if inside:
            yield from _commands(command, f"{path} {name}")


def _table(name: str, title: str, heads: list[str], rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(name, title, tuple(Column(head, "text") for head in heads), tuple(rows))


def _words(value: str | tuple[str, ...]) -> str:
    text = value if isinstance(value, str) else ", ".join(value)
    return text.replace("`", "") or "nothing"
