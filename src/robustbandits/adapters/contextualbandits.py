"""Adapter: an online policy of contextualbandits as a policy of our games."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.adapters._layouts import check_arms, check_layout, library, shared_row
from robustbandits.kernels.linalg import Floats


class ContextualBandits:
    """A policy of ``contextualbandits.online`` as a policy of our games.

    It must be able to learn rewards one by one (``partial_fit``): policies with a base algorithm
    need ``batch_train=True``.

    Parameters
    ----------
    policy
        The policy, made with ``nchoices`` as a number.
    layout
        ``"per-arm"`` plays the arm with the largest ``decision_function`` of its own context, so
        only for policies that explore by their scores. ``"shared"`` and ``"flat"`` call
        ``predict``.
    """

    def __init__(self, policy: Any, layout: str = "per-arm"):
        self.layout = check_layout(layout, ("per-arm", "shared", "flat"))
        self.policy = policy
        self.name = f"contextualbandits {type(policy).__name__}"

    def choose(self, contexts: Floats) -> int:
        """Return the arm that the policy predicts."""
        check_arms("contextualbandits", self.policy.nchoices, len(contexts))
        if self.layout == "per-arm":
            return int(np.argmax(np.diagonal(self.policy.decision_function(contexts))))
        return int(self.policy.predict(shared_row(self.layout, contexts))[0])

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Fit one more reward."""
        own = contexts[arm : arm + 1]
        row = own if self.layout == "per-arm" else shared_row(self.layout, contexts)
        self.policy.partial_fit(row, np.array([arm]), np.array([reward]))


def make(
    name: str, arms: int, seed: int, layout: str = "per-arm", **parameters: Any
) -> ContextualBandits:
    """Return the policy of this name in ``contextualbandits.online``."""
    online = library("contextualbandits.online", "contextualbandits")
    policy = getattr(online, name)(nchoices=arms, random_state=seed, **parameters)
    return ContextualBandits(policy, layout)
