"""Asks an attack for a proposal in a single round."""

from typing import Any

import numpy as np

from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene


def scene(means: Any, contexts: Any = None) -> Scene:
    """Return a round with these means."""
    means = np.array(means, dtype=float)
    contexts = np.zeros((2, len(means))) if contexts is None else np.array(contexts, dtype=float)
    return Scene(0, contexts, means, 0.0, np.inf)


def proposed(attack: Any, means: Any, arm: int, reward: float, seed: int = 0) -> float:
    """Return the reward that an attack proposes after this arm was chosen."""
    return _propose(attack, means, arm, reward, np.random.default_rng(seed))


def stream_after(attack: Any, means: Any, arm: int) -> Any:
    """Return the state of an attack's random stream after it proposed a reward."""
    rng = np.random.default_rng(0)
    _propose(attack, means, arm, 0.5, rng)
    return rng.bit_generator.state


def _propose(attack: Any, means: Any, arm: int, reward: float, rng: Any) -> float:
    state = attack.start(Problem(arms=len(means), dim=2, noise=0.1))
    return float(state.propose_reward(None, scene(means), arm, reward, rng))
