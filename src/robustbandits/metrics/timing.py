"""When the attack took place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate


def ends_by_seed(ledgers: Sequence[Ledger]) -> Floats:
    """Return each seed's last attacked round, for the seeds that were attacked."""
    return np.array([one.last_attack for one in ledgers if one.last_attack > 0], dtype=np.float64)


def attack_ended(ledgers: Sequence[Ledger]) -> Estimate:
    """Return the mean of ``t_ex``, the last attacked round, over the seeds that were attacked."""
    return estimate_mean(ends_by_seed(ledgers))


def attack_began(ledger: Ledger) -> int:
    """Return the first recorded round by which something had been attacked; 0 if never."""
    touched = ledger.attacked_so_far > 0
    return int(ledger.rounds[touched.argmax()]) if touched.any() else 0
