"""What consistent lies cost against LinUCB, about two different targets (docs/limits.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import robustbandits as rb
from robustbandits.attacks.consistent_lie import ConsistentLieState
from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.reports.table import Column, Table
from tools.withstood import CATALOGUE, ROUNDS, Trials

ENOUGH = 1e6  # a budget that no lie exhausts
STEPS = 6  # how often pulls are simulated, and the lie is found again


@dataclass(frozen=True)
class GivenLie(rb.attacks.ConsistentLie):
    """Add given shifts to the rewards."""

    shifts: tuple[float, ...] = ()

    def prepare(self, state: ConsistentLieState, contexts: Floats, means: Floats) -> None:
        """Use the given shifts."""
        state.shifts[:] = self.shifts


def lie_table(rounds: int = ROUNDS, seeds: int = 3) -> Table:
    """Return what it costs to keep up a lie for a whole game, for each seed."""
    rows = []
    for seed, (contexts, means) in enumerate(Trials(rounds, seeds).catalogues()):
        gaps = means.max() - means
        second = int(np.argsort(gaps)[1])
        simulated = lie_for_simulated_pulls(contexts, means, second, rounds, seed)
        by_rule = _play(rb.attacks.ConsistentLie(ENOUGH, target=second), rounds, seed)
        default = _play(rb.attacks.ConsistentLie(ENOUGH), rounds, seed)
        rows.append(
            (
                seed,
                round(float(gaps[second]), 4),
                round(simulated.spent),
                round(by_rule.spent),
                round(by_rule.final_regret),
                round(float(gaps[default.pulls.argmax()]), 4),
                round(default.spent),
                round(default.final_regret),
            )
        )
    heads = [
        "seed",
        "gap of the second-best arm",
        "lie for it: cost, pulls simulated",
        "lie for it: cost, pulls by rule",
        "lie for it: regret",
        "gap of the default target",
        "default lie: cost, pulls by rule",
        "default lie: regret",
    ]
    title = f"What a consistent lie to LinUCB costs in {rounds:,} rounds"
    return Table("lies", title, tuple(Column(head) for head in heads), tuple(rows))


def lie_for_simulated_pulls(
    contexts: Floats, means: Floats, target: int, rounds: int, seed: int
) -> Ledger:
    """Return LinUCB's game under the lie that is cheapest for its own pulls under that lie."""
    pulls = np.ones(len(means))
    for step in range(STEPS):
        shifts = rb.limits.consistent_lie(contexts, means, target, pulls).shifts
        game = _play(GivenLie(ENOUGH, shifts=tuple(shifts)), rounds, seed)
        pulls = game.pulls.astype(float) if step == 0 else (pulls + game.pulls) / 2.0
    return game


def _play(attack: rb.attacks.ConsistentLie, rounds: int, seed: int) -> Ledger:
    return rb.simulate(
        environment=CATALOGUE,
        attack=attack,
        policy=rb.policies.LinUCB(),
        rounds=rounds,
        seed=seed,
    )
