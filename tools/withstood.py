"""Measure what a policy pays without attack on a catalogue, and which budget it withstands there.

A policy withstands a budget if no attack of :func:`attacks` with that budget raises its mean regret
above ``MULTIPLE`` times its regret without attack, and if the budget is too small to make another
world look like this one, given the policy's pulls without attack. Its efficiency is the largest
budget that it withstands, divided by the largest that any policy could withstand at the same price
(docs/limits.md).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import robustbandits as rb
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import NATURE, stream
from robustbandits.game.verbs import Attack, Policy
from robustbandits.kernels.linalg import Floats

CATALOGUE = rb.environments.Simulation(contexts="fixed")
ROUNDS, SEEDS = 100_000, 4
MULTIPLE = 2.0
_STEPS = (1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)
BUDGETS = (*[step * scale for scale in (1.0, 10.0, 100.0) for step in _STEPS], 1000.0)


def attacks(budget: float) -> dict[str, Attack]:
    """Return the attacks that a policy must withstand; those that succeed most often come first.

    They belong to only three classes, because the loop is compiled for each class of attack.
    """
    garcelon = {
        "best arm": rb.attacks.Garcelon(budget, top="best"),
        "top quarter": rb.attacks.Garcelon(budget, top=0.25),
        "top half": rb.attacks.Garcelon(budget),
    }
    late = {
        f"{name}, width below {width:g}": rb.attacks.LeverageAware(garcelon[name], width=width)
        for name in ("top quarter", "best arm")
        for width in (0.03, 0.1)
    }
    return {**garcelon, **late, "consistent lie": rb.attacks.ConsistentLie(budget)}


def regrets_of(games: list[Ledger]) -> Floats:
    """Return the final regret of each game."""
    return np.array([game.final_regret for game in games])


class Withstood(NamedTuple):
    """What was measured of a policy."""

    regrets: Floats  # (seeds,) without attack
    possible_budget: float  # that the best possible policy could withstand at this price
    attacks_withstood: float  # the largest budget of attacks withstood; NaN if it was not searched
    disguise_budget: float  # the smallest that makes another world look like this one
    broken_by: str | None  # the attack that succeeds with the next larger budget

    @property
    def price(self) -> float:
        """The mean regret without attack."""
        return float(self.regrets.mean())

    @property
    def budget(self) -> float:
        """The budget that it withstands; NaN if that was not searched."""
        return float(np.minimum(self.attacks_withstood, self.disguise_budget))

    @property
    def efficiency(self) -> float:
        """The budget that it withstands, as a share of what its price could buy."""
        return self.budget / self.possible_budget


@dataclass(frozen=True)
class Trials:
    """The games in which policies are measured: their length, and the seeds of their catalogues."""

    rounds: int = ROUNDS
    seeds: int = SEEDS

    def catalogues(self) -> list[tuple[Floats, Floats]]:
        """Return the contexts (arms, dim) and means of each seed."""
        blocks = [CATALOGUE.start(1, stream(seed, NATURE)).draw(1) for seed in range(self.seeds)]
        return [(block.contexts[0].T, block.means[0]) for block in blocks]

    def unit_prices(self) -> Floats:
        """Return the least price of a unit of budget on each catalogue."""
        found = [rb.limits.price_of_tolerance(*catalogue, 1.0) for catalogue in self.catalogues()]
        return np.array(found)

    def uniform_play(self) -> float:
        """Return the mean regret of a policy that plays all arms equally often."""
        gaps = [float((means.max() - means).mean()) for _, means in self.catalogues()]
        return self.rounds * float(np.mean(gaps))

    def second_best(self) -> float:
        """Return the mean regret of a policy that plays only the second-best arm."""
        gaps = [float(np.sort(means.max() - means)[1]) for _, means in self.catalogues()]
        return self.rounds * float(np.mean(gaps))

    def play(self, policy: Policy, attack: Attack) -> list[Ledger]:
        """Play a game for each seed."""
        return [
            rb.simulate(
                environment=CATALOGUE,
                attack=attack,
                policy=policy,
                rounds=self.rounds,
                seed=seed,
                points=1,
            )
            for seed in range(self.seeds)
        ]

    def disguise_budget(self, games: list[Ledger]) -> float:
        """Return the mean of the budgets that make another world look like that of a game."""
        budgets = [
            rb.limits.least_budget(*catalogue, game.pulls)
            for catalogue, game in zip(self.catalogues(), games, strict=True)
        ]
        return float(np.mean(budgets))

    def successful_attack(self, policy: Policy, budget: float, price: float) -> str | None:
        """Return the first attack that costs the policy more than it withstands, if any."""
        for name, attack in attacks(budget).items():
            if regrets_of(self.play(policy, attack)).mean() > MULTIPLE * price:
                return name
        return None

    def measure(self, policy: Policy, unit_price: float) -> Withstood:
        """Search the largest budget that a policy withstands, by bisection over ``BUDGETS``.

        If ``MULTIPLE`` times the policy's price is more than the regret of uniform play, the policy
        has not learned in these rounds, and nothing is searched.
        """
        # Garcelon with a budget of 0 changes nothing. NoAttack would need one more compiled loop.
        games = self.play(policy, rb.attacks.Garcelon(0.0))
        regrets, disguise_budget = regrets_of(games), self.disguise_budget(games)
        price = float(regrets.mean())
        possible_budget = price / unit_price
        if MULTIPLE * price > self.uniform_play():
            return Withstood(regrets, possible_budget, math.nan, disguise_budget, None)
        names: dict[float, str | None] = {}

        def breaks(budget: float) -> bool:
            names[budget] = self.successful_attack(policy, budget, price)
            return names[budget] is not None

        first = bisect_left(BUDGETS, True, key=breaks)
        withstood = BUDGETS[first - 1] if first else 0.0
        broken_by = names[BUDGETS[first]] if first < len(BUDGETS) else None
        return Withstood(regrets, possible_budget, withstood, disguise_budget, broken_by)
