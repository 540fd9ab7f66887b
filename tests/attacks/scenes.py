"""A scene of one round, to ask an attack for a proposal."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene


def scene(means: Any, number: int = 0, contexts: Any = None) -> Scene:
    """Return a round with these means."""
    means = np.array(means, dtype=float)
    contexts = np.zeros((2, len(means))) if contexts is None else np.array(contexts, dtype=float)
    return Scene(number, contexts, means, 0.0, np.inf)


def proposed(attack: Any, means: Any, arm: int, reward: float, number: int = 0, seed: int = 0):
    """Reward that an attack wants after this arm was pulled."""
    state = attack.start(Problem(arms=len(means), dim=2, noise=0.1))
    dice = np.random.default_rng(seed)
    return float(state.propose_reward(None, scene(means, number), arm, reward, dice))


def numbers_drawn(attack: Any, means: Any, arm: int) -> Any:
    """State of an attack's dice after it was asked about a pull of this arm."""
    state = attack.start(Problem(arms=len(means), dim=2, noise=0.1))
    dice = np.random.default_rng(0)
    state.propose_reward(None, scene(means), arm, 0.5, dice)
    return dice.bit_generator.state
