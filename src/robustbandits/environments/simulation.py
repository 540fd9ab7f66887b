"""The paper's simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from robustbandits.game import require
from robustbandits.game.facts import EnvironmentFacts
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import Rounds, children, deal
from robustbandits.kernels.linalg import Floats


@dataclass(frozen=True, kw_only=True)
class Simulation(Recipe):
    """Contexts and theta drawn uniformly; mean rewards ``(x·theta + 1) / 2`` in [0, 1].

    Every coordinate of every context and of theta is uniform on ``[-1/√dim, 1/√dim]``.

    With ``intercept=True`` the policy sees ``[x, 1]/√2``, of length ``dim + 1``, and theta becomes
    ``[theta, 1]/√2``: the mean reward is then exactly linear in what the policy sees, and no norm
    exceeds 1. With ``intercept=False`` the policy sees x alone, as in the paper, and the constant
    1/2 has no coordinate to live in: the model is *misspecified*, by 0.5 in every round, thousands
    of times what the attacker changes. The effect is large (``docs/simulation.md`` has the measured
    numbers): without any attack, LinUCB's regret grows linearly and is more than a hundred times
    larger than with the intercept.

    Parameters
    ----------
    arms, dim
        Number of arms; length of x (the policy's ``dim`` is one more with an intercept).
    noise
        Standard deviation of the Gaussian noise of rewards. The paper prints N(·, 0.01): as a
        variance that is 0.1 here; the authors' code used 0.01.
    contexts
        ``"fresh"``: drawn anew each round. ``"fixed"``: drawn once, as in a catalogue.
        ``"one-hot"``: arm a has coordinate a to itself, so that arms teach nothing about each
        other, as in a plain multi-armed bandit; ``dim`` must be ``arms``, and a policy needs no
        intercept to be right about the means.
    intercept
        See above.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022), section 5.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts(
        "uniform, fresh or fixed; or one-hot", "none"
    )

    arms: int = 20
    dim: int = 10
    noise: float = 0.1
    contexts: str = "fresh"
    intercept: bool = True

    def __post_init__(self) -> None:
        self._set(
            arms=require.count("arms", self.arms),
            dim=require.count("dim", self.dim),
            noise=require.at_least("noise", self.noise, 0.0),
            contexts=require.one_of("contexts", self.contexts, ("fresh", "fixed", "one-hot")),
            intercept=require.flag("intercept", self.intercept),
        )
        if self.contexts == "one-hot" and self.dim != self.arms:
            raise ValueError(f"dim must be {self.arms}, as arms is, for one-hot; got {self.dim}")

    def start(self, rounds: int, seed: np.random.SeedSequence) -> SimulationNature:
        """Return the nature of one match."""
        return SimulationNature(self, rounds, seed)


class SimulationNature:
    """A simulation at work."""

    def __init__(self, recipe: Simulation, rounds: int, seed: np.random.SeedSequence):
        self.recipe = recipe
        plain = recipe.contexts == "one-hot" and not recipe.intercept
        self.problem = Problem(
            arms=recipe.arms,
            dim=recipe.dim + recipe.intercept,
            rounds=rounds,
            noise=recipe.noise,
            theta_bound=_length_of_means(recipe.arms) if plain else 1.0,
            intercept=recipe.intercept,
            fixed_arms=recipe.contexts != "fresh",
        )
        # Separate streams, so that no draw depends on how rounds are cut into blocks.
        once, fresh, noise = (np.random.default_rng(child) for child in children(seed, 3))
        self._contexts_rng = fresh
        self._noise_rng = noise
        self.theta = self._uniform(once, recipe.dim)
        self._fixed = None
        if recipe.contexts == "fixed":
            self._fixed = self._uniform(once, (1, recipe.dim, recipe.arms))
        elif recipe.contexts == "one-hot":
            self._fixed = np.eye(recipe.arms)[np.newaxis]

    def _uniform(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Floats:
        values = rng.random(shape)
        values -= 0.5
        values *= 2.0 / math.sqrt(self.recipe.dim)
        return values

    def draw(self, count: int) -> Rounds:
        """Return the next rounds."""
        if self._fixed is None:
            features = self._uniform(self._contexts_rng, (count, self.recipe.dim, self.recipe.arms))
        else:
            features = np.repeat(self._fixed, count, axis=0)
        # Summed coordinate by coordinate: the same bits whatever BLAS is installed.
        means = np.full((count, self.recipe.arms), 1.0)
        for i, weight in enumerate(self.theta):
            means += weight * features[:, i, :]
        means *= 0.5
        noise = self.recipe.noise * self._noise_rng.standard_normal(count)
        return deal(self._shown(features), means, noise)

    def _shown(self, features: Floats) -> Floats:
        if not self.recipe.intercept:
            return features
        count, dim, arms = features.shape
        contexts = np.empty((count, dim + 1, arms))
        np.multiply(features, math.sqrt(0.5), out=contexts[:, :dim])
        contexts[:, dim] = math.sqrt(0.5)
        return contexts


def _length_of_means(arms: int) -> float:
    """Longest vector of mean rewards: with one-hot contexts it is the policy's theta."""
    return 0.5 * (math.sqrt(arms) + 1.0)
