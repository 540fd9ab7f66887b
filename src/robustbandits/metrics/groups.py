"""Group ledgers by environment, attack and policy, and pair the games of groups by seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robustbandits.game.ledger import Integers, Ledger
from robustbandits.kernels.linalg import Floats


class Labels(NamedTuple):
    """The labels that the games of a group share."""

    environment: str
    attack: str
    policy: str


Group = list[Ledger]


def group_by_labels(ledgers: Sequence[Ledger]) -> dict[Labels, Group]:
    """Return ledgers by environment, attack and policy, in order of first appearance."""
    groups: dict[Labels, Group] = {}
    for ledger in ledgers:
        labels = Labels(ledger.environment, ledger.attack, ledger.policy)
        groups.setdefault(labels, []).append(ledger)
    return groups


def common_seeds(*groups: Sequence[Ledger]) -> list[Group]:
    """Return the games of each group whose seed every group has, in the order of the first group.

    Games with the same seed are played with the same rounds, so their differences do not depend on
    the luck of the draws.
    """
    if not groups:
        return []
    by_seed = [{ledger.seed: ledger for ledger in group} for group in groups]
    seeds = [ledger.seed for ledger in groups[0] if all(ledger.seed in games for games in by_seed)]
    return [[games[seed] for seed in seeds] for games in by_seed]


def final_regrets(ledgers: Sequence[Ledger]) -> Floats:
    """Return the final regret ``R_T`` of each seed."""
    return np.array([ledger.regret[-1] for ledger in ledgers], dtype=np.float64)


def regret_curves(*groups: Sequence[Ledger]) -> tuple[Integers, list[Floats]]:
    """Return the recorded rounds and the regret curves ``(seeds, rounds)`` of each group.

    Both start with round 0 and no regret, which ledgers do not record.
    """
    ledgers = [ledger for group in groups for ledger in group]
    rounds = ledgers[0].rounds
    for ledger in ledgers:
        if ledger.rounds is not rounds and not np.array_equal(ledger.rounds, rounds):
            raise ValueError(
                "expected games recorded at the same rounds, got different ones; play all of them "
                "with equal rounds and points"
            )
    curves = []
    for group in groups:
        curve = np.zeros((len(group), len(rounds) + 1))
        for row, ledger in zip(curve, group, strict=True):
            row[1:] = ledger.regret
        curves.append(curve)
    return np.concatenate([[0], rounds]), curves
