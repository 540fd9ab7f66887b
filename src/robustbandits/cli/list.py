"""``robustbandits list``: policies, attacks, environments and ready specs."""

from __future__ import annotations

import json
import textwrap
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from robustbandits.cli._allow_import import allow_import_option, search_first
from robustbandits.cli._output import show


class What(StrEnum):
    """What to list."""

    policies = "policies"
    attacks = "attacks"
    environments = "environments"
    specs = "specs"


def list_(
    what: Annotated[What | None, typer.Argument(help="What to list; default: everything.")] = None,
    name: Annotated[
        str | None,
        typer.Argument(help="Show only this one. A recipe of your own is written module:Class."),
    ] = None,
    allow_import: Annotated[bool, allow_import_option("the current folder")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List policies, attacks, environments and ready specs.

    Example: robustbandits list policies

    Shows what each one does, what it assumes, its parameters and its presets.
    """
    if allow_import:
        search_first(Path())
    wanted = list(What) if what is None else [what]
    found = {section.value: _entries(section, name, allow_import) for section in wanted}
    if as_json:
        show(json.dumps(found, indent=2))
        return
    paragraphs = []
    for title, entries in found.items():
        paragraphs += [title.upper()] if what is None else []
        paragraphs += [_paragraph(entry) for entry in entries]
    show("\n\n".join(paragraphs) + "\n")


def _entries(what: What, name: str | None, allow_import: bool) -> list[dict[str, Any]]:
    if what is What.specs:
        return _specs(name)
    from robustbandits.experiments.registry import facts, find_kind, kinds, presets, summary

    chosen = kinds(what) if name is None else {name: find_kind(what, name, allow_import)}
    return [
        {
            "name": name,
            "summary": summary(kind),
            "facts": facts(kind),
            "parameters": _parameters(kind),
            "presets": list(presets(kind)),
        }
        for name, kind in chosen.items()
    ]


def _parameters(kind: Any) -> list[dict[str, Any]]:
    from robustbandits.experiments.registry import MISSING, parameters

    listed = []
    for parameter in parameters(kind).values():
        entry: dict[str, Any] = {"name": parameter.name, "takes": parameter.takes}
        if parameter.default is MISSING:
            entry["required"] = True
        else:
            plain = isinstance(parameter.default, str | int | float | None)
            entry["default"] = parameter.default if plain else str(parameter.default)
        listed.append(entry)
    return listed


def _specs(name: str | None) -> list[dict[str, Any]]:
    import tomllib

    from robustbandits.experiments.registry import nearest
    from robustbandits.experiments.spec import ready_specs

    ready = ready_specs()
    if name is not None:
        if name not in ready:
            raise ValueError(f"no ready spec {name!r}; {nearest(name, ready)}")
        ready = {name: ready[name]}
    listed = []
    for name, text in ready.items():
        about = " ".join(str(tomllib.loads(text).get("about", "")).split())
        listed.append({"name": name, "summary": about, "text": text})
    return listed


def _paragraph(entry: dict[str, Any]) -> str:
    """Return an entry as text: one line, and indented lines for details."""
    from robustbandits.game.facts import RECONSTRUCTION

    known = entry.get("facts", {}).items()
    facts = [f"{key.replace('_', ' ')}: {_words(value)}" for key, value in known]
    parameters = [
        parameter["name"]
        if "required" in parameter
        else f"{parameter['name']}={parameter['default']}"
        for parameter in entry.get("parameters", [])
    ]
    details = ["; ".join(facts)]
    if parameters:
        details.append("parameters: " + ", ".join(parameters))
    if entry.get("presets"):
        details.append("presets: " + ", ".join(entry["presets"]))
    experimental = entry.get("facts", {}).get("provenance") == RECONSTRUCTION
    lines = [f"{entry['name']}{' (experimental)' if experimental else ''}: {entry['summary']}"]
    for text in filter(None, details):
        lines += ["    " + line for line in textwrap.wrap(text, 96, break_long_words=False)]
    return "\n".join(lines)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value) or "nothing"
    return str(value)
