"""Search for the worst attack against each recommended policy, and write a table into a page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import robustbandits as rb
from robustbandits._atomic import write_whole
from robustbandits.reports.table import Cell, Column, Table
from tools.marked_parts import fill

#: The policies, and the budgets of the attacks against them.
TARGETS = (
    ("CautiousLinUCB(300)", 100.0),
    ("CautiousLinUCB(300)", 75.0),
    ("CautiousLinUCB(400)", 100.0),
    ("RobustLinUCB(100)", 100.0),
    ("BOBNoRestart", 100.0),
)
GAMES, ROUNDS, SEEDS = 600, 100_000, 10


def search_table(
    targets: Sequence[tuple[str, float]] = TARGETS,
    *,
    games: int = GAMES,
    rounds: int = ROUNDS,
    seeds: int = SEEDS,
) -> Table:
    """Search, and return what the worst attacks do on fresh seeds."""
    rows: list[tuple[Cell, ...]] = []
    for target, budget in targets:
        found = rb.AdaptiveSearch(target, budget, games=games, rounds=rounds, seeds=seeds).run()
        regrets = (found.clean_regret, found.regret)
        rows.append((target, f"{budget:g}", found.label, *regrets))
    return Table(
        name="search",
        title="The worst attack that a search found, measured on fresh seeds",
        columns=(
            Column("policy", "text"),
            Column("budget", "text"),
            Column("attack", "text"),
            Column("regret without attack"),
            Column("under it"),
        ),
        rows=tuple(rows),
        notes=(
            f"Fixed simulation, T = {rounds:,}; {games} games for each search, means of {seeds} "
            f"other seeds. Brackets: 95 % bootstrap intervals.",
        ),
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.search_table", description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown page with a part `search`")
    page = parser.parse_args(arguments).page
    text = fill(page.read_text(encoding="utf-8"), {"search": search_table().to_markdown()})
    write_whole(page, text.encode())


if __name__ == "__main__":
    main()
