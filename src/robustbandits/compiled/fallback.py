"""Warnings when something slower is used, because Numba's internals or a cache are missing."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numba


class PerformanceWarning(UserWarning):
    """Something is slower than it could be. The results are the same."""


_warned_subjects: set[Any] = set()


def warn_once(subject: Any, message: str) -> None:
    """Warn about a slower path, once for each subject in a process."""
    if subject not in _warned_subjects:
        _warned_subjects.add(subject)
        warnings.warn(message, PerformanceWarning, stacklevel=3)


def has_internals(check: Callable[[], None], otherwise: str) -> bool:
    """Whether Numba has the internals that ``check`` looks for.

    If the check raises, warn; ``otherwise`` is the part of the warning that says what is slower.
    """
    try:
        check()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        warn_once(
            check,
            f"Numba {numba.__version__} differs from the versions that robustbandits was tested "
            f"with ({reason}): {otherwise}. The results are the same",
        )
        return False
    return True


def check_parameters(function: Any, *names: str) -> None:
    """Raise TypeError unless the first parameters of a function have these names."""
    found = list(inspect.signature(function).parameters)
    if found[: len(names)] != list(names):
        raise TypeError(f"{function.__qualname__} has the parameters {found}")


def first_line(error: Exception) -> str:
    """Return the first line of a Numba error that says what is wrong, not where."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in")), "")
