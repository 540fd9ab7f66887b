"""Rounds: a block of rounds, drawn by an environment before they are played."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided

from robustbandits.compiled.jit import kernel
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats

#: Columns of means if there are infinitely many arms: that of the chosen arm (the loop fills it
#: in), the smallest and the largest of all arms.
CHOSEN, LOWEST, HIGHEST = range(3)


class Rounds(NamedTuple):
    """A block of rounds. Every policy and every attack of a match plays the same rounds.

    If all rounds have the same contexts and means, as in a catalogue, :func:`repeat_round` stores
    them once: the rows of these arrays then share their memory.
    """

    contexts: Floats  # (rounds, dim, arms)
    means: Floats  # (rounds, arms) mean rewards
    best: Floats  # (rounds,) largest mean
    noise: Floats  # (rounds,) turns the mean of the played arm into a reward: `draw_reward`
    # Only if there are infinitely many arms: (dim + 1,) theta and the offset. The mean reward of an
    # arm x is x·theta + offset, contexts are (rounds, dim, 1) zeros, and the columns of means are
    # CHOSEN, LOWEST and HIGHEST.
    model: Floats = np.empty(0)


class Nature(Protocol):
    """What an environment starts: it draws blocks of rounds, one after another.

    The rounds must be the same however they are divided into blocks.
    """

    problem: Problem

    def draw(self, count: int) -> Rounds:
        """Return the next ``count`` rounds."""
        ...


class Environment(Protocol):
    """What an environment's recipe must have; :class:`Recipe` provides the name."""

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, rounds: int, seed: np.random.SeedSequence) -> Nature:
        """Return a nature that draws ``rounds`` rounds in all.

        All of its randomness must come from ``seed``.
        """
        ...


@kernel
def draw_reward(mean: float, noise: float, clicks: bool) -> float:
    """Return the reward of an arm: its mean plus noise, or whether it is clicked.

    For clicks the noise is uniform on [0, 1), so that an arm is clicked with the probability
    ``mean``, and a better arm is clicked whenever a worse one would be.
    """
    if clicks:
        return 1.0 if noise < mean else 0.0
    return mean + noise


def child_seeds(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Return independent seeds, the same ones at each call (``seed.spawn`` returns new ones).

    Give each kind of draw a stream of its own, made of one of these seeds: contexts, noise and so
    on. Otherwise the draws depend on how rounds are divided into blocks.
    """
    return [
        np.random.SeedSequence(entropy=seed.entropy, spawn_key=(*seed.spawn_key, child))
        for child in range(count)
    ]


def repeat_round(contexts: Floats, means: Floats, noise: Floats) -> Rounds:
    """Return rounds that differ only in their noise, with contexts (dim, arms) and means (arms,).

    The arrays must be float64. They are copied once, not for each round.
    """

    def repeat(row: Floats) -> Floats:
        row = row.copy()
        return as_strided(row, (len(noise), *row.shape), (0, *row.strides))

    return Rounds(
        repeat(contexts), repeat(means), repeat(means.max(keepdims=True).reshape(())), noise
    )


def drop_repeated_rows(rounds: Rounds) -> Rounds:
    """Return rounds for the loop: only the first row of arrays whose rows share their memory."""
    contexts, means, best = (array[:1] if array.strides[0] == 0 else array for array in rounds[:3])
    return Rounds(contexts, means, best, rounds.noise, rounds.model)


def make_rounds(contexts: Floats, means: Floats, noise: Floats) -> Rounds:
    """Return a block of rounds, made of contexts, mean rewards and noise.

    The shapes must be those of :class:`Rounds`; ValueError says which one is not. Arrays that are
    not writable, C-contiguous and float64 are copied.
    """
    contexts, means, noise = (
        np.require(array, np.float64, ["C", "W"]) for array in (contexts, means, noise)
    )
    if contexts.ndim != 3:
        raise ValueError(f"contexts: expected shape (rounds, dim, arms), got {contexts.shape}")
    rounds, _, arms = contexts.shape
    for name, array, shape in (("means", means, (rounds, arms)), ("noise", noise, (rounds,))):
        if array.shape != shape:
            raise ValueError(
                f"{name}: expected shape {shape}, because contexts (rounds, dim, arms) have shape "
                f"{contexts.shape}; got {array.shape}"
            )
    return Rounds(contexts=contexts, means=means, best=means.max(axis=1), noise=noise)
