"""Choices made with a random stream."""

from __future__ import annotations

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats


@kernel
def largest(values: Floats, rng: np.random.Generator, first: bool) -> int:
    """Index of the largest value; among equals the first one, or each with equal chance.

    The stream is touched only when there are equals.
    """
    best = values[0]
    index = 0
    equals = 1
    for i in range(1, values.shape[0]):
        if values[i] > best:
            best = values[i]
            index = i
            equals = 1
        elif values[i] == best:
            equals += 1
    if equals == 1 or first:
        return index
    skip = int(rng.random() * equals)
    for i in range(index, values.shape[0]):
        if values[i] == best:
            if skip == 0:
                return i
            skip -= 1
    return index


@kernel
def share_of_largest(values: Floats, first: bool, mass: float, out: Floats) -> None:
    """Add ``mass`` to ``out`` where :func:`largest` would point, split among equals."""
    best = values[0]
    equals = 0
    for i in range(values.shape[0]):
        if values[i] > best:
            best = values[i]
            equals = 1
        elif values[i] == best:
            equals += 1
    for i in range(values.shape[0]):
        if values[i] == best:
            if first:
                out[i] += mass
                return
            out[i] += mass / equals


@kernel
def draw(probabilities: Floats, rng: np.random.Generator) -> int:
    """Index drawn with the given probabilities."""
    level = rng.random()
    total = 0.0
    last = 0  # rounding may leave the sum below the level: then the last that is possible at all
    for i in range(probabilities.shape[0]):
        total += probabilities[i]
        if level < total:
            return i
        if probabilities[i] > 0.0:
            last = i
    return last
