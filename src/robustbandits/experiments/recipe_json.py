"""Recipes as plain values for strict JSON, and back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from robustbandits.experiments.registry import find_kind, section_of
from robustbandits.game.object_policy import ObjectPolicy


def canonical(values: Any) -> str:
    """Return plain values as JSON in one fixed form: keys sorted, no spaces."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def recipe_to_plain(recipe: Any) -> dict[str, Any]:
    """Return a recipe's class name and parameters, and the module of a third-party class."""
    if isinstance(recipe, Outsider):
        return dict(recipe.plain)
    kind = type(recipe)
    if not callable(getattr(recipe, "to_dict", None)):
        raise TypeError(
            f"{kind.__name__} has no to_dict(), so it cannot be stored; derive it from "
            f"robustbandits.extend.Recipe"
        )
    values = {"name": kind.__name__, **_to_plain(recipe.to_dict())}
    if section_of(recipe) is None:
        origin = recipe.origin if isinstance(recipe, ObjectPolicy) else None
        values["module"] = origin or f"{kind.__module__}.{kind.__qualname__}"
    try:
        canonical(values)
    except (TypeError, ValueError) as error:
        message = f"{kind.__name__}.to_dict() must return plain values for JSON: {error}"
        raise TypeError(message) from None
    return values


def recipe_from_plain(section: str, values: dict[str, Any]) -> Any:
    """Return the recipe that the values describe; an :class:`Outsider` for a third-party class."""
    if "module" in values:
        return Outsider(canonical(values))
    try:
        kind = find_kind(section, str(values.get("name")))
    except ValueError as error:
        raise ValueError(f"{error} (was it written by a newer version?)") from None
    return kind.from_dict(_from_plain(values))


def _to_plain(value: Any) -> Any:
    """Replace infinity and NaN, which JSON cannot express."""
    if isinstance(value, dict):
        return {str(key): _to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _from_plain(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"float"}:
            return float(value["float"])
        return {key: _from_plain(item) for key, item in value.items()}
    return [_from_plain(item) for item in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Outsider:
    """A third-party recipe read from a file. Its class is not imported, so it cannot play."""

    values: str  # JSON

    @property
    def plain(self) -> dict[str, Any]:
        """Class name, module and parameters."""
        return dict(json.loads(self.values))

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters."""
        values = _from_plain(self.plain)
        return {key: value for key, value in values.items() if key not in ("name", "module")}

    @property
    def name(self) -> str:
        """Name of the class."""
        return str(self.plain["name"])

    @property
    def label(self) -> str:
        """Name and parameters."""
        shown = [f"{key}={value!r}" for key, value in self.to_dict().items()]
        return f"{self.name}({', '.join(shown)})"

    @property
    def budget(self) -> float:
        """Budget of an attack; 0 if it has none."""
        return float(self.to_dict().get("budget", 0.0))

    def start(self, *_: Any) -> Any:
        """Raise ValueError: the class is not imported."""
        raise ValueError(
            f"{self.plain['module']} is a third-party class, which reading a file never imports. "
            f"Run its TOML spec with --allow-import, or make the Spec in Python"
        )
