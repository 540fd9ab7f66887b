"""Recovery: the time from the end of an attack until regret is normal again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.game.ledger import Integers, Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.groups import common_seeds, regret_curves


class Recovery(NamedTuple):
    """Times to recovery, one for each seed that was attacked."""

    durations: Floats  # rounds from the last attack to recovery, or to the last window
    recovered: npt.NDArray[np.bool_]  # False if not recovered by the last window; then censored

    def survival(self) -> tuple[Floats, Floats]:
        """Return times, and the Kaplan-Meier share of seeds not yet recovered after each.

        ``S(t) = prod_{t_k <= t} (1 - d_k / n_k)``, where ``d_k`` of ``n_k`` seeds recover at t_k.
        """
        times, index = np.unique(self.durations, return_inverse=True)
        ended = np.bincount(index, minlength=len(times))
        recovered = np.bincount(index[self.recovered], minlength=len(times))
        observed = len(self.durations) - np.cumsum(ended) + ended
        return times, np.cumprod(1.0 - recovered / observed).astype(np.float64)

    @property
    def median(self) -> float:
        """Kaplan-Meier median of the time to recovery; infinite if fewer than half recover."""
        if not len(self.durations):
            return math.nan
        times, unrecovered = self.survival()
        reached = unrecovered <= 0.5
        return float(times[reached.argmax()]) if reached.any() else math.inf

    @property
    def restricted_mean(self) -> float:
        """Mean time to recovery up to the longest time observed: the area under ``survival``."""
        if not len(self.durations):
            return math.nan
        times, unrecovered = self.survival()
        return float(np.diff(times, prepend=0.0) @ np.concatenate([[1.0], unrecovered[:-1]]))


def recovery(
    attacked: Sequence[Ledger],
    clean: Sequence[Ledger],
    *,
    window: int | None = None,
    slack: float = 0.5,
    tolerance: float = 0.001,
) -> Recovery:
    """Return the time from the last attack until regret grows no faster than without attack.

    With ``t_ex`` the last attacked round, ``rbar(t)`` the regret per round over the next W rounds
    and ``rbar⁰(t)`` the same without attack and with the same seed: ``t_rec = min {t >= t_ex :
    rbar(t) <= (1 + slack) rbar⁰(t) + tolerance}``, and the time to recovery is ``t_rec - t_ex``,
    right-censored if the game ends first. Times are known up to the spacing of recorded rounds.

    Parameters
    ----------
    attacked, clean
        Games with and without the attack; paired by seed.
    window
        W; by default 500 rounds or 0.5 % of the game, whichever is longer.
    slack, tolerance
        See above. One hundredth of :func:`random_gap` is a good tolerance.
    """
    attacked = [ledger for ledger in attacked if ledger.last_attack > 0]
    attacked, clean = common_seeds(attacked, clean)
    if not attacked:
        return Recovery(np.zeros(0), np.zeros(0, dtype=np.bool_))
    rounds, (regret, clean_regret) = regret_curves(attacked, clean)
    if window is None:
        window = max(500, math.ceil(0.005 * rounds[-1]))
    start, stop = _windows(rounds, window)
    length = (rounds[stop] - rounds[start]).astype(np.float64)
    rate = (regret[:, stop] - regret[:, start]) / length
    clean_rate = (clean_regret[:, stop] - clean_regret[:, start]) / length
    back_to_normal = rate <= (1 + slack) * clean_rate + tolerance
    starts = rounds[start]
    durations, recovered = np.zeros(len(attacked)), np.zeros(len(attacked), dtype=np.bool_)
    for i, ledger in enumerate(attacked):
        after = back_to_normal[i] & (starts >= ledger.last_attack)
        recovered[i] = after.any()
        last = starts[-1] if len(starts) else 0
        end = starts[after.argmax()] if recovered[i] else max(last, ledger.last_attack)
        durations[i] = end - ledger.last_attack
    return Recovery(durations, recovered)


def _windows(rounds: Integers, window: int) -> tuple[Integers, Integers]:
    """Return the indices where windows start and stop; each is at least ``window`` rounds long."""
    stop = np.searchsorted(rounds, rounds + window)
    start = np.flatnonzero(stop < len(rounds))
    return start, stop[start]
