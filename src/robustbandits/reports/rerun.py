"""How to run an experiment again: its spec as text, and the commands."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from robustbandits.experiments.recipe_json import recipe_to_plain
from robustbandits.experiments.spec import Spec, parse_spec, ready_specs

STORE = "--store STORE"
REPORT = "robustbandits report STORE --out REPORT"


class Rerun(NamedTuple):
    """A spec as text, and the commands that run it."""

    file: str  # name of the spec's file; empty for a ready spec of the package
    text: str  # TOML, or JSON for what TOML cannot express
    commands: str


def rerun(spec: Spec, file: str | None = None) -> Rerun:
    """Return the spec as text, and the commands that run it again.

    Parameters
    ----------
    spec
        The spec of the experiment.
    file
        Name for its file, without suffix; made from the spec's name by default.
    """
    stem = file or slug(spec.name)
    ready = ready_specs().get(spec.name)
    if ready is not None and _reads_as(ready, spec):
        return Rerun("", ready, f"robustbandits run {spec.name} {STORE}\n{REPORT}")
    text = to_toml(spec)
    if _reads_as(text, spec):
        return Rerun(f"{stem}.toml", text, f"robustbandits run {stem}.toml {STORE}\n{REPORT}")
    # The spec has third-party recipes, or values that TOML cannot express.
    text = json.dumps(spec.to_dict(), indent=2, ensure_ascii=False) + "\n"
    note = (
        "# This spec cannot be written as TOML. Make it in Python, or run its original file\n"
        "# (with --allow-import if it has third-party recipes)."
    )
    return Rerun(f"{stem}.json", text, f"{note}\n{REPORT}")


def slug(name: str) -> str:
    """Return a file name that is valid on every file system."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "experiment"


def slugs(names: Sequence[str]) -> list[str]:
    """Return a different file name for each name."""
    taken: list[str] = []
    for name in names:
        base = file_name = slug(name)
        number = 2
        while file_name in taken:
            file_name, number = f"{base}-{number}", number + 1
        taken.append(file_name)
    return taken


def _reads_as(text: str, spec: Spec) -> bool:
    try:
        return parse_spec(text, source=spec.name).to_dict() == spec.to_dict()
    except (ValueError, TypeError, OSError):
        return False


def to_toml(spec: Spec) -> str:
    """Return TOML from which the same spec is read, without sweeps."""
    count = len(spec.seeds)
    seeds: Any = count if list(spec.seeds) == list(range(count)) else list(spec.seeds)
    lines = [
        f"name = {_value(spec.name)}",
        f"about = {_value(spec.about)}",
        f"rounds = {spec.rounds}",
        f"seeds = {_value(seeds)}",
        f"points = {spec.points}",
    ]
    if spec.unsupported != "refuse":
        lines.append(f"unsupported = {_value(spec.unsupported)}")
    for section in ("environments", "attacks", "policies"):
        for label, recipe in getattr(spec, section).items():
            values = recipe_to_plain(recipe)
            lines += ["", f"[{section}.{_value(label)}]", f"kind = {_value(values.pop('name'))}"]
            lines += [f"{key} = {_value(v)}" for key, v in values.items() if v is not None]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """Return a value as TOML, which is JSON apart from tables, infinity and NaN."""
    if isinstance(value, dict):
        if set(value) == {"float"}:  # infinity or NaN, as in JSON
            return str(value["float"])
        items = ((key, inner) for key, inner in value.items() if inner is not None)
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in items) + " }"
    return json.dumps(value, ensure_ascii=False).replace("Infinity", "inf").replace("NaN", "nan")
