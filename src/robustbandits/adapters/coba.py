"""Adapter: a coba learner as a policy of our games."""

from __future__ import annotations

from typing import Any

from robustbandits.adapters._layouts import check_layout, library, one_hot, shared_row
from robustbandits.kernels.linalg import Floats


class Coba:
    """A coba learner as a policy of our games.

    Parameters
    ----------
    learner
        The learner.
    layout
        ``"joint"``: actions are the contexts of the arms, and there is no other context; a learner
        with feature interactions should use those of the action, such as ``features=["a"]``.
        ``"shared"`` and ``"flat"``: a context, and a unit vector as the action of each arm.
    """

    def __init__(self, learner: Any, layout: str = "joint"):
        self.layout = check_layout(layout, ("joint", "shared", "flat"))
        self.learner = library("coba.safety", "coba").SafeLearner(learner)
        self.name = f"coba {type(learner).__name__}"

    def choose(self, contexts: Floats) -> int:
        """Return the action that the learner predicts."""
        context, actions = self._interaction(contexts)
        action, probability, options = self.learner.predict(context, actions)
        self._last = context, action, probability, options
        same = [index for index, known in enumerate(actions) if known is action]
        return same[0] if same else actions.index(action)

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Let the learner learn the reward of its last prediction."""
        context, action, probability, options = self._last
        self.learner.learn(context, action, reward, probability, **options)

    def _interaction(self, contexts: Floats) -> tuple[Any, list[tuple[float, ...]]]:
        if self.layout == "joint":
            return None, [tuple(row) for row in contexts.tolist()]
        row = shared_row(self.layout, contexts)[0].tolist()
        return tuple(row), [tuple(unit) for unit in one_hot(len(contexts)).tolist()]


def make(name: str, arms: int, seed: int, layout: str = "joint", **parameters: Any) -> Coba:
    """Return the learner of this name in ``coba``."""
    kind = getattr(library("coba", "coba"), name)
    return Coba(kind(seed=seed % 2**31, **parameters), layout)
