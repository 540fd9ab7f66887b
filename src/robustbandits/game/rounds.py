"""Rounds: a block of nature's rounds, drawn before anybody plays."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats


class Rounds(NamedTuple):
    """What nature deals. Every policy and every attack of a match meets the same rounds."""

    contexts: Floats  # (rounds, dim, arms)
    means: Floats  # (rounds, arms) mean rewards
    best: Floats  # (rounds,) largest mean
    noise: Floats  # (rounds,) added to the mean of whichever arm is chosen


class Nature(Protocol):
    """An environment at work: it draws blocks of rounds, one after another."""

    problem: Problem

    def draw(self, count: int) -> Rounds:
        """Return the next ``count`` rounds."""
        ...


class Environment(Protocol):
    """A recipe that starts a nature."""

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, rounds: int, seed: np.random.SeedSequence) -> Nature:
        """Return a nature that will be asked for ``rounds`` rounds."""
        ...


def children(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Return independent seeds, the same ones each time: `spawn` would count up inside ``seed``."""
    return [
        np.random.SeedSequence(entropy=seed.entropy, spawn_key=(*seed.spawn_key, child))
        for child in range(count)
    ]


def deal(contexts: Floats, means: Floats, noise: Floats) -> Rounds:
    """Make a block of rounds; the arrays must be C-contiguous float64."""
    return Rounds(contexts=contexts, means=means, best=means.max(axis=1), noise=noise)
