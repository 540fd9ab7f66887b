"""Checks of states and memos that come from a file, which may hold anything.

Kernels use some of these numbers as indices or divide by them, and do not check them.
"""

from __future__ import annotations

import numpy as np

from robustbandits.kernels.linalg import Floats


def check_index(name: str, values: Floats | float, start: int, stop: int) -> None:
    """Raise ValueError unless all values are whole numbers from ``start`` to ``stop`` - 1."""
    numbers = np.atleast_1d(values)
    good = (numbers >= start) & (numbers < stop) & (np.floor(numbers) == numbers)
    if not good.all():
        raise ValueError(
            f"{name} must be a whole number from {start} to {stop - 1}, got {numbers[~good][0]:g}"
        )


def check_counts(name: str, values: Floats | float) -> None:
    """Raise ValueError unless all values are whole numbers, small enough to be exact."""
    check_index(name, values, 0, 2**53)


def check_probabilities(name: str, values: Floats | float, least: float = 0.0) -> None:
    """Raise ValueError unless all values are probabilities above ``least``."""
    probabilities = np.atleast_1d(values)
    good = (probabilities > least) & (probabilities <= 1.0 + 1e-9)
    if not good.all():
        bad = probabilities[~good][0]
        raise ValueError(f"{name} must be above {least:g} and at most 1, got {bad:g}")
