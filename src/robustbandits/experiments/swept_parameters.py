"""The parameters in which the recipes of a spec differ, for the columns of a data frame."""

from __future__ import annotations

import dataclasses
from typing import Any

from robustbandits.experiments.labels import ROLES
from robustbandits.experiments.spec import Spec
from robustbandits.game.object_policy import ObjectPolicy
from robustbandits.game.recipe import Recipe

#: Values by role ("environment", "attack" or "policy"), label and name of the parameter.
Parameters = dict[str, dict[str, dict[str, Any]]]


def swept_parameters(spec: Spec) -> Parameters:
    """Return the parameters that have different values in recipes of the same class.

    A recipe without such a parameter has no value for it, except that every attack has a budget.
    Values are numbers, true, false or text; lists and tables are written as text.
    """
    return {role: _swept(getattr(spec, section)) for section, role in ROLES.items()}


def _swept(recipes: dict[str, Any]) -> dict[str, dict[str, Any]]:
    values = {label: _values(recipe) for label, recipe in recipes.items()}
    first: dict[str, dict[str, Any]] = {}  # of each class
    swept: dict[str, None] = {}
    for label, recipe in recipes.items():
        earlier = first.setdefault(recipe.name, values[label])
        names = [*earlier, *values[label]]
        swept |= dict.fromkeys(n for n in names if earlier.get(n) != values[label].get(n))
    return {
        label: {name: found[name] for name in swept if name in found}
        for label, found in values.items()
    }


def _values(recipe: Any) -> dict[str, Any]:
    budget = {"budget": recipe.budget} if hasattr(recipe, "budget") else {}
    return {
        name: value if isinstance(value, bool | int | float | str) else str(value)
        for name, value in {**budget, **_parameters(recipe)}.items()
        if value is not None
    }


def _parameters(recipe: Any) -> dict[str, Any]:
    """Return the parameters, also of recipes that cannot be written as JSON."""
    if isinstance(recipe, ObjectPolicy):
        return dict(recipe.parameters)
    if isinstance(recipe, Recipe):
        return {field.name: getattr(recipe, field.name) for field in dataclasses.fields(recipe)}
    to_dict = getattr(recipe, "to_dict", dict)
    return dict(to_dict())
