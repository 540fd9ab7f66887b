"""Infinitely many arms: every vector of a ball."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from robustbandits.game.facts import EnvironmentFacts
from robustbandits.game.parameters import CheckedRecipe, Count, NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Rounds, child_seeds, repeat_round
from robustbandits.kernels.linalg import Floats

#: Mean reward of the arm at the origin.
OFFSET = 0.5


@dataclass(frozen=True, kw_only=True)
class UnitBall(CheckedRecipe):
    """All vectors x with ``‖x‖ <= radius`` are arms; mean rewards ``(x·theta + 1) / 2`` in [0, 1].

    Every coordinate of theta is uniform on ``[-1/√dim, 1/√dim]``, as in the simulation, so theta is
    no longer than 1. The constant 1/2 is known: it is subtracted from every reward before a policy
    learns it, so that the rest is linear in x without an intercept. An attack changes the whole
    reward, in [0, 1]. The best arm points along theta; regret is measured against it.

    Only some policies can play it: ``robustbandits list policies`` says which.

    Parameters
    ----------
    dim
        Dimension of the ball.
    noise
        Standard deviation of the Gaussian noise of rewards.
    radius
        Length of the longest arms, at most 1.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022) allow infinitely many arms; the ball is the usual example.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts("a ball of arms, always the same", "none")

    dim: Count = 10
    noise: NonNegative = 0.1
    radius: Positive = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius > 1.0:
            raise ValueError(f"radius must be at most 1, got {self.radius!r}")

    def start(self, rounds: int, seed: np.random.SeedSequence) -> UnitBallNature:
        """Return the nature of one match."""
        return UnitBallNature(self, rounds, seed)


class UnitBallNature:
    """The nature of a ball: draws theta and noise."""

    def __init__(self, recipe: UnitBall, rounds: int, seed: np.random.SeedSequence):
        self.recipe = recipe
        self.problem = Problem(
            arms=1,
            dim=recipe.dim,
            rounds=rounds,
            noise=recipe.noise,
            context_bound=recipe.radius,
            theta_bound=0.5,
            fixed_arms=False,
            infinite=True,
            offset=OFFSET,
        )
        once, noise = (np.random.default_rng(child) for child in child_seeds(seed, 2))
        self._noise_rng = noise
        self.theta: Floats = (once.random(recipe.dim) - 0.5) / math.sqrt(recipe.dim)

    def draw(self, count: int) -> Rounds:
        """Return the next rounds."""
        reach = self.recipe.radius * math.sqrt(sum(value * value for value in self.theta.tolist()))
        means = np.array([OFFSET, OFFSET - reach, OFFSET + reach])
        noise = self.recipe.noise * self._noise_rng.standard_normal(count)
        rounds = repeat_round(np.zeros((self.recipe.dim, 1)), means, noise)
        return rounds._replace(model=np.append(self.theta, OFFSET))
