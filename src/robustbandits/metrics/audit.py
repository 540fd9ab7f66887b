"""What the attack did: what it spent, in how many rounds, until when."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.registry import AUDIT, metric


def _field(ledgers: Sequence[Ledger], name: str) -> Floats:
    return np.array([getattr(ledger, name) for ledger in ledgers], dtype=np.float64)


@metric(AUDIT, "spent", unit="budget", better="neither")
def spent(ledgers: Sequence[Ledger]) -> Floats:
    """Return what the attack spent in all."""
    return _field(ledgers, "spent")


@metric(AUDIT, "on contexts", unit="budget", better="neither", interval=False)
def spent_on_contexts(ledgers: Sequence[Ledger]) -> Floats:
    """Return what the attack spent on changing contexts."""
    return _field(ledgers, "spent_on_contexts")


@metric(AUDIT, "rounds attacked", unit="rounds", better="neither")
def attacked_rounds(ledgers: Sequence[Ledger]) -> Floats:
    """Return the number of rounds that the attack changed."""
    return _field(ledgers, "attacked_rounds")


@metric(AUDIT, "ended in round", unit="rounds", better="neither")
def attack_ended(ledgers: Sequence[Ledger]) -> Floats:
    """Return the last attacked round, over the seeds that were attacked."""
    last = _field(ledgers, "last_attack")
    return last[last > 0]


@metric(AUDIT, "clipped proposals", unit="proposals", better="neither", interval=False)
def clipped_proposals(ledgers: Sequence[Ledger]) -> Floats:
    """Return the number of proposals that were clipped to the legal range."""
    return _field(ledgers, "clipped_proposals")


@metric(AUDIT, "bad proposals", unit="proposals", better="neither", interval=False)
def bad_proposals(ledgers: Sequence[Ledger]) -> Floats:
    """Return the number of proposals that were refused because they were not finite."""
    return _field(ledgers, "bad_proposals")
