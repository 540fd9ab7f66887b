"""How to play an experiment again: its spec as text, and the commands."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits.experiments.recipe_json import recipe_to_plain
from robustbandits.experiments.spec import parse_spec, ready_specs

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec

STORE = "--store STORE"
REPORT = "robustbandits report STORE --out REPORT"


class Rerun(NamedTuple):
    """How to play it again."""

    file: str  # name of the spec's file; empty when the spec comes with the package
    text: str  # TOML, or JSON where TOML cannot say it
    commands: str


def rerun(spec: Spec, file: str | None = None) -> Rerun:
    """Return the spec as text and the commands that play it again.

    Parameters
    ----------
    spec
        What was played.
    file
        What to call its file, without suffix; by default after the spec's name.
    """
    stem = file or slug(spec.name)
    ready = ready_specs().get(spec.name)
    if ready is not None and _reads_as(ready, spec):
        return Rerun("", ready, f"robustbandits run {spec.name} {STORE}\n{REPORT}")
    text = to_toml(spec)
    if _reads_as(text, spec):
        return Rerun(f"{stem}.toml", text, f"robustbandits run {stem}.toml {STORE}\n{REPORT}")
    # Recipes from outside the package, or values that TOML has no word for.
    text = json.dumps(spec.to_dict(), indent=2, ensure_ascii=False) + "\n"
    note = "It holds recipes that TOML cannot name: make the spec in Python, as it was made before."
    return Rerun(f"{stem}.json", text, f"# {note}\n{REPORT}")


def slug(name: str) -> str:
    """Return a name that every file system takes."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "experiment"


def slugs(names: Sequence[str]) -> list[str]:
    """Return such names, all different."""
    found: list[str] = []
    for name in names:
        base, number = slug(name), 2
        one = base
        while one in found:
            one, number = f"{base}-{number}", number + 1
        found.append(one)
    return found


def _reads_as(text: str, spec: Spec) -> bool:
    try:
        return parse_spec(text, source=spec.name).to_dict() == spec.to_dict()
    except (ValueError, TypeError, OSError):
        return False


def to_toml(spec: Spec) -> str:
    """Return TOML that reads as the spec, sweeps written out."""
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
    """Return a value as TOML: nearly JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("Infinity", "inf").replace("NaN", "nan")
