"""What a spec may name: the recipes that the package exports, their parameters and presets."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

from robustbandits.game.recipe import Recipe

#: Sections of a spec, and the packages of the same names.
SECTIONS = ("environments", "attacks", "policies")
MISSING = inspect.Parameter.empty


class Parameter(NamedTuple):
    """A parameter of a recipe, or of one of its presets."""

    name: str
    default: Any  # MISSING when it must be given
    takes: str  # its annotation

    @property
    def takes_list(self) -> bool:
        """Whether a list can be one value of it."""
        return any(word in self.takes for word in ("tuple[", "list[", "Sequence["))

    @property
    def takes_words(self) -> bool:
        """Whether such a list holds words."""
        return any(word + "[str" in self.takes for word in ("tuple", "list", "Sequence"))


@functools.cache
def kinds(section: str) -> dict[str, type[Recipe]]:
    """Return the recipes that a package exports, by name."""
    package = importlib.import_module(f"robustbandits.{section}")
    found = {name: getattr(package, name) for name in package.__all__}
    return {name: kind for name, kind in found.items() if _is_recipe(kind)}


def _is_recipe(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Recipe) and dataclasses.is_dataclass(value)


def section_of(recipe: Any) -> str | None:
    """Return the package that exports a recipe's class; None for an outsider's."""
    kind = type(recipe)
    exported = (section for section in SECTIONS if kinds(section).get(kind.__name__) is kind)
    return next(exported, None)


def parameters(kind: type[Recipe]) -> dict[str, Parameter]:
    """Return what a recipe can be told."""
    found = {}
    for field in dataclasses.fields(kind):
        if not field.init:
            continue
        default = field.default
        if default is dataclasses.MISSING:
            made = field.default_factory
            default = MISSING if made is dataclasses.MISSING else made()
        found[field.name] = Parameter(field.name, default, _text(field.type))
    return found


def presets(kind: type[Recipe]) -> tuple[str, ...]:
    """Return the names of a recipe's other ways to be made: public class methods."""
    return tuple(
        name
        for name in dir(kind)
        if not name.startswith("_")
        and name != "from_dict"
        and isinstance(inspect.getattr_static(kind, name), classmethod)
    )


def preset_parameters(kind: type[Recipe], preset: str) -> dict[str, Parameter]:
    """Return what a preset can be told: its own parameters and, with ``**changes``, all others."""
    own: dict[str, Parameter] = {}
    rest: dict[str, Parameter] = {}
    for given in inspect.signature(getattr(kind, preset)).parameters.values():
        if given.kind is inspect.Parameter.VAR_KEYWORD:
            rest = parameters(kind)
        elif given.kind is not inspect.Parameter.VAR_POSITIONAL:
            own[given.name] = Parameter(given.name, given.default, _text(given.annotation))
    return {**rest, **own}


def _text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else str(annotation)


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return what the writer may have meant, as the end of an error message."""
    known = list(choices)
    by_lower = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(by_lower[word] for word in close) + "?"
    return "there is " + ", ".join(known) if known else "there is none"
