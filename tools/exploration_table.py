"""A table that shows which policies stop exploring.

It compares the regret of each policy without attack with that of uniform play.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robustbandits.metrics import random_gap
from robustbandits.metrics.groups import Group, Labels, final_regrets
from robustbandits.metrics.regret import late_rate
from robustbandits.reports.grouped_games import GAP_ROUNDS, GroupedGames
from robustbandits.reports.metric_columns import POLICY
from robustbandits.reports.table import Cell, Column, Table

#: Below this share of uniform play's regret in the last tenth of a game, a policy has learned which
#: arms to avoid.
SMALL_SHARE = 0.1


def exploration_table(games: GroupedGames) -> Table:
    """Return each policy's regret in the whole game and in its last tenth, over uniform play's.

    Only environments with a known regret of uniform play have columns, see
    :attr:`GroupedGames.gaps`.
    """
    environments = list(games.gaps)
    clean = {
        labels: group
        for labels, group in games.clean().items()
        if labels.environment in environments
    }
    gaps = _gaps(games, clean)
    shares = {labels: _shares(group, gaps) for labels, group in clean.items()}
    rows: list[tuple[Cell, ...]] = []
    for policy in dict.fromkeys(labels.policy for labels in shares):
        found = [
            shares.get(Labels(environment, games.clean_attack or "", policy))
            for environment in environments
        ]
        small = all(share[1] < SMALL_SHARE for share in found if share is not None)
        cells = [None if share is None else round(share[k], 3) for share in found for k in (0, 1)]
        rows.append((policy, *cells, "yes" if small else "no"))
    heads = [
        f"{part}, {environment}"
        for environment in environments
        for part in ("whole game", "last tenth")
    ]
    verdict = Column(f"last tenth below {SMALL_SHARE:g}", "text")
    return Table(
        name="exploration",
        title=f"Regret without attack, as a share of uniform play's: T = {games.spec.rounds:,}",
        columns=(POLICY, *[Column(head) for head in heads], verdict),
        rows=tuple(rows),
        notes=(
            "Means over seeds, divided by what uniform play has in the same games: 1 is uniform "
            "play. A dash means that the policy does not play there.",
        ),
    )


def _gaps(games: GroupedGames, groups: Mapping[Labels, Group]) -> dict[tuple[str, int], float]:
    """Return uniform play's regret per round by environment and seed; fixed arms differ by seed."""
    spec = games.spec
    matches = {(game.environment, game.seed) for group in groups.values() for game in group}
    return {
        (label, seed): random_gap(spec.environments[label], spec.rounds, seed, GAP_ROUNDS)
        for label, seed in matches
    }


def _shares(group: Group, gaps: Mapping[tuple[str, int], float]) -> tuple[float, float]:
    """Return the regret of the whole game and of its last tenth, in units of uniform play's."""
    gap = sum(gaps[ledger.environment, ledger.seed] for ledger in group) / len(group)
    whole = float(final_regrets(group).mean()) / (gap * float(group[0].rounds[-1]))
    return whole, float(np.mean(late_rate.by_seed(group))) / gap
