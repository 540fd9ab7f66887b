"""Adapter: a MABWiser ``MAB`` as a policy of our games."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.adapters._layouts import check_arms, check_layout, library, shared_row
from robustbandits.kernels.linalg import Floats


class MABWiser:
    """A MABWiser ``MAB`` as a policy of our games.

    MABWiser predicts from a log. Unless the MAB was fitted before, each of its arms is played once,
    in their order, before it predicts.

    Parameters
    ----------
    mab
        The ``MAB``. Its arms, in their order, are those of the game; with the layout ``"joint"`` it
        must have one arm, whose model scores the context of every arm.
    layout
        ``"per-arm"``, ``"joint"``, ``"shared"`` or ``"flat"``. A MAB without contexts ignores it.
    """

    def __init__(self, mab: Any, layout: str = "per-arm"):
        self.layout = check_layout(layout, ("per-arm", "joint", "shared", "flat"))
        self.mab = mab
        self.name = f"MABWiser {type(mab.learning_policy).__name__.lstrip('_')}"
        fitted = getattr(mab, "_is_initial_fit", True)
        self._untried = [] if fitted else list(range(len(mab.arms)))

    def choose(self, contexts: Floats) -> int:
        """Return the arm that MABWiser predicts."""
        labels = list(self.mab.arms)
        joint = self.layout == "joint"
        check_arms("MABWiser", len(labels), 1 if joint else len(contexts))
        if self._untried:
            return self._untried[0]
        if not self.mab.is_contextual:
            return labels.index(self.mab.predict())
        if self.layout in ("shared", "flat"):
            return labels.index(self.mab.predict(shared_row(self.layout, contexts)))
        expected = self.mab.predict_expectations(contexts)
        rows = [expected] if isinstance(expected, dict) else expected
        models = labels * len(rows) if joint else labels  # the label of the model of each row
        return int(np.argmax([row[label] for row, label in zip(rows, models, strict=True)]))

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Fit one more reward."""
        label = self.mab.arms[0 if self.layout == "joint" else arm]
        if not self.mab.is_contextual:
            self.mab.partial_fit([label], [reward])
        elif self.layout in ("shared", "flat"):
            self.mab.partial_fit([label], [reward], shared_row(self.layout, contexts))
        else:
            self.mab.partial_fit([label], [reward], contexts[arm : arm + 1])
        if self._untried:
            self._untried.pop(0)


def make(name: str, arms: int, seed: int, layout: str = "per-arm", **parameters: Any) -> MABWiser:
    """Return a MAB with the learning policy of this name."""
    mab = library("mabwiser.mab", "mabwiser")
    labels = [0] if layout == "joint" else list(range(arms))
    learning = getattr(mab.LearningPolicy, name)(**parameters)
    return MABWiser(mab.MAB(labels, learning, seed=seed % 2**31), layout)
