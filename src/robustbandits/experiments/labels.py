"""Check the labels of recipes and the seeds of a spec, and fill in defaults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from robustbandits.game import require
from robustbandits.game.object_policy import as_policy
from robustbandits.ratings.synthetic import STAND_IN

ROLES = {"environments": "environment", "attacks": "attack", "policies": "policy"}
MAX_SEEDS = 1_000_000
#: A stored seed is a column of 64-bit integers.
LARGEST_SEED = 2**63 - 1


def check_seeds(seeds: Any) -> tuple[int, ...]:
    """Return the seeds of a list, or 0, 1, 2, ... if ``seeds`` is their number."""
    if isinstance(seeds, Sequence) and not isinstance(seeds, str):
        numbers = tuple(require.count("seeds", seed, low=0) for seed in seeds)
        if not numbers or len(set(numbers)) != len(numbers):
            raise ValueError(f"seeds must be different numbers, at least one; got {seeds!r}")
        if max(numbers) > LARGEST_SEED:
            raise ValueError(f"seeds must be <= {LARGEST_SEED}, got {max(numbers)}")
        return numbers
    count = require.count("seeds", seeds)
    if count > MAX_SEEDS:
        raise ValueError(f"seeds must be <= {MAX_SEEDS:,}, got {count:,}")
    return tuple(range(count))


def label_recipes(argument: str, recipes: Any) -> dict[str, Any]:
    """Return recipes by label. If recipes in a list share a name, their labels have parameters."""
    if isinstance(recipes, Mapping):
        labels, listed = list(recipes), list(recipes.values())
    else:
        listed = list(recipes) if isinstance(recipes, list | tuple) else [recipes]
        labels = None
    if argument == "policies":
        listed = [as_policy(argument, policy) for policy in listed]
    for recipe in listed:
        require.recipe(argument, recipe, ROLES[argument])
    if not listed:
        raise ValueError(f"{argument} is empty; give at least one")
    found: dict[str, Any] = {}
    for label, recipe in zip(labels or _default_labels(listed), listed, strict=True):
        add_label(found, argument, label, recipe)
    return found


def _default_labels(recipes: Sequence[Any]) -> list[str]:
    counts = Counter(recipe.name for recipe in recipes)
    return [recipe.name if counts[recipe.name] == 1 else recipe.label for recipe in recipes]


def add_label(found: dict[str, Any], argument: str, label: Any, recipe: Any) -> None:
    """Check a label, and add the recipe under it to ``found``."""
    shown = mark_stand_in(check_text(argument, label), recipe)
    if shown in found:
        raise ValueError(f"{argument} has the label {shown!r} twice; give each a different label")
    found[shown] = recipe


def check_text(argument: str, text: Any) -> str:
    """Return text that fits on one line of a table."""
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        what = "name" if argument == "name" else f"{argument}: a label"
        raise ValueError(f"{what} must be one line of text, got {text!r}")
    return text.strip()


def mark_stand_in(label: str, recipe: Any) -> str:
    """Return the label, marked if the recipe's data are a synthetic stand-in for a data set."""
    if getattr(recipe, "stand_in", False) and not label.endswith(STAND_IN):
        return label + STAND_IN
    return label
