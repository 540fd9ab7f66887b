"""Worst case: the attack of the suite that hurts a policy most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_statistic
from robustbandits.metrics.estimate import UNKNOWN, Estimate
from robustbandits.metrics.groups import common, final_regrets


class WorstCase(NamedTuple):
    """The worst attack, and the regret under it."""

    attack: str
    regret: Estimate


def largest_mean(*samples: Floats, axis: Any = -1) -> Floats:
    """Return the largest of the samples' means."""
    return np.max([np.mean(sample, axis=axis) for sample in samples], axis=0)


def worst_case(by_attack: Mapping[str, Sequence[Ledger]]) -> WorstCase:
    """Return the attack with the largest mean regret.

    ``WC = max_A mean_i R_T^{A,i}`` over the attacks given, on the seeds that all of them played.
    The maximum is taken anew in every bootstrap resample, so the interval knows that the worst
    attack was chosen after seeing the data. A finite suite gives a lower bound on the true worst
    case; replay the worst attack on fresh seeds before quoting it as that attack's own regret.
    """
    regrets = [final_regrets(group) for group in common(list(by_attack.values()))]
    if not regrets or not len(regrets[0]):
        return WorstCase("", UNKNOWN)
    worst = int(np.argmax([values.mean() for values in regrets]))
    estimate = estimate_statistic([values[None] for values in regrets], largest_mean)[0]
    return WorstCase(list(by_attack)[worst], estimate)
