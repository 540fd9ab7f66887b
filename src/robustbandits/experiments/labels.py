"""Names for what plays: labels for recipes, seeds for repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from robustbandits.game import require

ROLES = {"environments": "environment", "attacks": "attack", "policies": "policy"}
#: Every label of data that only imitates a dataset ends so: it must never pass for the real thing.
STAND_IN = " (synthetic stand-in)"
MAX_SEEDS = 1_000_000
#: What fits in a column of 64-bit numbers.
LARGEST_SEED = 2**63 - 1


def check_seeds(seeds: Any) -> tuple[int, ...]:
    """Return seeds as given, or so many from 0."""
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


def named(argument: str, recipes: Any) -> dict[str, Any]:
    """Return recipes by label; those that share a name are told apart by their parameters."""
    if isinstance(recipes, Mapping):
        labels, listed = list(recipes), list(recipes.values())
    else:
        listed = list(recipes) if isinstance(recipes, list | tuple) else [recipes]
        labels = None
    for one in listed:
        require.recipe(argument, one, ROLES[argument])
    if not listed:
        raise ValueError(f"{argument} is empty; give at least one")
    return label_all(argument, labels or _own_labels(listed), listed)


def _own_labels(recipes: Sequence[Any]) -> list[str]:
    counts = Counter(recipe.name for recipe in recipes)
    return [one.name if counts[one.name] == 1 else one.label for one in recipes]


def label_all(argument: str, labels: Sequence[Any], recipes: Sequence[Any]) -> dict[str, Any]:
    """Return recipes by checked label."""
    found: dict[str, Any] = {}
    for label, recipe in zip(labels, recipes, strict=True):
        shown = marked(check_label(argument, label), recipe)
        if shown in found:
            raise ValueError(f"{argument} has {shown!r} twice; give each a label of its own")
        found[shown] = recipe
    return found


def check_label(argument: str, label: Any) -> str:
    """Return a label that fits in a line of a table."""
    if not isinstance(label, str) or not label.strip() or not label.isprintable():
        raise ValueError(f"a label of {argument} must be a line of text, got {label!r}")
    return label.strip()


def marked(label: str, recipe: Any) -> str:
    """Return the label, with its warning if the data only imitate a dataset."""
    if getattr(recipe, "stand_in", False) and not label.endswith(STAND_IN):
        return label + STAND_IN
    return label
