"""Excess regret: what an attack costs."""

from __future__ import annotations

from collections.abc import Sequence

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.groups import final_regrets, pair


def excess_by_seed(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Floats:
    """Return ``R_T^{A,i} - R_T^{0,i}`` for each seed i that both groups played."""
    ours, theirs = pair(attacked, clean)
    return final_regrets(ours) - final_regrets(theirs)


def excess_regret(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Estimate:
    """Return how much regret an attack adds, paired by seed.

    ``ER = mean_i (R_T^{A,i} - R_T^{0,i})``, where ``R_T^{A,i}`` is the final regret under attack A
    with seed i, and 0 is the same game without attack. Negative if the attack helped.
    """
    return estimate_mean(excess_by_seed(attacked, clean))
