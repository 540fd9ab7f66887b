"""Adapter: Vowpal Wabbit with ``--cb_explore_adf`` as a policy of our games."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from robustbandits.adapters._layouts import check_layout, library, shared_row
from robustbandits.kernels.linalg import Floats


class VowpalWabbit:
    """A Vowpal Wabbit workspace with ``--cb_explore_adf`` as a policy of our games.

    Its workspace is made at the first decision, because a workspace cannot be copied.

    Parameters
    ----------
    arguments
        Command line of Vowpal Wabbit; ``--quiet`` is added.
    layout
        ``"joint"``: the features of an arm are its context. ``"shared"`` and ``"flat"``: the
        context is a shared example, arms have a name each, and ``--quadratic sa`` gives each arm
        weights of its own.
    seed
        For drawing arms with the probabilities that Vowpal Wabbit predicts.
    """

    def __init__(
        self, arguments: str = "--cb_explore_adf", layout: str = "joint", seed: int = 0
    ) -> None:
        self.layout = check_layout(layout, ("joint", "shared", "flat"))
        if "cb_explore_adf" not in arguments:
            raise ValueError(f"arguments must have --cb_explore_adf, got {arguments!r}")
        library("vowpalwabbit", "vowpalwabbit")  # a missing library is reported here
        self.name = "Vowpal Wabbit"
        self.arguments = arguments + ("" if layout == "joint" else " --quadratic sa")
        self._rng = np.random.default_rng(seed)
        self._workspace: Any = None
        self._probability = 1.0

    def choose(self, contexts: Floats) -> int:
        """Draw an arm with the predicted probabilities."""
        probabilities = self._predict(contexts)
        arm = int(self._rng.choice(len(contexts), p=probabilities))
        self._probability = float(probabilities[arm])
        return arm

    def peek(self, contexts: Floats) -> int:
        """Return what `choose` would return; predicting changes nothing."""
        rng = copy.deepcopy(self._rng)
        return int(rng.choice(len(contexts), p=self._predict(contexts)))

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Learn minus the reward as the cost of the arm that was chosen last."""
        lines = self._lines(contexts)
        index = arm - len(contexts)  # counted from the end: a shared example may come first
        lines[index] = f"0:{-float(reward)!r}:{self._probability!r} {lines[index]}"
        self._workspace.learn(lines)

    def _predict(self, contexts: Floats) -> Floats:
        if self._workspace is None:
            vowpalwabbit = library("vowpalwabbit", "vowpalwabbit")
            self._workspace = vowpalwabbit.Workspace(f"{self.arguments} --quiet")
        predicted = np.array(self._workspace.predict(self._lines(contexts)))
        normalized: Floats = predicted / predicted.sum()  # they are in single precision
        return normalized

    def _lines(self, contexts: Floats) -> list[str]:
        if self.layout == "joint":
            return [f"|a {_features(row)}" for row in contexts]
        row = shared_row(self.layout, contexts)[0]
        return [f"shared |s {_features(row)}", *(f"|a arm{arm}" for arm in range(len(contexts)))]


def _features(row: Floats) -> str:
    return " ".join(f"x{index}:{float(value)!r}" for index, value in enumerate(row))


def make(name: str, arms: int, seed: int, layout: str = "joint", **parameters: Any) -> VowpalWabbit:
    """Return ``--cb_explore_adf`` with options; the only name is ``cb_explore_adf``."""
    if name != "cb_explore_adf":
        raise AttributeError(f"vowpalwabbit has no {name}; use cb_explore_adf")
    options = (f"--{k}" + ("" if v is True else f" {v}") for k, v in parameters.items())
    return VowpalWabbit(" ".join(["--cb_explore_adf", *options]), layout, seed)
