"""How regret grows with the rounds T of the games, compared with d√T, the growth in theory."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.metrics import Estimate, estimate_means
from robustbandits.metrics.damage import paired_differences
from robustbandits.metrics.groups import Labels, final_regrets
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.metric_columns import ENVIRONMENT, POLICY, intervals_note
from robustbandits.reports.table import Cell, Column, Table

#: The exponent of T is that of the last part of a game, from this share of it to the end.
LAST_PART_START = 0.1


def growth_table(games: GroupedGames) -> Table:
    """Return regret, its ratio to d√T, its growth with T, and what the worst attack adds.

    Only environments with a parameter ``dim`` have rows.
    """
    dims = {
        label: float(environment.dim)
        for label, environment in games.spec.environments.items()
        if hasattr(environment, "dim")
    }
    clean = {labels: group for labels, group in games.clean().items() if labels.environment in dims}
    regrets = estimate_means([final_regrets(group) for group in clean.values()])
    rows: list[tuple[Cell, ...]] = []
    for (labels, group), regret in zip(clean.items(), regrets, strict=True):
        worst = _worst_attack(games, labels)
        rows.append(
            (
                labels.environment,
                labels.policy,
                len(group),
                regret,
                round(regret.value / (dims[labels.environment] * math.sqrt(games.spec.rounds)), 2),
                _exponent(group),
                *(worst or (None, None, None)),
            )
        )
    heads = ["seeds", "regret", "regret / d√T", "exponent of T", "worst attack", "it adds"]
    kinds = {"regret": "estimate", "worst attack": "text", "it adds": "estimate"}
    columns = [Column(head, kinds.get(head, "number")) for head in heads]
    return Table(
        name="growth",
        title=f"Growth of regret: T = {games.spec.rounds:,}",
        columns=(ENVIRONMENT, POLICY, *columns, Column("exponent under it")),
        rows=tuple(rows),
        notes=(
            intervals_note(clean.values()),
            f"Exponent of T: the slope of log regret against log t from {LAST_PART_START:g} T to "
            f"T. Regret is linear at 1, and grows as √T at 0.5. The worst attack is the one with "
            f"the largest mean regret, and what it adds is paired by seed.",
        ),
    )


def _exponent(group: Sequence[Ledger]) -> float | None:
    """Return the slope of log mean regret against log t over the last part of the games."""
    rounds = group[0].rounds.astype(float)
    mean = np.mean([ledger.regret for ledger in group], axis=0)
    early = float(np.interp(LAST_PART_START * rounds[-1], rounds, mean))
    if not 0.0 < early <= mean[-1]:
        return None
    return round(math.log(mean[-1] / early) / -math.log(LAST_PART_START), 2)


def _worst_attack(games: GroupedGames, labels: Labels) -> tuple[str, Estimate, float | None] | None:
    """Return the attack with the largest mean regret, what it adds, and the exponent under it."""
    attacked = {
        other.attack: group
        for other, group in games.attacked().items()
        if other._replace(attack=labels.attack) == labels
    }
    if not attacked:
        return None
    name = max(attacked, key=lambda attack: float(final_regrets(attacked[attack]).mean()))
    (added,) = estimate_means([paired_differences(attacked[name], games.groups[labels])])
    return name, added, _exponent(attacked[name])
