"""OBPPolicy: our policies as contextual policies of Open Bandit Pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.adapters._layouts import blocks, library
from robustbandits.adapters._live import LiveAgent
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats


class OBPPolicy:
    """A policy with obp's ``select_action`` and ``update_params``; every action has its own θ.

    Parameters
    ----------
    policy
        Recipe of the policy.
    n_actions
        Number of actions.
    options
        Arguments of :class:`~robustbandits.Agent`: ``rounds``, ``seed``, ``context_bound``,
        ``reward_range``.
    """

    len_list = 1

    def __init__(self, policy: Policy, n_actions: int, **options: Any):
        self.policy_name = policy.name
        self.n_actions = n_actions
        self._policy, self._options = policy, options
        self.initialize()

    @property
    def policy_type(self) -> Any:
        """Obp's type of this policy: contextual."""
        return library("obp.policy.policy_type", "obp").PolicyType.CONTEXTUAL

    def initialize(self) -> None:
        """Forget everything."""
        self._live = LiveAgent(self._policy, **self._options)

    def select_action(self, context: Floats) -> npt.NDArray[np.int64]:
        """Return a list of one action for a context, (1, features)."""
        return np.array([self._live.choose(blocks(context, self.n_actions)).arm])

    def update_params(self, action: int, reward: float, context: Floats) -> None:
        """Learn the reward of an action."""
        self._live.learn(blocks(context, self.n_actions), int(action), float(reward))
