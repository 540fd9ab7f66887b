"""Residual damage: what an attack costs after it has ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.groups import curves, pair


def residual_by_seed(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Floats:
    """Return each seed's residual damage; 0 for a seed that was never attacked."""
    struck, spared = pair(attacked, clean)
    if not struck:
        return np.zeros(0)
    rounds, (ours, theirs) = curves(struck, spared)
    damage = ours - theirs
    answers = np.zeros(len(struck))
    for i, one in enumerate(struck):
        if one.last_attack > 0:
            answers[i] = damage[i, -1] - np.interp(one.last_attack, rounds, damage[i])
    return answers


def residual_damage(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Estimate:
    """Return the excess regret that piles up after the last attack, paired by seed.

    ``RD = mean_i sum_{t > t_ex} (r_t^i - r_t^{0,i})`` with ``t_ex`` the last attacked round of
    seed i; between recorded rounds regret is taken to be linear.
    """
    return estimate_mean(residual_by_seed(attacked, clean))
