"""Late rate: regret per round at the end of the game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.groups import curves


def late_rates_by_seed(ledgers: Sequence[Ledger], share: float = 0.1) -> Floats:
    """Return each seed's regret per round over the last rounds."""
    if not ledgers:
        return np.zeros(0)
    rounds, (regret,) = curves(ledgers)
    # The last record at or before the first late round: at least the share asked for.
    start = int(np.searchsorted(rounds, (1 - share) * rounds[-1], side="right")) - 1
    start = min(start, len(rounds) - 2)
    rates: Floats = (regret[:, -1] - regret[:, start]) / float(rounds[-1] - rounds[start])
    return rates


def late_rate(ledgers: Sequence[Ledger], share: float = 0.1) -> Estimate:
    """Return regret per round over the last tenth of the game.

    ``mean_i (R_T^i - R_s^i) / (T - s)`` with s the last recorded round up to ``(1 - share) T``. If
    it does not fall below ``R_T / T`` in a game without attack, the policy does not learn: the
    model is probably wrong for this environment.
    """
    return estimate_mean(late_rates_by_seed(ledgers, share))
