"""Agents to test, what they are shown, and every bit of what they remember."""

from __future__ import annotations

from typing import Any

import numpy as np

import robustbandits as rb
from catalogue import CORE, policy
from robustbandits.policies import RobustBandit

ARMS, DIM, ROUNDS = 4, 3, 1000


#: The policies of the core, and one whose epochs are short enough to end during a test.
RECIPES = {name: policy(name) for name in CORE}
RECIPES["RobustBandit(epoch=7)"] = RobustBandit(epoch=7)

#: Policies that play an arm of the largest score, those that guess the budget included.
OPTIMISTS = ["LinUCB", "Greedy", "RobustLinUCB", "RobustBandit", "RobustBandit(epoch=7)"]
OPTIMISTS += ["BOBNoRestart"]


def hire(policy: Any = "LinUCB", **changes: Any) -> rb.Agent:
    """Return a fresh agent; its policy by name or as a recipe."""
    chosen = RECIPES[policy] if isinstance(policy, str) else policy
    settings: dict[str, Any] = {"arms": ARMS, "dim": DIM, "rounds": ROUNDS, "seed": 0}
    return rb.Agent(chosen, **(settings | changes))


def contexts_of(dice: np.random.Generator, arms: int = ARMS, dim: int = DIM) -> Any:
    """Return contexts in the unit ball, one row for each arm."""
    rows = dice.standard_normal((arms, dim))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * dice.uniform(0.2, 1.0, (arms, 1))


def train(agent: rb.Agent, rounds: int, seed: int = 1) -> rb.Agent:
    """Let an agent play some rounds, each rewarded at once."""
    dice = np.random.default_rng(seed)
    for _ in range(rounds):
        decision = agent.choose(contexts_of(dice, agent.problem.arms, agent.problem.dim))
        agent.learn(decision, float(dice.uniform(0, 1)))
    return agent


def veteran(policy: Any = "LinUCB", rounds: int = 20, waiting: int = 3, **changes: Any) -> rb.Agent:
    """Return an agent that has learned, and waits for a few rewards."""
    agent = train(hire(policy, **changes), rounds)
    dice = np.random.default_rng(2)
    for _ in range(waiting):
        agent.choose(contexts_of(dice, agent.problem.arms, agent.problem.dim))
    return agent


def theta(agent: rb.Agent) -> Any:
    """Return the estimate of a linear policy: the means of the unit vectors."""
    return agent.scores(np.eye(agent.problem.dim)).means


def _bits_of(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return tuple(map(_bits_of, value)) if isinstance(value, tuple) else value


def bits(agent: rb.Agent) -> Any:
    """Return everything that an agent remembers, its randomness included."""
    pending = [(number, _bits_of(entry)) for number, entry in agent._pending.items()]
    counters = (
        agent._pending.next,
        agent._pending.forgotten,
        agent._pending.capacity,
        agent.reward_range,
    )
    stream = agent._rng.bit_generator.state
    return _bits_of(agent._state), pending, counters, stream, agent.policy, agent.problem
