"""Practical threats: attacks with parameters that imitate what happens to real systems.

Each function returns a recipe. ``budget`` counts as for every attack: one unit changes a reward by
1, for example one click, moves a context by a distance of 1, or pays for one swap or fake record.
The defaults are examples, not estimates: set them to what you expect in your system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from robustbandits.attacks.action_swap import ActionSwap
from robustbandits.attacks.contamination import Contamination
from robustbandits.attacks.context_nudge import ContextNudge
from robustbandits.attacks.context_stuffing import ContextStuffing
from robustbandits.attacks.fake_injection import FakeInjection
from robustbandits.attacks.promote import Promote
from robustbandits.attacks.wrappers.burst import Burst
from robustbandits.attacks.wrappers.drip import Drip
from robustbandits.attacks.wrappers.periodic import Periodic
from robustbandits.game import require


def click_fraud(budget: float, rivals: Sequence[int], share: float = 0.05) -> Contamination:
    """Model bots of a competitor: a share of the users sees the rivals' items and never clicks."""
    return Contamination(budget, probability=share, payload="zero", arms=tuple(rivals))


def click_farm(budget: float, own: int = 0, share: float = 0.05) -> Contamination:
    """Model paid users: whenever they are shown the attacker's own item, they click on it."""
    return Contamination(budget, probability=share, payload="one", arms=(own,))


def publisher_inflation(budget: float, share: float = 0.1) -> Contamination:
    """Model a publisher who is paid by the click: a share of its users clicks on everything."""
    return Contamination(budget, probability=share, payload="one")


def review_bombing(
    budget: float, victim: int = 0, start: float = 0.5, length: float = 0.01, share: float = 0.8
) -> Burst:
    """Model a short, coordinated burst of the worst ratings for one item."""
    ratings = Contamination(budget, probability=share, payload="zero", arms=(victim,))
    return Burst(ratings, start_at=start, length=length, shape="triangle")


def feature_spoofing(budget: float, own: int = 0, reach: float = 0.2) -> ContextNudge:
    """Model a seller who edits the features of its own item, just enough to be shown."""
    return ContextNudge(budget, target=own, reach=reach)


def metadata_stuffing(budget: float, own: int = 0, size: float = 0.2) -> ContextStuffing:
    """Model a seller who stuffs its item's description once, with what was popular until then."""
    return ContextStuffing(budget, target=own, size=size)


def cold_start_poisoning(budget: float, own: int = 0, rounds: int = 100) -> Burst:
    """Model an attacker of a new system, who praises one item and lowers the others at first."""
    return Burst(Promote(budget, target=own), start_at=0.0, length=float(rounds))


def user_spoofing(budget: float, own: int = 0, share: float = 0.05) -> Periodic:
    """Model bots that fake their features, just enough to be shown the attacker's own item."""
    return _among_visitors(ContextNudge(budget, target=own), share)


def shilling(budget: float, own: int = 0) -> Drip:
    """Model fake users who praise the attacker's item and run down its rival, in all rounds."""
    return Drip(FakeInjection(budget, target=own))


def log_forgery(budget: float, own: int = 0, every: int = 1000, records: int = 10) -> FakeInjection:
    """Model forged records for one item and against its rival, added to each batch of a log."""
    return FakeInjection(budget, target=own, every=every, records=records)


def serving_fraud(budget: float, own: int = 0) -> ActionSwap:
    """Model an insider who has bad items shown instead of the chosen ones, except for its own."""
    return ActionSwap(budget, target=own)


def night_shift(attack: Any, period: int = 1000, active: float = 0.25) -> Periodic:
    """Return an attack that runs for a part of each day only, when nobody is watching."""
    return Periodic(attack, period=period, active=active)


def sybils(attack: Any, share: float = 0.05, each: float = 0.1) -> Periodic:
    """Return an attack by many fake accounts, each of which may change only a little."""
    return _among_visitors(attack, share, each)


def sleeper(attack: Any, start: float = 0.5) -> Burst:
    """Return an attack that does nothing until a share of the rounds has been played."""
    return Burst(attack, start_at=start)


def low_and_slow(attack: Any, cap: float = 0.02) -> Drip:
    """Return an attack whose single changes are too small to be noticed."""
    return Drip(attack, cap=cap)


def stop_and_go(attack: Any, window: int = 500, limit: float = 2.0, noise: float = 0.1) -> Drip:
    """Return an attack that pauses whenever a monitor of mean rewards could notice more of it.

    The monitor compares the mean of any ``window`` rewards in a row with what it expects, and gives
    an alarm beyond ``limit`` standard errors. The attack does not see the monitor: it keeps the
    sum of its changes in each window below ``limit * noise * sqrt(window)``.
    """
    window, limit = require.count("window", window), require.positive("limit", limit)
    unnoticed = limit * require.positive("noise", noise) * math.sqrt(window)
    saved = min(1.0, 0.5 * unnoticed)
    return Drip(attack, rate=(unnoticed - saved) / window, saved=saved)


def measurement_error(budget: float, start: float = 0.5, length: float = 0.01) -> Burst:
    """Model an outage without an attacker: for a while, all rewards are recorded as 0."""
    return Burst(Contamination(budget, probability=1.0), start_at=start, length=length)


def _among_visitors(attack: Any, share: float, cap: float | None = None) -> Periodic:
    """Return an attack by a share of the visitors, evenly spaced."""
    share = require.fraction("share", share)
    return Periodic(attack, period=max(1, round(1 / share)), active=share, cap=cap)
