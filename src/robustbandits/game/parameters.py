"""Types for recipe parameters that say which values are allowed.

A recipe that inherits from :class:`CheckedRecipe` checks each parameter by its annotation and
stores the checked value (``3`` becomes ``3.0`` where a float is expected)::

    @dataclass(frozen=True, kw_only=True)
    class MyPolicy(CheckedRecipe):
        delta: Probability = 0.01
        budget: NonNegative | None = None
        ties: Literal["random", "first"] = "random"

Parameters with other annotations, such as a plain ``float``, are stored as they are given. A type
of your own is ``Annotated[int, check]``, where ``check(name, value)`` returns the value to store or
raises an error; the functions of :mod:`~robustbandits.game.require` help to write it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from robustbandits.game import require
from robustbandits.game.recipe import Recipe

#: Returns the value of the named parameter in its final type, or raises an error that names it.
Check = Callable[[str, Any], Any]


Real = Annotated[float, require.real]
Positive = Annotated[float, require.positive]
NonNegative = Annotated[float, functools.partial(require.at_least, low=0.0)]
Probability = Annotated[float, require.fraction]  # 0 and 1 excluded
Share = Annotated[float, functools.partial(require.between, low=0.0, high=1.0)]  # both included
Count = Annotated[int, functools.partial(require.count, high=1 << 53)]  # 1, 2, ...; see below
Budget = Annotated[float, require.budget]  # not negative; infinity is allowed
Flag = Annotated[bool, require.flag]
# Policies compute with counts as floats, which represent every whole number up to 2^53.


class CheckedRecipe(Recipe):
    """Base class of recipes whose parameters are checked by their annotations.

    With ``budget: NonNegative = 1.0``, -1 raises ``budget must be >= 0, got -1``, and 2 is stored
    as 2.0. The types are ``Positive``, ``NonNegative``, ``Probability`` (0 and 1 excluded),
    ``Share`` (0 and 1 included), ``Count`` (1, 2, ...), ``Budget`` (infinity allowed), ``Flag`` (a
    bool), ``Literal["this", "that"]``, and each of them ``| None``. Any other annotation is not
    checked. A class with a ``__post_init__`` of its own must call ``super().__post_init__()``.
    """

    def __post_init__(self) -> None:
        check_fields(self)


def check_fields(instance: Any) -> None:
    """Check the fields of a frozen dataclass by their annotations, in ``__post_init__`` only."""
    kind: Any = type(instance)
    for name, check in _checks_of(kind).items():
        object.__setattr__(instance, name, check(name, getattr(instance, name)))


@functools.cache
def _checks_of(kind: Any) -> dict[str, Check]:
    hints = get_type_hints(kind, include_extras=True)
    checks = {field.name: _check_of(hints[field.name]) for field in dataclasses.fields(kind)}
    return {name: check for name, check in checks.items() if check is not None}


def _check_of(hint: Any) -> Check | None:
    """Return the check that an annotation stands for; None if it stands for none."""
    parts = get_args(hint)
    if get_origin(hint) is Annotated:
        check: Check = hint.__metadata__[0]
        return check
    if get_origin(hint) is Literal:
        return functools.partial(require.one_of, choices=parts)
    if NoneType in parts and len(parts) == 2:
        inner = _check_of(parts[parts[0] is NoneType])
        return None if inner is None else functools.partial(_unless_none, inner)
    return None


def _unless_none(check: Check, name: str, value: Any) -> Any:
    return None if value is None else check(name, value)
