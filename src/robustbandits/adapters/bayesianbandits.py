"""Adapter: a bayesianbandits agent as a policy of our games."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.adapters._layouts import check_arms, check_layout, library, shared_row
from robustbandits.game.object_policy import parameters_of
from robustbandits.kernels.linalg import Floats


class BayesianBandits:
    """An ``Agent`` or a ``ContextualAgent`` of bayesianbandits as a policy of our games.

    Parameters
    ----------
    agent
        The agent; its arms, in their order, are those of the game.
    layout
        ``"shared"`` or ``"flat"``; an agent without contexts ignores it.
    """

    def __init__(self, agent: Any, layout: str = "shared"):
        self.layout = check_layout(layout, ("shared", "flat"))
        self.agent = agent
        self.name = f"bayesianbandits {type(agent.policy).__name__}"
        self._contextual = "X" in parameters_of(agent.pull)

    def choose(self, contexts: Floats) -> int:
        """Return the arm that the agent pulls."""
        tokens = self._tokens()
        check_arms("bayesianbandits", len(tokens), len(contexts))
        (token,) = self.agent.pull(*self._rows(contexts))
        return tokens.index(token)

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Update the arm."""
        chosen = self.agent.select_for_update(self._tokens()[arm])
        chosen.update(*self._rows(contexts), np.array([reward]))

    def _tokens(self) -> list[Any]:
        return [arm.action_token for arm in self.agent.arms]

    def _rows(self, contexts: Floats) -> tuple[Floats, ...]:
        return (shared_row(self.layout, contexts),) if self._contextual else ()


def make(
    name: str, arms: int, seed: int, layout: str = "shared", **parameters: Any
) -> BayesianBandits:
    """Return an agent with the policy of this name, and a ``NormalRegressor`` for each arm."""
    package = library("bayesianbandits", "bayesianbandits")
    models = [
        package.Arm(arm, learner=package.NormalRegressor(alpha=1.0, beta=1.0))
        for arm in range(arms)
    ]
    policy = getattr(package, name)(**parameters)
    return BayesianBandits(package.ContextualAgent(models, policy, random_seed=seed), layout)
