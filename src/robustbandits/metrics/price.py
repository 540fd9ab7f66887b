"""Price of robustness: what a defence costs when nobody attacks."""

from __future__ import annotations

from collections.abc import Sequence

from robustbandits.game.ledger import Ledger
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.excess import excess_by_seed


def price_of_robustness(clean: Sequence[Ledger], reference: Sequence[Ledger]) -> Estimate:
    """Return how much more regret a policy has than a reference, without attack, paired by seed.

    ``PoR = mean_i (R_T^{0,i}(policy) - R_T^{0,i}(reference))``; the reference is LinUCB as a rule.
    """
    return estimate_mean(excess_by_seed(clean, reference))
