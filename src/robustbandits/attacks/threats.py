"""Practical threats: attacks of the suite with the parameters of something that really happens.

Each function returns a recipe. ``budget`` counts as for every attack: one unit is a change of 1 in
a reward, for example one click, or in the length of a context. The defaults are examples, not
estimates: set them to what you fear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robustbandits.attacks.burst import Burst
from robustbandits.attacks.contamination import Contamination
from robustbandits.attacks.context_nudge import ContextNudge
from robustbandits.attacks.drip import Drip
from robustbandits.attacks.promote import Promote


def click_fraud(budget: float, rivals: Sequence[int], share: float = 0.05) -> Contamination:
    """Return bots of a competitor: a share of the users sees the rivals' items and never clicks."""
    return Contamination(budget, probability=share, payload="zero", arms=tuple(rivals))


def click_farm(budget: float, own: int = 0, share: float = 0.05) -> Contamination:
    """Return paid users: whenever they are shown the attacker's own item, they click on it."""
    return Contamination(budget, probability=share, payload="one", arms=(own,))


def publisher_inflation(budget: float, share: float = 0.1) -> Contamination:
    """Return a publisher who is paid by the click: a share of its users clicks on everything."""
    return Contamination(budget, probability=share, payload="one")


def review_bombing(
    budget: float, victim: int = 0, start: float = 0.5, length: float = 0.01, share: float = 0.8
) -> Burst:
    """Return a short, coordinated burst of the worst ratings for one item."""
    ratings = Contamination(budget, probability=share, payload="zero", arms=(victim,))
    return Burst(ratings, start_at=start, length=length, shape="triangle")


def feature_spoofing(budget: float, own: int = 0, reach: float = 0.2) -> ContextNudge:
    """Return a seller who edits the features of its own item, just enough to be shown."""
    return ContextNudge(budget, target=own, reach=reach)


def cold_start_poisoning(budget: float, own: int = 0, rounds: int = 100) -> Burst:
    """Return an attacker of a new system: praises its item and lowers the others at the start."""
    return Burst(Promote(budget, target=own), start_at=0.0, length=float(rounds))


def sleeper(attack: Any, start: float = 0.5) -> Burst:
    """Return an attack that does nothing until a share of the rounds has been played."""
    return Burst(attack, start_at=start)


def low_and_slow(attack: Any, cap: float = 0.02) -> Drip:
    """Return an attack whose single changes are too small to be noticed."""
    return Drip(attack, cap=cap)


def measurement_error(budget: float, start: float = 0.5, length: float = 0.01) -> Burst:
    """Return an outage without an attacker: for a while, all rewards are recorded as 0."""
    return Burst(Contamination(budget, probability=1.0), start_at=start, length=length)
