"""The paper's simulation."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.environments.description import Description, describe_arms
from robustbandits.game import require
from robustbandits.game.facts import EnvironmentFacts
from robustbandits.game.match import NATURE, stream
from robustbandits.game.parameters import CheckedRecipe, Count, Flag, NonNegative
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Rounds, child_seeds, repeat_round
from robustbandits.kernels.linalg import Floats

Rate = Annotated[float, functools.partial(require.between, low=1e-9, high=1.0)]


@dataclass(frozen=True, kw_only=True)
class Simulation(CheckedRecipe):
    """Contexts and theta drawn uniformly; mean rewards ``(x·theta + 1) / 2`` in [0, 1].

    Every coordinate of every context and of theta is uniform on ``[-1/√dim, 1/√dim]``.

    With ``intercept=True`` the policy sees ``[x, 1]/√2``, of length ``dim + 1``, and theta becomes
    ``[theta, 1]/√2``: the mean reward is then exactly linear in what the policy sees, and no norm
    exceeds 1. With ``intercept=False`` the policy sees only x, as in the paper, and no coordinate
    can explain the constant 1/2: the model is *misspecified* by 0.5 in every round, thousands of
    times what the attacker changes. Without any attack, LinUCB's regret then grows linearly and is
    more than a hundred times larger than with the intercept (measured in ``docs/simulation.md``).

    Parameters
    ----------
    arms, dim
        Number of arms; length of x (the policy's ``dim`` is one more with an intercept).
    noise
        Standard deviation of the Gaussian noise of rewards. The paper prints N(·, 0.01): if that
        is a variance, the standard deviation is 0.1; the authors' code used 0.01.
    contexts
        ``"fresh"``: drawn in each round. ``"fixed"``: drawn once, as in a catalogue.
        ``"one-hot"``: each arm has a coordinate of its own, so that nothing learned about one arm
        applies to another, as in a multi-armed bandit; ``dim`` must equal ``arms``, and the means
        are linear without an intercept.
    intercept
        Whether policies see a constant feature, as described above.
    rewards
        ``"gaussian"``: mean rewards plus Gaussian noise. ``"clicks"``: 1 with a probability of
        ``rate`` times the mean reward above, otherwise 0. Attacks can then only add or remove
        clicks, each at a price of 1. ``noise`` has no effect on clicks and must not be given.
    rate
        The largest possible click probability. On average an arm is clicked with half of it.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022), section 5.
    """

    facts: ClassVar[EnvironmentFacts] = EnvironmentFacts(
        "uniform, fresh or fixed; or one-hot", "none"
    )

    arms: Count = 20
    dim: Count = 10
    noise: NonNegative = 0.1
    contexts: Literal["fresh", "fixed", "one-hot"] = "fresh"
    intercept: Flag = True
    rewards: Literal["gaussian", "clicks"] = "gaussian"
    rate: Rate = 0.1

    added_parameters: ClassVar[tuple[str, ...]] = ("rewards", "rate")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.contexts == "one-hot" and self.dim != self.arms:
            raise ValueError(
                f"dim must equal arms, {self.arms}, with contexts='one-hot'; got {self.dim}"
            )
        unused = "noise" if self.rewards == "clicks" else "rate"
        if unused in self.changes():
            raise ValueError(
                f"{unused} must not be given with rewards={self.rewards!r}, because it has no "
                f"effect; got {getattr(self, unused)!r}"
            )

    @property
    def scale(self) -> float:
        """The largest possible mean reward: ``rate`` for clicks, otherwise 1."""
        return self.rate if self.rewards == "clicks" else 1.0

    def describe(self, seed: int = 0) -> Description:
        """Return the arms of the first round of a seed: mean rewards, gaps, and the noise."""
        nature = self.start(1, stream(seed, NATURE))
        names = [str(arm) for arm in range(self.arms)]
        means = nature.draw(1).means[0]
        noise = nature.problem.noise or 0.0
        return describe_arms(f"{self.label}, seed {seed}", means, noise, ids=names, titles=names)

    def start(self, rounds: int, seed: np.random.SeedSequence) -> SimulationNature:
        """Return the nature of one match."""
        return SimulationNature(self, rounds, seed)


class SimulationNature:
    """The nature of a simulation: draws theta, contexts and noise."""

    def __init__(self, recipe: Simulation, rounds: int, seed: np.random.SeedSequence):
        self.recipe = recipe
        means_are_theta = recipe.contexts == "one-hot" and not recipe.intercept
        bound = _length_of_means(recipe.arms) if means_are_theta else 1.0
        clicks = recipe.rewards == "clicks"
        self.problem = Problem(
            arms=recipe.arms,
            dim=recipe.dim + recipe.intercept,
            rounds=rounds,
            noise=_click_noise(recipe.rate) if clicks else recipe.noise,
            theta_bound=bound * recipe.scale,
            intercept=recipe.intercept,
            fixed_arms=recipe.contexts != "fresh",
            clicks=clicks,
        )
        # Separate streams, so that no draw depends on how rounds are cut into blocks. The first one
        # is for what is drawn once in a match: theta, and fixed arms.
        match_rng, contexts_rng, noise_rng = (
            np.random.default_rng(child) for child in child_seeds(seed, 3)
        )
        self._contexts_rng = contexts_rng
        self._noise_rng = noise_rng
        self._width = 2.0 / math.sqrt(recipe.dim)  # of the interval of each coordinate
        self.theta: Floats = (match_rng.random(recipe.dim) - 0.5) * self._width
        self._fixed: Rounds | None = None
        if recipe.contexts != "fresh":
            self._fixed = self._catalogue(match_rng)

    def draw(self, count: int) -> Rounds:
        """Return the next rounds."""
        noise = self._draw_noise(count)
        if self._fixed is not None:
            return repeat_round(self._fixed.contexts[0], self._fixed.means[0], noise)
        features = self._contexts_rng.random((count, self.recipe.dim, self.recipe.arms))
        return self._rounds(features, 0.5, self._width, noise)

    def _draw_noise(self, count: int) -> Floats:
        if self.problem.clicks:
            return self._noise_rng.random(count)
        return self.recipe.noise * self._noise_rng.standard_normal(count)

    def _catalogue(self, rng: np.random.Generator) -> Rounds:
        """Draw the arms of all rounds; return one round."""
        arms, dim = self.recipe.arms, self.recipe.dim
        if self.recipe.contexts == "one-hot":
            return self._rounds(np.eye(arms)[np.newaxis], 0.0, 1.0, np.zeros(1))
        return self._rounds(rng.random((1, dim, arms)), 0.5, self._width, np.zeros(1))

    def _rounds(self, numbers: Floats, shift: float, width: float, noise: Floats) -> Rounds:
        """Return rounds whose features are ``(numbers - shift) * width``."""
        count, _, arms = numbers.shape
        contexts = numbers
        if self.recipe.intercept:
            contexts = np.empty((count, self.problem.dim, arms))
        rounds = Rounds(contexts, np.empty((count, arms)), np.empty(count), noise)
        _fill(rounds, numbers, self.theta, shift, width, 0.5 * self.recipe.scale)
        return rounds


@program
def _fill(
    rounds: Rounds, numbers: Floats, theta: Floats, shift: float, width: float, half: float
) -> None:
    """Write contexts, means and best means of rounds with features ``(numbers - shift) * width``.

    Means are ``(x·theta + 1) * half``. If contexts have a row that numbers lack, it is the
    intercept.
    """
    count, dim, arms = numbers.shape
    factor = 1.0 if rounds.contexts.shape[1] == dim else math.sqrt(0.5)
    for t in range(count):
        means = rounds.means[t]
        contexts = rounds.contexts[t]
        for a in range(arms):
            means[a] = 1.0
        for i in range(dim):
            for a in range(arms):
                feature = (numbers[t, i, a] - shift) * width
                means[a] += theta[i] * feature
                contexts[i, a] = feature * factor
        for i in range(dim, contexts.shape[0]):
            for a in range(arms):
                contexts[i, a] = factor
        best = -math.inf
        for a in range(arms):
            means[a] *= half
            best = max(best, means[a])
        rounds.best[t] = best


def _click_noise(rate: float) -> float:
    """Return the largest standard deviation of a click whose probability is at most ``rate``."""
    likely = min(rate, 0.5)
    return math.sqrt(likely * (1.0 - likely))


def _length_of_means(arms: int) -> float:
    """Return a bound on the length of the vector of means, which is theta if arms are one-hot."""
    return 0.5 * (math.sqrt(arms) + 1.0)
