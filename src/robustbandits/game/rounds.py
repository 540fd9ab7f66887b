"""Rounds: a block of rounds, drawn by an environment before they are played."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats

#: Columns of means if there are infinitely many arms: of the chosen arm (filled in when it is known),
#: the smallest and the largest mean of all arms.
CHOSEN, LOWEST, HIGHEST = range(3)


class Rounds(NamedTuple):
    """A block of rounds. Every policy and every attack of a match plays the same rounds."""

    contexts: Floats  # (rounds, dim, arms)
    means: Floats  # (rounds, arms) mean rewards
    best: Floats  # (rounds,) largest mean
    noise: Floats  # (rounds,) added to the mean of the chosen arm
    # Only if there are infinitely many arms: the mean reward of an arm x is offset + theta·x.
    # Contexts are then zeros, (rounds, dim, 1), and the columns of means are CHOSEN, LOWEST, HIGHEST.
    theta: Floats = np.empty(0)
    offset: float = 0.0


class Nature(Protocol):
    """What an environment starts: it draws blocks of rounds, one after another."""

    problem: Problem

    def draw(self, count: int) -> Rounds:
        """Return the next ``count`` rounds."""
        ...


class Environment(Protocol):
    """An environment's recipe."""

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, rounds: int, seed: np.random.SeedSequence) -> Nature:
        """Return a nature that draws ``rounds`` rounds in all.

        All of its randomness must come from ``seed``.
        """
        ...


def children(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Return independent seeds, the same at each call (`spawn` returns others each time)."""
    return [
        np.random.SeedSequence(entropy=seed.entropy, spawn_key=(*seed.spawn_key, child))
        for child in range(count)
    ]


def deal(contexts: Floats, means: Floats, noise: Floats) -> Rounds:
    """Make a block of rounds; the arrays must be C-contiguous float64."""
    return Rounds(contexts=contexts, means=means, best=means.max(axis=1), noise=noise)
