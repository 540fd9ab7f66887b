"""Adapter: an online policy of Open Bandit Pipeline as a policy of our games."""

from __future__ import annotations

from typing import Any

from robustbandits.adapters._layouts import check_arms, check_layout, library, shared_row
from robustbandits.game.object_policy import parameters_of
from robustbandits.kernels.linalg import Floats


class OpenBanditPipeline:
    """An online policy of ``obp.policy`` as a policy of our games; its list length must be 1.

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
        self.name = f"obp {type(policy).__name__}"
        self._contextual = "context" in parameters_of(policy.select_action)

    def choose(self, contexts: Floats) -> int:
        """Return the first action that the policy selects."""
        check_arms("obp", self.policy.n_actions, len(contexts))
        return int(self.policy.select_action(**self._context(contexts))[0])

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Update the parameters of the policy."""
        self.policy.update_params(action=arm, reward=reward, **self._context(contexts))

    def _context(self, contexts: Floats) -> dict[str, Floats]:
        return {"context": shared_row(self.layout, contexts)} if self._contextual else {}


def make(
    name: str, arms: int, seed: int, layout: str = "shared", **parameters: Any
) -> OpenBanditPipeline:
    """Return the policy of this name in ``obp.policy``; a contextual one needs ``dim``."""
    kind = getattr(library("obp.policy", "obp"), name)
    return OpenBanditPipeline(kind(n_actions=arms, random_state=seed, **parameters), layout)
