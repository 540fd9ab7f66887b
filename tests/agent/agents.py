"""Agents and contexts for tests, and the complete contents of an agent for comparisons."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import robustbandits as rb
from agent.files import pack, unpack
from catalogue import CORE, policy
from robustbandits.policies import RobustBandit

ARMS, DIM, ROUNDS = 4, 3, 1000

#: The core policies, and one whose epochs are short enough to end during a test.
RECIPES = {name: policy(name) for name in CORE}
RECIPES["RobustBandit(epoch=7)"] = RobustBandit(epoch=7)

#: Policies that play an arm with the largest score.
OPTIMISTS = ["LinUCB", "Greedy", "RobustLinUCB", "RobustBandit", "RobustBandit(epoch=7)"]
OPTIMISTS += ["BOBNoRestart"]


def make_agent(policy: Any = "LinUCB", **changes: Any) -> rb.Agent:
    """Return a new agent; its policy is given by name or as a recipe."""
    recipe = RECIPES[policy] if isinstance(policy, str) else policy
    settings: dict[str, Any] = {"arms": ARMS, "dim": DIM, "rounds": ROUNDS, "seed": 0}
    return rb.Agent(recipe, **(settings | changes))


def draw_contexts(rng: np.random.Generator, arms: int = ARMS, dim: int = DIM) -> Any:
    """Return contexts in the unit ball, one row for each arm."""
    rows = rng.standard_normal((arms, dim))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * rng.uniform(0.2, 1.0, (arms, 1))


def train(agent: rb.Agent, rounds: int, seed: int = 1) -> rb.Agent:
    """Let an agent play some rounds, each with an immediate reward."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        decision = agent.choose(draw_contexts(rng, agent.problem.arms, agent.problem.dim))
        agent.learn(decision, float(rng.uniform(0, 1)))
    return agent


def trained_agent(
    policy: Any = "LinUCB", rounds: int = 20, pending: int = 3, **changes: Any
) -> rb.Agent:
    """Return an agent that has learned, and has pending decisions."""
    agent = train(make_agent(policy, **changes), rounds)
    rng = np.random.default_rng(2)
    for _ in range(pending):
        agent.choose(draw_contexts(rng, agent.problem.arms, agent.problem.dim))
    return agent


def theta(agent: rb.Agent) -> Any:
    """Return the estimate of a linear policy: the means of the unit vectors."""
    return agent.scores(np.eye(agent.problem.dim)).means


def file_of(agent: rb.Agent) -> bytes:
    """Return the bytes that an agent saves."""
    with tempfile.TemporaryDirectory() as folder:
        agent.save(Path(folder) / "agent.rb")
        return (Path(folder) / "agent.rb").read_bytes()


def contents(agent: rb.Agent) -> bytes:
    """Return everything that an agent remembers, its random stream included, except its ids."""
    header, arrays = unpack(file_of(agent))
    del header["next"], header["last_forgotten"], arrays["sessions"]
    arrays["pending"][:, 0] = 0.0
    return pack(header, arrays)


def reload(agent: rb.Agent, path: Any, policy: Any = None) -> rb.Agent:
    """Save an agent, and load it again."""
    agent.save(path)
    return rb.Agent.load(path, policy=policy)
