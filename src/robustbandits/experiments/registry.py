"""The recipes that exist, and the parameters, presets and facts of each.

Specs, the command line, tables and precompilation all use this module.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import Any, NamedTuple

from robustbandits.game.facts import policy_facts
from robustbandits.game.object_policy import ObjectKind, can_make_object
from robustbandits.game.recipe import Recipe

#: The sections of a spec; packages of the same names export the recipes.
SECTIONS = ("environments", "attacks", "policies")
MISSING = inspect.Parameter.empty
#: The only parameters that may be required, with typical values.
REQUIRED_VALUES = {"budget": 100.0}


class Parameter(NamedTuple):
    """A parameter of a recipe, or of one of its presets."""

    name: str
    default: Any  # MISSING if the parameter is required
    takes: str  # its annotation

    @property
    def takes_list(self) -> bool:
        """Whether a list is a single value of this parameter."""
        return any(word in self.takes for word in ("tuple[", "list[", "Sequence["))

    @property
    def takes_words(self) -> bool:
        """Whether such a list holds strings."""
        return any(word + "[str" in self.takes for word in ("tuple", "list", "Sequence"))


@functools.cache
def kinds(section: str) -> dict[str, type[Recipe]]:
    """Return the recipe classes that a package exports, by name."""
    package = importlib.import_module(f"robustbandits.{section}")
    exported = {name: getattr(package, name) for name in package.__all__}
    return {name: kind for name, kind in exported.items() if _is_recipe(kind)}


def _is_recipe(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Recipe) and dataclasses.is_dataclass(value)


def find_kind(section: str, name: str, allow_import: bool = False) -> type[Recipe]:
    """Return the recipe class of this name, or raise ValueError with the nearest names.

    A third-party class is written ``module:Class``, or ``module:Outer.Inner``. Its module is
    imported only if ``allow_import`` is true. A policy may also be a class, function or object
    without a recipe (see :func:`~robustbandits.game.object_policy.as_policy`).
    """
    if ":" in name:
        kind = import_object(name, allow_import)
        if section == "policies" and can_make_object(kind):
            return ObjectKind(kind, name)  # type: ignore[return-value]
        if not _is_recipe(kind):
            expected = "expected a dataclass derived from robustbandits.extend.Recipe"
            if section == "policies":
                expected += ", or an object with choose(contexts) and learn(contexts, arm, reward)"
            raise ValueError(f"{name} is not a recipe class; {expected}, got {kind!r}")
        return kind
    known = kinds(section)
    name = name if name in known else name.replace("-", "")  # a display name: BOB-No-Restart
    if name not in known:
        role = {"policies": "policy"}.get(section, section.removesuffix("s"))
        raise ValueError(f"there is no {role} {name!r}; {nearest(name, known)}")
    return known[name]


def import_object(name: str, allow_import: bool) -> Any:
    """Return the object that ``module:Object`` names, or raise ValueError."""
    if not allow_import:
        module = name.partition(":")[0]
        raise ValueError(
            f"{name!r} needs the module {module}, and importing it runs its code. To allow that, "
            f"add --allow-import on the command line, or pass allow_import=True in Python"
        )
    try:
        return pkgutil.resolve_name(name)
    except Exception as error:  # the module may raise anything
        message = (
            f"cannot import {name!r}: {type(error).__name__}: {error}. Check the spelling of "
            f"module:Class, and that Python finds the module"
        )
        raise ValueError(message) from error


def section_of(recipe: Any) -> str | None:
    """Return the package that exports a recipe's class; None for a third-party class."""
    kind = type(recipe)
    sections = (section for section in SECTIONS if kinds(section).get(kind.__name__) is kind)
    return next(sections, None)


def parameters(kind: type[Recipe], preset: str | None = None) -> dict[str, Parameter]:
    """Return the parameters of a recipe class or of one of its presets, by name.

    In a preset, ``**changes`` stands for all parameters of the recipe.
    """
    own: dict[str, Parameter] = {}
    rest: dict[str, Parameter] = {}
    maker = kind if preset is None else getattr(kind, preset)
    for given in inspect.signature(maker).parameters.values():
        if given.kind is inspect.Parameter.VAR_KEYWORD:
            rest = parameters(kind)
        elif given.kind is not inspect.Parameter.VAR_POSITIONAL:
            own[given.name] = Parameter(given.name, given.default, _as_text(given.annotation))
    return {**rest, **own}


def _as_text(annotation: Any) -> str:
    """Return an annotation as text; it is an object in a module without postponed annotations."""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def presets(kind: type[Recipe]) -> tuple[str, ...]:
    """Return the names of a recipe's presets: its public class methods."""
    return tuple(
        name
        for name in dir(kind)
        if not name.startswith("_")
        and name != "from_dict"
        and isinstance(inspect.getattr_static(kind, name), classmethod)
    )


def summary(kind: type[Recipe]) -> str:
    """Return the first paragraph of a recipe's docstring, on one line."""
    return " ".join((kind.__doc__ or "").strip().split("\n\n")[0].split())


def facts(kind: type[Recipe]) -> dict[str, Any]:
    """Return the facts of a recipe class by name; empty for a class without facts."""
    found = getattr(kind, "facts", None)
    return {} if found is None else found._asdict()


def required_values(kind: type[Recipe], preset: str | None = None) -> dict[str, float]:
    """Return typical values of the parameters that have no default."""
    given = parameters(kind, preset).values()
    required = [parameter.name for parameter in given if parameter.default is MISSING]
    for name in required:
        if name not in REQUIRED_VALUES:
            allowed = ", ".join(REQUIRED_VALUES)
            raise ValueError(
                f"{kind.__name__} has no default for {name}; give it one (only {allowed} may be "
                f"without a default)"
            )
    return {name: REQUIRED_VALUES[name] for name in required}


def sample_policy(name: str, **changes: Any) -> Any:
    """Return a policy with its defaults; required parameters get typical values."""
    kind = find_kind("policies", name)
    return kind(**{**required_values(kind), **changes})


def sample_environment(policy: Recipe, **settings: Any) -> Any:
    """Return a simulation that a policy can play: with fixed arms if the policy needs them."""
    fresh = policy_facts(policy).setting == "contextual"
    contexts = "fresh" if fresh else "fixed"
    simulation = find_kind("environments", "Simulation")
    return simulation(**{"contexts": contexts, **settings})


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return the end of an error message about an unknown name: the names closest to it."""
    known = list(choices)
    by_lower = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(by_lower[word] for word in close) + "?"
    return "known: " + ", ".join(known) if known else "there are none"
