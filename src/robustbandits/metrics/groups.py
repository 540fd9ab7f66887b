"""Groups: the ledgers of one environment, attack and policy, one a seed; and how to pair two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robustbandits.game.ledger import Integers, Ledger
from robustbandits.kernels.linalg import Floats


class Who(NamedTuple):
    """Labels of a group."""

    environment: str
    attack: str
    policy: str


Group = list[Ledger]


def group_by_players(ledgers: Sequence[Ledger]) -> dict[Who, Group]:
    """Return ledgers by environment, attack and policy, in order of first appearance."""
    groups: dict[Who, Group] = {}
    for one in ledgers:
        groups.setdefault(Who(one.environment, one.attack, one.policy), []).append(one)
    return groups


def pair(first: Sequence[Ledger], second: Sequence[Ledger]) -> tuple[Group, Group]:
    """Return the games of both groups that share a seed, in the order of the first group.

    Games of one seed met the same rounds: their difference is free of nature's luck.
    """
    others = {one.seed: one for one in second}
    shared = [one for one in first if one.seed in others]
    return shared, [others[one.seed] for one in shared]


def common(groups: Sequence[Sequence[Ledger]]) -> list[Group]:
    """Return the games of all groups whose seed every group has, in the first group's order."""
    if not groups:
        return []
    seeds = set.intersection(*[{one.seed for one in group} for group in groups])
    order = [one.seed for one in groups[0] if one.seed in seeds]
    tables = [{one.seed: one for one in group} for group in groups]
    return [[table[seed] for seed in order] for table in tables]


def final_regrets(ledgers: Sequence[Ledger]) -> Floats:
    """Return R_T of each seed."""
    return np.array([one.regret[-1] for one in ledgers], dtype=np.float64)


def curves(*groups: Sequence[Ledger]) -> tuple[Integers, list[Floats]]:
    """Return the recorded rounds and the regret curves ``(seeds, rounds)`` of each group.

    Both start at round 0 with no regret, which ledgers do not record.
    """
    ledgers = [one for group in groups for one in group]
    rounds = ledgers[0].rounds
    if any(one.rounds is not rounds and not np.array_equal(one.rounds, rounds) for one in ledgers):
        raise ValueError("these games were recorded at different rounds; play them with equal ones")
    tables = []
    for group in groups:
        table = np.zeros((len(group), len(rounds) + 1))
        for line, one in zip(table, group, strict=True):
            line[1:] = one.regret
        tables.append(table)
    return np.concatenate([[0], rounds]), tables
