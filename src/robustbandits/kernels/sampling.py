"""Choices among a few numbers, with a random stream where needed."""

from __future__ import annotations

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats


@kernel
def largest(values: Floats, rng: np.random.Generator, first: bool) -> int:
    """Return the index of the largest value; among equal ones, a random one, or the ``first``.

    A random number is drawn only if there are equal ones and ``first`` is False.
    """
    best = values[0]
    index = 0
    ties = 1
    for i in range(1, values.shape[0]):
        if values[i] > best:
            best = values[i]
            index = i
            ties = 1
        elif values[i] == best:
            ties += 1
    if ties == 1 or first:
        return index
    skip = int(rng.random() * ties)
    for i in range(index, values.shape[0]):
        if values[i] == best:
            if skip == 0:
                return i
            skip -= 1
    return index


@kernel
def share_of_largest(values: Floats, first: bool, mass: float, out: Floats) -> None:
    """Add ``mass`` to ``out`` at the index of the largest value, split among equal ones.

    If ``first`` is set, the first of them gets all of it, as in :func:`largest`.
    """
    best = values[0]
    ties = 0
    for i in range(values.shape[0]):
        if values[i] > best:
            best = values[i]
            ties = 1
        elif values[i] == best:
            ties += 1
    for i in range(values.shape[0]):
        if values[i] == best:
            if first:
                out[i] += mass
                return
            out[i] += mass / ties


@kernel
def draw(probabilities: Floats, rng: np.random.Generator) -> int:
    """Return an index drawn with the given probabilities."""
    uniform = rng.random()
    total = 0.0
    last = 0  # the last possible index, in case rounding leaves the sum below the number
    for i in range(probabilities.shape[0]):
        total += probabilities[i]
        if uniform < total:
            return i
        if probabilities[i] > 0.0:
            last = i
    return last
