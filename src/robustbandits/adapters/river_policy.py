"""RiverPolicy: our policies as contextual policies of river."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.adapters._layouts import blocks, library, one_hot
from robustbandits.adapters._live import LiveAgent
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats

_Base: Any = library("river.bandit", "river").base.ContextualPolicy


class RiverPolicy(_Base):  # type: ignore[misc]
    """A policy with river's ``pull`` and ``update``; every arm has a θ of its own.

    The arms and the names of the features must be the same in all calls.

    Parameters
    ----------
    policy
        Recipe of the policy.
    rounds, seed, context_bound
        Arguments of :class:`~robustbandits.Agent`.
    """

    def __init__(
        self, policy: Policy, rounds: int | None = None, seed: int = 0, context_bound: float = 1.0
    ):
        super().__init__()
        self.policy = policy
        self.rounds = rounds
        self.seed = seed
        self.context_bound = context_bound
        self._live = LiveAgent(policy, rounds=rounds, seed=seed, context_bound=context_bound)
        self._arms: list[Any] = []

    def _pull(self, arm_ids: list[Any], context: dict[Any, float] | None = None) -> Any:
        if not self._arms:
            self._arms = list(arm_ids)
        if list(arm_ids) != self._arms:
            raise ValueError(f"arm_ids must be the same in all calls: {self._arms}; got {arm_ids}")
        return self._arms[self._live.choose(self._contexts(context)).arm]

    def update(
        self, arm_id: Any, context: dict[Any, float] | None, *reward: float, **options: Any
    ) -> None:
        """Learn the reward of an arm that was pulled."""
        super().update(arm_id, context, *reward, **options)
        self._live.learn(self._contexts(context), self._arms.index(arm_id), float(reward[0]))

    def _contexts(self, context: dict[Any, float] | None) -> Floats:
        if context is None:
            return one_hot(len(self._arms))
        row = np.array([context[key] for key in sorted(context)], dtype=np.float64)
        return blocks(row, len(self._arms))
