"""Checks of arguments. Each error names the argument, what is expected, and the value."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from typing import Any

#: Smallest fraction: its inverse, times any number of rounds, is still finite.
SMALLEST_FRACTION = 1e-200


def real(name: str, value: Any) -> float:
    """Return a finite number as a float."""
    if isinstance(value, bool) or (not isinstance(value, int | float) and not _is_scalar(value)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


def _is_scalar(value: Any) -> bool:
    return getattr(value, "ndim", None) == 0 and value.dtype.kind in "fiu"


def at_least(name: str, value: Any, low: float) -> float:
    """Return a finite number not below ``low``."""
    number = real(name, value)
    if number < low:
        raise ValueError(f"{name} must be >= {low:g}, got {value!r}")
    return number


def positive(name: str, value: Any) -> float:
    """Return a finite number above zero."""
    number = real(name, value)
    if not number > 0:
        raise ValueError(f"{name} must be > 0, got {value!r}")
    return number


def between(name: str, value: Any, low: float, high: float) -> float:
    """Return a number in ``[low, high]``."""
    number = real(name, value)
    if not low <= number <= high:
        raise ValueError(f"{name} must be between {low:g} and {high:g}, got {value!r}")
    return number


def fraction(name: str, value: Any) -> float:
    """Return a number strictly between 0 and 1, and not so small that its inverse overflows."""
    number = real(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1 (both excluded), got {value!r}")
    if number < SMALLEST_FRACTION:
        raise ValueError(f"{name} must be at least {SMALLEST_FRACTION:g}, got {value!r}")
    return number


def count(name: str, value: Any, low: int = 1, high: int | None = None) -> int:
    """Return a whole number not below ``low``, and not above ``high`` if that is given."""
    if isinstance(value, bool) or not (
        isinstance(value, int) or (_is_scalar(value) and value.dtype.kind in "iu")
    ):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < low:
        raise ValueError(f"{name} must be >= {low}, got {value!r}")
    if high is not None and value > high:
        raise ValueError(f"{name} must be <= {high}, got {value!r}")
    return int(value)


def budget(name: str, value: Any) -> float:
    """Return a number not below zero; infinity is allowed."""
    if (isinstance(value, float) or _is_scalar(value)) and value == math.inf:
        return math.inf
    return at_least(name, value, 0.0)


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return a value that is one of these words."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        words = ", ".join(repr(word) for word in known)
        raise ValueError(f"{name} must be one of {words}; got {value!r}")
    return value


#: What takes part in a game: its name with an article, an example, and what only it has.
ROLES = {
    "environment": ("an environment", "rb.environments.Simulation()", "start(rounds, seed)"),
    "attack": ("an attack", "rb.attacks.Garcelon(100.0)", "start(problem), budget and purse"),
    "policy": ("a policy", "rb.policies.LinUCB()", "start(problem) and no purse"),
}


def recipe(name: str, value: Any, role: str) -> Any:
    """Return a recipe that can take this role in a game."""
    kind, example, attributes = ROLES[role]
    if isinstance(value, type):
        raise TypeError(
            f"{name} must be a recipe, for example {example}; got the class {value!r}: add ()"
        )
    if not callable(getattr(value, "start", None)):
        raise TypeError(f"{name} must be a recipe, for example {example}; got {value!r}")
    found = _role_of(value)
    if found not in (role, None):
        raise TypeError(
            f"{name} must be {kind}, for example {example}; got {ROLES[found][0]}: {value!r} "
            f"({kind} has {attributes})"
        )
    return value


def _role_of(value: Any) -> str | None:
    """Return the role of a recipe, by the arguments of `start` and by whether it has a purse."""
    if takes(value.start, 2):  # rounds and a seed
        return None if takes(value.start, 1) else "environment"
    return "attack" if hasattr(value, "purse") else "policy"


def takes(function: Any, count: int) -> bool:
    """Whether a function can be called with this many positional arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return value
