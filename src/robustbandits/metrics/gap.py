"""The gap: regret per round of uniform random play, the unit of the normalised measures."""

from __future__ import annotations

from robustbandits.game.match import NATURE, stream
from robustbandits.game.rounds import Environment


def random_gap(environment: Environment, rounds: int, seed: int = 0, draws: int = 1000) -> float:
    """Return ``mean_t (max_a mu_{t,a} - mean_a mu_{t,a})`` over the first rounds of a match.

    Parameters
    ----------
    environment
        Whose gap.
    rounds, seed
        Of the match.
    draws
        Over how many rounds to average, at most.
    """
    nature = environment.start(rounds, stream(seed, NATURE))
    block = nature.draw(min(rounds, draws))
    return float((block.best - block.means.mean(axis=1)).mean())
