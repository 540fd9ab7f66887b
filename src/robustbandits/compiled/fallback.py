"""Warnings about slower paths. Results are the same on every path."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numba


class PerformanceWarning(UserWarning):
    """Something is slower than it could be. The results are the same."""


_given: set[Any] = set()


def warn_once(subject: Any, message: str) -> None:
    """Warn about a slower path, once for each subject in a process."""
    if subject not in _given:
        _given.add(subject)
        warnings.warn(message, PerformanceWarning, stacklevel=3)


def has_parts(check: Callable[[], None], without: str) -> bool:
    """Whether Numba has the private parts that ``check`` looks for.

    If the check raises, warn that something slower is done instead: ``without`` says what.
    """
    try:
        check()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        warn_once(
            check,
            f"Numba {numba.__version__} differs from the versions that robustbandits was tested "
            f"with ({reason}): {without}. The results are the same",
        )
        return False
    return True


def check_parameters(function: Any, *names: str) -> None:
    """Raise TypeError unless the first parameters of a function have these names."""
    found = list(inspect.signature(function).parameters)
    if found[: len(names)] != list(names):
        raise TypeError(f"{function.__qualname__} has the parameters {found}")


def first_line(error: Exception) -> str:
    """Return what an error of Numba's says, without the places where it says it."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in")), "")
