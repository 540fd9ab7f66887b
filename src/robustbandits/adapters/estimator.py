"""Estimator: our policies with the interface of MABWiser's ``MAB``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.adapters._layouts import blocks, one_hot
from robustbandits.adapters._live import LiveAgent
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats


class Estimator:
    """A policy with ``fit``, ``partial_fit``, ``predict`` and ``predict_expectations``.

    Contexts are one shared context for each decision, (decisions, features), and every arm has a θ
    of its own, as in MABWiser; or one context for each arm, (decisions, arms, features), and one θ;
    or None, if there are none.

    Parameters
    ----------
    policy
        Recipe of the policy.
    arms
        Labels of the arms.
    options
        Arguments of :class:`~robustbandits.Agent`: ``rounds``, ``seed``, ``context_bound``,
        ``reward_range``.

    Examples
    --------
    >>> import robustbandits as rb
    >>> mab = Estimator(rb.policies.CautiousLinUCB(10.0), arms=["red", "blue"])
    >>> mab.fit(["red", "blue", "red"], [0.1, 0.9, 0.2])
    >>> mab.predict()
    'blue'
    """

    def __init__(self, policy: Policy, arms: Sequence[Any], **options: Any):
        self.arms = list(arms)
        self._policy = policy
        self._options = options
        self._live = LiveAgent(policy, **options)

    def fit(
        self,
        decisions: Sequence[Any],
        rewards: Sequence[float],
        contexts: npt.ArrayLike | None = None,
    ) -> None:
        """Forget everything, and learn a log."""
        self._live = LiveAgent(self._policy, **self._options)
        self.partial_fit(decisions, rewards, contexts)

    def partial_fit(
        self,
        decisions: Sequence[Any],
        rewards: Sequence[float],
        contexts: npt.ArrayLike | None = None,
    ) -> None:
        """Learn more rewards, of predicted arms or of others."""
        if len(decisions) != len(rewards):
            raise ValueError(
                f"decisions and rewards must have the same length, got {len(decisions)} and "
                f"{len(rewards)}"
            )
        rows = self._rows(contexts, len(decisions))
        for label, reward, row in zip(decisions, rewards, rows, strict=True):
            if label not in self.arms:
                raise ValueError(
                    f"decisions must be labels of arms, one of {self.arms!r}, got {label!r}"
                )
            self._live.learn(row, self.arms.index(label), float(reward))

    def predict(self, contexts: npt.ArrayLike | None = None) -> Any:
        """Return the label of an arm; a list of them if there is more than one context."""
        chosen = [self.arms[self._live.choose(row).arm] for row in self._rows(contexts, 1)]
        return chosen[0] if len(chosen) == 1 else chosen

    def predict_expectations(self, contexts: npt.ArrayLike | None = None) -> Any:
        """Return each arm's estimated mean reward; a list if there is more than one context."""
        found = [
            dict(zip(self.arms, self._live.agent(row).scores(row).means.tolist(), strict=True))
            for row in self._rows(contexts, 1)
        ]
        return found[0] if len(found) == 1 else found

    def _rows(self, contexts: npt.ArrayLike | None, count: int) -> list[Floats]:
        """Return the contexts of each decision, with a row for each arm."""
        arms = len(self.arms)
        if contexts is None:
            return [one_hot(arms)] * count
        array = np.asarray(contexts, dtype=np.float64)
        if array.ndim == 2:
            return [blocks(row, arms) for row in array]
        if array.ndim == 3 and array.shape[1] == arms:
            return [np.ascontiguousarray(row) for row in array]
        raise ValueError(
            f"contexts must have shape (decisions, features) or (decisions, {arms}, features), got "
            f"{array.shape}"
        )
