"""CobaLearner: our policies as learners of coba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from robustbandits.adapters._layouts import blocks
from robustbandits.adapters._live import LiveAgent
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats


class CobaLearner:
    """A policy with coba's ``predict`` and ``learn``.

    Without a context, actions are vectors: the contexts of the arms. With a context, every action
    has a θ of its own, and the actions must be the same, in the same order, in all interactions.

    Parameters
    ----------
    policy
        Recipe of the policy.
    options
        Arguments of :class:`~robustbandits.Agent`: ``rounds``, ``seed``, ``context_bound``,
        ``reward_range``.
    """

    def __init__(self, policy: Policy, **options: Any):
        self._name = policy.name
        self._live = LiveAgent(policy, **options)
        self._actions: list[Any] = []

    @property
    def params(self) -> dict[str, Any]:
        """What coba's tables show."""
        return {"family": f"robustbandits {self._name}"}

    def predict(self, context: Any, actions: Sequence[Any]) -> Any:
        """Return an action, its probability if the policy knows it, and what `learn` needs."""
        contexts = self._contexts(context, actions)
        decision = self._live.choose(contexts)
        action, extra = actions[decision.arm], {"contexts": contexts, "arm": decision.arm}
        if decision.probability is None:
            return {"action": action}, extra
        return action, decision.probability, extra

    def learn(
        self,
        context: Any,
        action: Any,
        reward: float,
        probability: float | None,
        contexts: Floats | None = None,
        arm: int = 0,
    ) -> None:
        """Learn the reward of a prediction, or of an action in a log."""
        if contexts is None:
            known = [action] if context is None else self._actions
            if action not in known:
                raise ValueError(
                    f"action must be one of the actions of an earlier prediction; got {action!r}"
                )
            contexts, arm = self._contexts(context, known), known.index(action)
        self._live.learn(contexts, arm, float(reward))

    def _contexts(self, context: Any, actions: Sequence[Any]) -> Floats:
        if context is None:
            return np.array(actions, dtype=np.float64)
        if not self._actions:
            self._actions = list(actions)
        if list(actions) != self._actions:
            raise ValueError(
                "with a context, actions must be the same in all interactions: give actions as "
                "vectors, without a context"
            )
        return blocks(np.atleast_1d(np.asarray(context, dtype=np.float64)), len(actions))
