"""Play policies without attack on catalogues, and write which budgets their price can buy.

``python -m tools.limits_table PAGE`` fills the part ``limits`` of a page; ``make limits`` runs it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import robustbandits as rb
from robustbandits._atomic import write_whole
from robustbandits.game.match import NATURE, stream
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats
from robustbandits.reports.table import Column, Table
from tools.marked_parts import fill

CATALOGUE = rb.environments.Simulation(contexts="fixed")
POLICIES: dict[str, Policy] = {
    "LinUCB": rb.policies.LinUCB(),
    **{
        f"CautiousLinUCB({told})": rb.policies.CautiousLinUCB(told) for told in (100, 200, 300, 400)
    },
    **{f"RobustLinUCB({told})": rb.policies.RobustLinUCB(told) for told in (25, 50, 100)},
    "CWOFUL(100)": rb.policies.CWOFUL(budget=100.0),
}
ROUNDS, SEEDS = 100_000, 10


def prices(seeds: int) -> Floats:
    """Return the least price of a unit of budget on the catalogue of each seed."""
    found = []
    for seed in range(seeds):
        block = CATALOGUE.start(1, stream(seed, NATURE)).draw(1)
        found.append(rb.limits.price_of_tolerance(block.contexts[0].T, block.means[0], 1.0))
    return np.array(found)


def limits_table(rounds: int = ROUNDS, seeds: int = SEEDS) -> Table:
    """Play the games and return what each policy pays, and what that can buy."""
    results = rb.compare(
        environments=[CATALOGUE], policies=POLICIES, rounds=rounds, seeds=seeds, title="limits"
    )
    unit = prices(seeds)
    rows = []
    for label in POLICIES:
        regrets = np.array([game.final_regret for game in results.ledgers if game.policy == label])
        mean = rb.metrics.estimate_mean(regrets)
        rows.append((label, mean, round(float(regrets.mean() / unit.mean()), 1)))
    low, high = 100.0 * unit.min(), 100.0 * unit.max()
    return Table(
        name="limits",
        title="What policies pay without attack, and the largest budget that this can buy",
        columns=(
            Column("policy", "text"),
            Column("regret without attack", "estimate"),
            Column("withstands at most"),
        ),
        rows=tuple(rows),
        notes=(
            f"{CATALOGUE.label}: 20 arms with 11 features, {rounds:,} rounds, {seeds} seeds, "
            f"margin 0.02. To withstand 100, any policy pays at least {low:,.0f} to {high:,.0f} on "
            f"these catalogues, {100.0 * unit.mean():,.0f} on average.",
        ),
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.limits_table", description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown page with a part `limits`")
    page = parser.parse_args(arguments).page
    text = fill(page.read_text(encoding="utf-8"), {"limits": limits_table().to_markdown()})
    write_whole(page, text.encode())


if __name__ == "__main__":
    main()
