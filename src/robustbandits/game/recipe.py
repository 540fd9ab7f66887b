"""Recipe: the parameters of a policy, an attack or an environment.

A recipe is a frozen dataclass of plain values. It can be compared, hashed, and converted to JSON
and back. For every game it starts a new state (policy, attack) or a new nature (environment).
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Self

#: Where plain values of a recipe hold the version of its class. No parameter can have this name.
VERSION_KEY = "class version"


def class_version(kind: type[Any]) -> int:
    """Return the version of a recipe's class; 1 for a class that has none.

    A parameter that is named ``version`` is not the version of the class.
    """
    if dataclasses.is_dataclass(kind) and "version" in {f.name for f in dataclasses.fields(kind)}:
        return 1
    version = getattr(kind, "version", 1)
    if type(version) is not int or version < 1:
        name = kind.__name__
        raise TypeError(f"{name}.version must be a whole number, at least 1, got {version!r}")
    return version


class Recipe:
    """Base class of recipes: the parameters of a policy, an attack or an environment.

    Decorate a derived class with ``@dataclass(frozen=True, kw_only=True)``, let its fields be plain
    values (numbers, strings, booleans, None, tuples of these), and give it a method ``start``:
    ``start(problem)`` of a policy or an attack returns a new state, ``start(rounds, seed)`` of an
    environment returns an object that draws rounds. A class method that returns a recipe is a
    preset, which a spec can name.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    #: Raise this in a class whose numbers change: when the same parameters and seed would play
    #: another game than before. It becomes part of the ids of that class's games, so stores play
    #: them again and keep all others. Do not raise it for changes that leave every bit as it was.
    version: ClassVar[int] = 1

    #: Parameters that are left out of :meth:`to_dict` while they have their defaults. List here
    #: what is added to a class that has been used: its older games then keep their ids.
    added_parameters: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        return type(self).__name__

    @property
    def label(self) -> str:
        """Name with the parameters that differ from their defaults."""
        changed = [f"{key}={value!r}" for key, value in self.changes().items()]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def changes(self) -> dict[str, Any]:
        """Parameters that differ from their defaults."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        return {key: value for key, value in values.items() if value != defaults[key]}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; :meth:`from_dict` reads them."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        changes = Recipe.changes(self)
        plain = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in values.items()
            if key in changes or key not in self.added_parameters
        }
        return {"name": type(self).__name__, **plain}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Make a recipe from the values of :meth:`to_dict`; raise ValueError for bad ones."""
        if values.get("name", cls.__name__) != cls.__name__:
            raise ValueError(
                f"expected parameters of {cls.__name__}, got those of {values['name']}"
            )
        parameters = {key: value for key, value in values.items() if key != "name"}
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(parameters) - known)
        if unknown:
            names = ", ".join(sorted(known))
            raise ValueError(f"{cls.__name__} has no parameter {unknown[0]!r}; it has {names}")
        return cls(**parameters)

    def _set(self, **values: Any) -> None:
        """Set checked values, in ``__post_init__`` only."""
        for key, value in values.items():
            object.__setattr__(self, key, value)
