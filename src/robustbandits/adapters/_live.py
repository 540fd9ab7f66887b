"""An agent behind the interface of another library: made when the sizes are first known."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.agent.agent import Agent
from robustbandits.agent.decision import Decision
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats

#: How many decisions without a reward are remembered.
PENDING = 10_000


class LiveAgent:
    """An agent that matches rewards with its decisions by their contexts and arm.

    ``options`` are those of :class:`~robustbandits.Agent`: rounds, seed, context_bound, ...
    """

    def __init__(self, policy: Policy, **options: Any):
        self._policy = policy
        self._options = {"pending": PENDING, **options}
        self._agent: Agent | None = None
        self._waiting: dict[tuple[int, bytes], str | int] = {}  # ids of decisions

    def agent(self, contexts: Floats) -> Agent:
        """Return the agent; the first contexts set its sizes."""
        if self._agent is None:
            arms, dim = contexts.shape
            self._agent = Agent(self._policy, arms=arms, dim=dim, **self._options)
        return self._agent

    def choose(self, contexts: Floats) -> Decision:
        """Decide, and remember the decision."""
        decision = self.agent(contexts).choose(contexts)
        self._waiting[decision.arm, contexts.tobytes()] = decision.id
        if len(self._waiting) > self._options["pending"]:
            del self._waiting[next(iter(self._waiting))]
        return decision

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Learn the reward of a decision for these contexts, or of an arm that others chose."""
        decision_id = self._waiting.pop((arm, np.ascontiguousarray(contexts).tobytes()), None)
        agent = self.agent(contexts)
        if decision_id is None:
            agent.observe(contexts, arm, reward)
        else:
            agent.learn(decision_id, reward)
