"""Metrics of the attack: what it spent, in how many rounds, and when it ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.registry import AUDIT, metric


@metric(AUDIT, "spent", unit="budget", better="neither")
def spent(ledgers: Sequence[Ledger]) -> Floats:
    """Return what the attack spent in all."""
    return _values(ledger.spent for ledger in ledgers)


@metric(AUDIT, "on contexts", unit="budget", better="neither", interval=False)
def spent_on_contexts(ledgers: Sequence[Ledger]) -> Floats:
    """Return what the attack spent on changing contexts."""
    return _values(ledger.spent_on_contexts for ledger in ledgers)


@metric(AUDIT, "rounds attacked", unit="rounds", better="neither")
def attacked_rounds(ledgers: Sequence[Ledger]) -> Floats:
    """Return the number of rounds that the attack changed."""
    return _values(ledger.attacked_rounds for ledger in ledgers)


@metric(AUDIT, "ended in round", unit="rounds", better="neither")
def attack_ended(ledgers: Sequence[Ledger]) -> Floats:
    """Return the last attacked round, over the seeds that were attacked."""
    return _values(ledger.last_attack for ledger in ledgers if ledger.last_attack > 0)


@metric(AUDIT, "clipped proposals", unit="proposals", better="neither", interval=False)
def clipped_proposals(ledgers: Sequence[Ledger]) -> Floats:
    """Return the number of proposals that were clipped to the legal range."""
    return _values(ledger.clipped_proposals for ledger in ledgers)


@metric(AUDIT, "bad proposals", unit="proposals", better="neither", interval=False)
def bad_proposals(ledgers: Sequence[Ledger]) -> Floats:
    """Return the number of proposals that were refused because they were not finite."""
    return _values(ledger.bad_proposals for ledger in ledgers)


def _values(numbers: Iterable[float]) -> Floats:
    return np.array(list(numbers), dtype=np.float64)
