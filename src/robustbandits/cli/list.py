"""``robustbandits list``: what there is to play with."""

from __future__ import annotations

import json
import textwrap
from enum import StrEnum
from typing import Annotated, Any

import typer


class What(StrEnum):
    """What to list."""

    policies = "policies"
    attacks = "attacks"
    environments = "environments"
    specs = "specs"


def show(
    what: Annotated[What | None, typer.Argument(help="All of them when left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show policies, attacks, environments and ready specs: a line each, assumptions, parameters.

    Example: robustbandits list policies
    """
    wanted = list(What) if what is None else [what]
    found = {one.value: _entries(one) for one in wanted}
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for title, entries in found.items():
        if what is None:
            typer.echo(title.upper() + "\n")
        for entry in entries:
            typer.echo(_paragraph(entry) + "\n")


def _entries(what: What) -> list[dict[str, Any]]:
    if what is What.specs:
        return _specs()
    from robustbandits.experiments.registry import kinds, presets

    return [
        {
            "name": name,
            "summary": _summary(kind),
            "facts": _facts(kind),
            "parameters": _parameters(kind),
            "presets": list(presets(kind)),
        }
        for name, kind in kinds(what.value).items()
    ]


def _summary(kind: type) -> str:
    """Return the first sentence of the docstring."""
    first = (kind.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(first.split())


def _facts(kind: type) -> dict[str, Any]:
    facts = getattr(kind, "facts", None)
    return {} if facts is None else facts._asdict()


def _parameters(kind: Any) -> list[dict[str, Any]]:
    from robustbandits.experiments.registry import MISSING, parameters

    listed = []
    for one in parameters(kind).values():
        entry: dict[str, Any] = {"name": one.name, "takes": one.takes}
        if one.default is MISSING:
            entry["required"] = True
        else:
            plain = isinstance(one.default, str | int | float | None)
            entry["default"] = one.default if plain else str(one.default)
        listed.append(entry)
    return listed


def _specs() -> list[dict[str, Any]]:
    import tomllib

    from robustbandits.experiments.spec import ready_specs

    listed = []
    for name, text in ready_specs().items():
        about = " ".join(str(tomllib.loads(text).get("about", "")).split())
        listed.append({"name": name, "summary": about, "text": text})
    return listed


def _paragraph(entry: dict[str, Any]) -> str:
    lines = [f"{entry['name']}: {entry['summary']}"]
    facts = [f"{key}: {_words(value)}" for key, value in entry.get("facts", {}).items()]
    if facts:
        lines.append("; ".join(facts))
    shown = [
        one["name"] if "required" in one else f"{one['name']}={one['default']}"
        for one in entry.get("parameters", [])
    ]
    if shown:
        lines.append("parameters: " + ", ".join(shown))
    if entry.get("presets"):
        lines.append("presets: " + ", ".join(entry["presets"]))
    rest = ["\n".join(textwrap.wrap(x, 96, break_long_words=False)) for x in lines[1:]]
    return "\n".join([lines[0], *(textwrap.indent(one, "    ") for one in rest)])


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "nothing"
    return str(value)
