"""Play games with contexts that change, and write how tight the tight bonus is there.

``python -m tools.tight_table PAGE`` fills the part ``tightness`` of the page; ``make tight`` runs
it. The largest |xᵀV⁻¹x_s| over all contexts ever learned is computed from a full record, and
compared with bounds that need no record.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import robustbandits as rb
from robustbandits._atomic import write_whole
from robustbandits.game.match import NATURE, stream
from robustbandits.game.verbs import MEMO
from robustbandits.kernels.linalg import Floats
from robustbandits.reports.table import Cell, Column, Table
from tools.marked_parts import fill

ENVIRONMENTS = {
    "fresh, with intercept": rb.environments.Simulation(),
    "fresh, without": rb.environments.Simulation(intercept=False),
}
CHECKS = (100, 1_000, 10_000)
SEEDS = 3


def ratios(state: Any, past: Floats, contexts: Floats) -> list[float]:
    """Return the means, over the contexts, of four bounds divided by the largest |xᵀV⁻¹x_s|."""
    learned, inverse = state.optimist.learned, np.linalg.inv(state.optimist.ridge.gram)
    images = inverse @ contexts
    lengths, longest = np.linalg.norm(images, axis=0), np.linalg.norm(past, axis=1).max()
    widths = np.sqrt((contexts * images).sum(axis=0))
    around_center = abs(learned.center @ images) + learned.reach[0] * lengths
    bounds = (
        np.minimum(around_center, longest * lengths),
        around_center,
        longest * lengths,
        longest * np.sqrt(np.linalg.eigvalsh(inverse)[-1]) * widths,
    )
    exact = abs(past @ images).max(axis=0)
    return [float(np.mean(bound / exact)) for bound in bounds]


def play(environment: Any, seed: int, checks: tuple[int, ...]) -> list[list[float]]:
    """Play a game without an attack; return the ratios after each of the given rounds."""
    nature = environment.start(checks[-1], stream(seed, NATURE))
    state = rb.policies.RobustLinUCB(100.0).start(nature.problem)
    past = np.empty((checks[-1], nature.problem.dim))
    rng, memo, found = np.random.default_rng(seed), np.zeros(MEMO), []
    rounds = nature.draw(checks[-1])
    for t in range(checks[-1]):
        contexts = rounds.contexts[t]
        arm = state.choose(contexts, rng, memo)
        past[t] = contexts[:, arm]
        state.learn(arm, past[t], rounds.means[t, arm] + rounds.noise[t], memo, rng)
        if t + 1 in checks:
            found.append(ratios(state, past[: t + 1], contexts))
    return found


def tightness_table(checks: tuple[int, ...] = CHECKS, seeds: int = SEEDS) -> Table:
    """Play the games and return the mean ratios."""
    rows: list[tuple[Cell, ...]] = []
    for name, environment in ENVIRONMENTS.items():
        means = np.mean([play(environment, seed, checks) for seed in range(seeds)], axis=0)
        for check, row in zip(checks, means, strict=True):
            rows.append((name, f"{check:,}", *(round(float(ratio), 2) for ratio in row)))
    return Table(
        name="tightness",
        title="Bounds on the largest |xᵀV⁻¹x_s| if contexts change, divided by the exact value",
        columns=(
            Column("arms", "text"),
            Column("rounds", "text"),
            Column("used: the smaller of the next two"),
            Column("ball of contexts"),
            Column("L‖V⁻¹x‖₂"),
            Column("L√λ_max(V⁻¹)·‖x‖"),
        ),
        rows=tuple(rows),
        notes=(
            f"Means over {seeds} seeds and the arms of the round; L is the length of the longest "
            f"context that was learned.",
        ),
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.tight_table", description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown page with a part `tightness`")
    page = parser.parse_args(arguments).page
    text = fill(page.read_text(encoding="utf-8"), {"tightness": tightness_table().to_markdown()})
    write_whole(page, text.encode())


if __name__ == "__main__":
    main()
