"""Recipes as plain values, in strict JSON, and back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from robustbandits.experiments.registry import kinds, nearest, section_of


def canonical(values: Any) -> str:
    """Return the one JSON text of plain values: sorted keys, no blanks."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def recipe_to_plain(recipe: Any) -> dict[str, Any]:
    """Return a recipe's class and parameters; an outsider's module too."""
    if isinstance(recipe, Outsider):
        return dict(json.loads(recipe.values))
    name = type(recipe).__name__
    if not callable(getattr(recipe, "to_dict", None)):
        raise TypeError(f"{name} has no to_dict(); derive it from robustbandits.game.recipe.Recipe")
    values = {"name": name, **_plain(recipe.to_dict())}
    if section_of(recipe) is None:
        kind = type(recipe)
        values["module"] = f"{kind.__module__}.{kind.__qualname__}"
    try:
        canonical(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}.to_dict() must hold plain values for JSON: {error}") from None
    return values


def recipe_from_plain(section: str, values: dict[str, Any]) -> Any:
    """Return the recipe; a class that the package does not export gives an :class:`Outsider`."""
    if "module" in values:
        return Outsider(canonical(values))
    name = values.get("name")
    kind = kinds(section).get(str(name))
    if kind is None:
        raise ValueError(
            f"{section} has no {name!r}; {nearest(str(name), kinds(section))} "
            f"(was it written by a newer version?)"
        )
    return kind.from_dict(_rich(values))


def _plain(value: Any) -> Any:
    """Make infinity and its like fit for JSON, which has no word for them."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _rich(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"float"}:
            return float(value["float"])
        return {key: _rich(one) for key, one in value.items()}
    return [_rich(one) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Outsider:
    """A recipe of somebody else's, known only by what was written down: it cannot play."""

    values: str  # JSON

    @property
    def name(self) -> str:
        """Name of its class."""
        return str(json.loads(self.values)["name"])

    @property
    def label(self) -> str:
        """Name and parameters."""
        parts = json.loads(self.values)
        shown = [f"{k}={v!r}" for k, v in parts.items() if k not in ("name", "module")]
        return f"{self.name}({', '.join(shown)})"

    @property
    def budget(self) -> float:
        """What an attack may spend; 0 when it does not say."""
        return float(_rich(json.loads(self.values)).get("budget", 0.0))

    @property
    def purse(self) -> str:
        """How an attack's purse pays."""
        return str(json.loads(self.values).get("purse", "truncate"))

    def start(self, *_: Any) -> Any:
        """Refuse: the code is not here."""
        where = json.loads(self.values)["module"]
        raise ValueError(
            f"{where} is not part of robustbandits: spec files know only the names it exports. "
            f"Build the Spec in Python, with the class imported"
        )
