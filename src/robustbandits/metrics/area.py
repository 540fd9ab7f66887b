"""Area under the regret curve: early damage counts for longer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.groups import curves


def areas_by_seed(ledgers: Sequence[Ledger], gap: float = 1.0) -> Floats:
    """Return each seed's area; the sum over rounds is exact if regret is linear between records."""
    if not ledgers:
        return np.zeros(0)
    rounds, (regret,) = curves(ledgers)
    steps = np.diff(rounds)
    before, after = regret[:, :-1], regret[:, 1:]
    # Rounds a+1..b on the line from R_a to R_b: a trapezium, and the half step that it misses.
    total = (steps * (before + after) / 2 + (after - before) / 2).sum(axis=1)
    horizon = float(rounds[-1])
    areas: Floats = total / (horizon * horizon * gap)
    return areas


def area_under_regret(ledgers: Sequence[Ledger], gap: float = 1.0) -> Estimate:
    """Return the area under the regret curve.

    ``AURC = mean_i (1/T) sum_{t=1}^T R_t^i / (T * gap)``. With ``gap`` the regret per round of
    random play (:func:`~robustbandits.metrics.random_gap`) it is 0 for an oracle and 1/2 for
    random play; with ``gap=1`` it is in units of reward per round.
    """
    return estimate_mean(areas_by_seed(ledgers, gap))
