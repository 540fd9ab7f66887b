"""Play games of several lengths on a ball of arms, and write how regret grows with the horizon.

``python -m tools.horizon_table PAGE`` fills the part ``horizons`` of the page; ``make infinite``
runs it. Policies that are told the horizon may have linear regret inside every game, and still
sub-linear regret in T: only games of several lengths show it.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

import robustbandits as rb
from robustbandits._atomic import write_whole
from robustbandits.game.match import play_match
from robustbandits.metrics import random_gap
from robustbandits.reports.table import Cell, Column, Table
from tools.marked_parts import fill

HORIZONS = (10_000, 100_000, 1_000_000)
SEEDS = 3
ATTACKS = (rb.attacks.NoAttack(), rb.attacks.FlipTheta(100.0))
POLICIES = (
    rb.policies.LinUCB(),
    rb.policies.RobustBandit(),
    rb.policies.BOBNoRestart(),
    rb.policies.CautiousLinUCB(),
)


def horizon_table(
    dims: tuple[int, ...] = (2, 10), horizons: tuple[int, ...] = HORIZONS, seeds: int = SEEDS
) -> Table:
    """Play the games and return mean regrets by horizon."""
    pairs = [(attack, policy) for attack in ATTACKS for policy in POLICIES]
    rows: list[tuple[Cell, ...]] = []
    for dim in dims:
        ball = rb.environments.UnitBall(dim=dim)
        regrets = [
            [
                np.mean([game.final_regret for game in games])
                for games in zip(
                    *(play_match(ball, pairs, rounds, seed, points=10) for seed in range(seeds)),
                    strict=True,
                )
            ]
            for rounds in horizons
        ]
        gap = float(np.mean([random_gap(ball, 10, seed) for seed in range(seeds)]))
        for (attack, policy), means in zip(pairs, zip(*regrets, strict=True), strict=True):
            growth = math.log(means[-1] / means[-2]) / math.log(horizons[-1] / horizons[-2])
            share = means[-1] / (gap * horizons[-1])
            numbers = [round(float(mean)) for mean in means]
            row = (dim, attack.name, policy.name, *numbers, round(growth, 2), round(share, 3))
            rows.append(row)
    heads = [f"T = {rounds:,}" for rounds in horizons]
    heads += ["exponent of T", "share of uniform play"]
    return Table(
        name="horizons",
        title="Regret by horizon",
        columns=(
            Column("d"),
            Column("attack", "text"),
            Column("policy", "text"),
            *[Column(head) for head in heads],
        ),
        rows=tuple(rows),
        notes=(
            f"Means over {seeds} seeds; C = 100 for FlipTheta. Exponent of T: from the second "
            f"largest horizon to the largest. The last column divides the regret at the largest "
            f"horizon by that of uniform play.",
        ),
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.horizon_table", description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown page with a part `horizons`")
    page = parser.parse_args(arguments).page
    text = fill(page.read_text(encoding="utf-8"), {"horizons": horizon_table().to_markdown()})
    write_whole(page, text.encode())


if __name__ == "__main__":
    main()
