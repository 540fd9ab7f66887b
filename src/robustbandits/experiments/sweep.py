"""A sweep: one table of a spec, which stands for one recipe or for all combinations of its lists.

How many recipes it stands for is counted without making any.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from robustbandits.experiments.registry import (
    MISSING,
    Parameter,
    kinds,
    nearest,
    parameters,
    preset_parameters,
    presets,
)
from robustbandits.game.recipe import Recipe


class BadEntry(ValueError):
    """What is wrong with a table of a spec, and at which of its keys (None: the table itself)."""

    def __init__(self, message: str, key: str | None = None):
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class Sweep:
    """A table, looked at but not yet made into recipes."""

    label: str
    kind: type[Recipe]
    preset: str | None
    fixed: dict[str, Any]
    lists: dict[str, list[Any]]  # what is swept over

    @property
    def count(self) -> int:
        """How many recipes it stands for."""
        return math.prod(len(values) for values in self.lists.values())

    def recipes(self) -> Iterator[tuple[str, Recipe]]:
        """Make the recipes, each with its label."""
        for values in itertools.product(*self.lists.values()):
            chosen = dict(zip(self.lists, values, strict=True))
            yield self._label(chosen), self._make({**self.fixed, **chosen})

    def _label(self, chosen: dict[str, Any]) -> str:
        words = ", ".join(f"{key}={value}" for key, value in chosen.items())
        return f"{self.label}({words})" if chosen else self.label

    def _make(self, values: dict[str, Any]) -> Recipe:
        made: Any = getattr(self.kind, self.preset) if self.preset else self.kind
        try:
            return made(**values)
        except (ValueError, TypeError, OSError) as error:
            # A recipe's own message begins with the name of the parameter.
            words = str(error).split(maxsplit=1)
            guilty = words[0] if words and words[0] in values else None
            raise BadEntry(f"{self.kind.__name__}: {error}", guilty) from error


def look_at(section: str, label: str, table: Any) -> Sweep:
    """Check the names in a table; its values are checked when the recipes are made."""
    if not isinstance(table, dict):
        raise BadEntry(f"{section}.{label} must be a table of parameters, got {table!r}")
    kind = _kind(section, label, table)
    preset = _preset(kind, table)
    known = preset_parameters(kind, preset) if preset else parameters(kind)
    fixed: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {}
    for key, value in table.items():
        if key in ("kind", "preset"):
            continue
        if key not in known:
            raise BadEntry(f"{kind.__name__} has no parameter {key!r}; {nearest(key, known)}", key)
        if is_sweep(known[key], value):
            lists[key] = _check_list(key, value)
        else:
            fixed[key] = value
    absent = [n for n, one in known.items() if one.default is MISSING and n not in table]
    if absent:
        raise BadEntry(f"{kind.__name__} needs {' and '.join(absent)}")
    return Sweep(label, kind, preset, fixed, lists)


def _kind(section: str, label: str, table: dict[str, Any]) -> type[Recipe]:
    known = kinds(section)
    name = table.get("kind", label)
    if isinstance(name, str) and name in known:
        return known[name]
    message = f"{section} has no {name!r}; {nearest(str(name), known)}"
    if "kind" in table:
        raise BadEntry(message, "kind")
    raise BadEntry(f"{message} (a label of your own needs kind = ...)")


def _preset(kind: type[Recipe], table: dict[str, Any]) -> str | None:
    if "preset" not in table:
        return None
    known, name = presets(kind), table["preset"]
    if isinstance(name, str) and name in known:
        return name
    message = f"{kind.__name__} has no preset {name!r}; {nearest(str(name), known)}"
    raise BadEntry(message, "preset")


def is_sweep(parameter: Parameter, value: Any) -> bool:
    """Whether a value is a list to sweep over rather than a list that the parameter takes.

    Where a parameter takes a list of numbers, a list of anything else is a sweep: of lists, or of
    lists and words.
    """
    if not isinstance(value, list):
        return False
    if not parameter.takes_list:
        return True
    plain = str if parameter.takes_words else int | float
    return bool(value) and not all(isinstance(item, plain) for item in value)


def _check_list(key: str, values: list[Any]) -> list[Any]:
    if not values:
        raise BadEntry(f"{key} = [] is a sweep over nothing; give at least one value", key)
    seen: set[str] = set()
    for value in values:
        # 1, 1.0 and true are equal in Python; only the first two are the same in a recipe.
        number = isinstance(value, int | float) and not isinstance(value, bool)
        word = repr(float(value)) if number else repr(value)
        if word in seen:
            raise BadEntry(f"{key} has {value!r} twice in its sweep", key)
        seen.add(word)
    return values
