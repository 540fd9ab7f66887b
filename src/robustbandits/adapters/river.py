"""Adapter: a river bandit policy as a policy of our games."""

from __future__ import annotations

from typing import Any

from robustbandits.adapters._layouts import check_layout, library, shared_row
from robustbandits.game.object_policy import parameters_of
from robustbandits.kernels.linalg import Floats


class River:
    """A policy of ``river.bandit`` as a policy of our games.

    Parameters
    ----------
    policy
        The policy, with or without contexts.
    layout
        ``"shared"`` or ``"flat"``; a policy without contexts ignores it.
    """

    def __init__(self, policy: Any, layout: str = "shared"):
        self.layout = check_layout(layout, ("shared", "flat"))
        self.policy = policy
        self.name = f"river {type(policy).__name__}"
        self._contextual = "context" in parameters_of(policy.pull)

    def choose(self, contexts: Floats) -> int:
        """Return the arm that the policy pulls."""
        return int(self.policy.pull(list(range(len(contexts))), **self._context(contexts)))

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Update the arm."""
        self.policy.update(arm, *self._context(contexts).values(), reward)

    def _context(self, contexts: Floats) -> dict[str, dict[int, float]]:
        if not self._contextual:
            return {}
        return {"context": dict(enumerate(shared_row(self.layout, contexts)[0].tolist()))}


def make(name: str, arms: int, seed: int, layout: str = "shared", **parameters: Any) -> River:
    """Return the policy of this name in ``river.bandit``."""
    kind = getattr(library("river.bandit", "river"), name)
    return River(kind(seed=seed, **parameters), layout)
