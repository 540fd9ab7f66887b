"""A sweep: a table of a spec, which stands for one recipe or for all combinations of its lists.

The recipes can be counted without making them. If an error is about one key of the table, its
message begins with that key.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from robustbandits.experiments.labels import ROLES
from robustbandits.experiments.registry import (
    MISSING,
    REQUIRED_VALUES,
    Parameter,
    find_kind,
    nearest,
    parameters,
    presets,
)
from robustbandits.game import require
from robustbandits.game.object_policy import ObjectKind
from robustbandits.game.recipe import Recipe


class MissingParameters(ValueError):
    """A table lacks parameters that have no default."""


@dataclass(frozen=True)
class Sweep:
    """A table whose names have been checked, but whose recipes are not made yet."""

    section: str
    label: str
    make: Any  # the class, or one of its presets
    fixed: dict[str, Any]
    lists: dict[str, list[Any]]  # the parameters to sweep over

    @property
    def count(self) -> int:
        """Number of recipes."""
        return math.prod(len(values) for values in self.lists.values())

    def recipes(self) -> Iterator[tuple[str, Recipe]]:
        """Make the recipes, each with its label."""
        for values in itertools.product(*self.lists.values()):
            chosen = dict(zip(self.lists, values, strict=True))
            words = ", ".join(f"{key}={value}" for key, value in chosen.items())
            label = f"{self.label}({words})" if chosen else self.label
            recipe = self.make(**self.fixed, **chosen)
            yield label, require.recipe(self.section, recipe, ROLES[self.section])


def read_table(section: str, label: str, table: Any, allow_import: bool = False) -> Sweep:
    """Check the names in a table. Its values are checked when the recipes are made.

    A table whose kind is a third-party class is refused unless ``allow_import`` is true.
    """
    if not isinstance(table, dict):
        raise ValueError(f"{section}.{label} must be a table of parameters, got {table!r}")
    kind = _kind(section, label, table, allow_import)
    preset = _preset(kind, table)
    known = parameters(kind, preset)
    fixed: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {}
    for key, value in table.items():
        if key in ("kind", "preset"):
            continue
        if key not in known:
            raise ValueError(f"{key} is not a parameter of {kind.__name__}; {nearest(key, known)}")
        if _is_swept(known[key], value):
            lists[key] = _check_list(key, value)
        else:
            fixed[key] = value
    required = [key for key, parameter in known.items() if parameter.default is MISSING]
    missing = [key for key in required if key not in table]
    if missing:
        raise MissingParameters(
            f"{kind.__name__} needs {' and '.join(missing)}, for example "
            + ", ".join(f"{key}={REQUIRED_VALUES.get(key, 1):g}" for key in missing)
        )
    return Sweep(section, label, getattr(kind, preset) if preset else kind, fixed, lists)


def _kind(section: str, label: str, table: dict[str, Any], allow_import: bool) -> type[Recipe]:
    try:
        kind = find_kind(section, str(table.get("kind", label)), allow_import)
        if isinstance(kind, ObjectKind):
            kind.policy_name = label
        return kind
    except ValueError as error:
        if "kind" in table:
            raise ValueError(f"kind: {error}") from error
        raise ValueError(f"{error} (to use your own label, add kind = ...)") from error


def _preset(kind: type[Recipe], table: dict[str, Any]) -> str | None:
    if "preset" not in table:
        return None
    known, name = presets(kind), str(table["preset"])
    if name not in known:
        raise ValueError(f"preset: {kind.__name__} has no preset {name!r}; {nearest(name, known)}")
    return name


def _is_swept(parameter: Parameter, value: Any) -> bool:
    """Whether a value is a list to sweep over rather than a list that the parameter takes.

    If a parameter takes a list of numbers, a list with any other item is a sweep: over lists, or
    over lists and words.
    """
    if not isinstance(value, list):
        return False
    if not parameter.takes_list:
        return True
    item_type = str if parameter.takes_words else int | float
    return bool(value) and not all(isinstance(item, item_type) for item in value)


def _check_list(key: str, values: list[Any]) -> list[Any]:
    if not values:
        raise ValueError(f"{key} = [] is an empty sweep; give at least one value")
    seen: set[str] = set()
    for value in values:
        # 1, 1.0 and true are equal in Python; only the first two are the same in a recipe.
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        text = repr(float(value)) if is_number else repr(value)
        if text in seen:
            raise ValueError(f"{key} has {value!r} twice in its sweep; remove one")
        seen.add(text)
    return values
