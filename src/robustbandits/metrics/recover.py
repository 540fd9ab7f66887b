"""Recovery: how long after its last blow an attack is still felt; censored at the horizon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.game.ledger import Integers, Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.groups import curves, pair


class Recovery(NamedTuple):
    """Times to recovery, one for each seed that was attacked at all."""

    durations: Floats  # rounds from the last attack to recovery, or to the last look
    recovered: npt.NDArray[np.bool_]  # False: not by the last look, so the time is censored

    @property
    def share(self) -> float:
        """Share of the attacked seeds that were seen to recover; NaN if none was attacked."""
        return float(self.recovered.mean()) if len(self.recovered) else math.nan

    def share_estimate(self) -> Estimate:
        """Return the share with its interval."""
        return estimate_mean(self.recovered.astype(np.float64))

    def survival(self) -> tuple[Floats, Floats]:
        """Return times and the Kaplan-Meier share not yet recovered after each.

        ``S(t) = prod_{t_k <= t} (1 - d_k / n_k)``: of ``n_k`` seeds still watched just before time
        ``t_k``, ``d_k`` recover then.
        """
        times, place = np.unique(self.durations, return_inverse=True)
        ends = np.bincount(place, minlength=len(times))
        healed = np.bincount(place[self.recovered], minlength=len(times))
        watched = len(self.durations) - np.cumsum(ends) + ends
        return times, np.cumprod(1.0 - healed / watched).astype(np.float64)

    @property
    def median(self) -> float:
        """Kaplan-Meier median of the time to recovery; inf if half never recovers in sight."""
        if not len(self.durations):
            return math.nan
        times, left = self.survival()
        reached = left <= 0.5
        return float(times[reached.argmax()]) if reached.any() else math.inf

    @property
    def restricted_mean(self) -> float:
        """Mean time to recovery up to the longest time watched: the area under ``survival``."""
        if not len(self.durations):
            return math.nan
        times, left = self.survival()
        return float(np.diff(times, prepend=0.0) @ np.concatenate([[1.0], left[:-1]]))


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
    right-censored when the game ends before. Times are known up to the spacing of recorded rounds.

    Parameters
    ----------
    attacked, clean
        Games with and without the attack; paired by seed.
    window
        W; by default the longer of 500 rounds and 0.5 % of the game.
    slack, tolerance
        See above. One hundredth of :func:`random_gap` is a good tolerance.
    """
    struck, spared = pair([one for one in attacked if one.last_attack > 0], clean)
    if not struck:
        return Recovery(np.zeros(0), np.zeros(0, dtype=np.bool_))
    rounds, (ours, theirs) = curves(struck, spared)
    if window is None:
        window = max(500, math.ceil(0.005 * rounds[-1]))
    start, stop = _windows(rounds, window)
    length = (rounds[stop] - rounds[start]).astype(np.float64)
    rate = (ours[:, stop] - ours[:, start]) / length
    clean_rate = (theirs[:, stop] - theirs[:, start]) / length
    healed = rate <= (1 + slack) * clean_rate + tolerance
    looks = rounds[start]
    durations, recovered = np.zeros(len(struck)), np.zeros(len(struck), dtype=np.bool_)
    for i, one in enumerate(struck):
        after = healed[i] & (looks >= one.last_attack)
        recovered[i] = after.any()
        last = looks[-1] if len(looks) else 0
        end = looks[after.argmax()] if recovered[i] else max(last, one.last_attack)
        durations[i] = end - one.last_attack
    return Recovery(durations, recovered)


def _windows(rounds: Integers, window: int) -> tuple[Integers, Integers]:
    """Return the records where a window starts and ends; each is at least ``window`` long."""
    stop = np.searchsorted(rounds, rounds + window)
    start = np.flatnonzero(stop < len(rounds))
    return start, stop[start]
