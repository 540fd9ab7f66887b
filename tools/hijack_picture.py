"""The picture of the README: an attack hijacks LinUCB on a catalogue, but not two robust policies.

``python -m tools.hijack_picture docs/hijack.svg`` plays the games and draws it. Its text stays
legible in a column of 360 pixels, and its background is opaque, for light and dark pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import robustbandits as rb
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import NATURE, stream
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats
from robustbandits.reports.styles import styles_of

ROUNDS, SEEDS, BUDGET = 100_000, 10, 100.0
CATALOGUE = rb.environments.Simulation(contexts="fixed")
POLICIES: dict[str, Policy] = {
    "LinUCB": rb.policies.LinUCB(),
    "CautiousLinUCB": rb.policies.CautiousLinUCB(tolerance=4 * BUDGET),
    "BOBNoRestart": rb.policies.BOBNoRestart(),
}
COLORS = {name: style.color for name, style in styles_of(POLICIES).items()}
INK, PALE = "#22262B", "#E9ECEF"
#: In points, in a picture 518 points wide; 16 points are 11 pixels in a column of 360.
TITLE, TEXT = 23, 16


def attacked_games(rounds: int = ROUNDS, seeds: int = SEEDS) -> dict[str, list[Ledger]]:
    """Return the games of each policy under the attack, one for each seed."""
    results = rb.compare(
        environments=[CATALOGUE],
        attacks=[rb.attacks.Garcelon(budget=BUDGET)],
        policies=POLICIES,
        rounds=rounds,
        seeds=seeds,
    )
    return {
        name: [ledger for ledger in results.ledgers if ledger.policy == name] for name in POLICIES
    }


def shares_by_rank(games: Sequence[Ledger]) -> Floats:
    """Return the share of rounds in which each item was played, from the best to the worst."""
    shares = []
    for ledger in games:
        rounds = int(ledger.rounds[-1])
        means = CATALOGUE.start(rounds, stream(ledger.seed, NATURE)).draw(1).means[0]
        shares.append(ledger.pulls[np.argsort(-means)] / rounds)
    return np.mean(shares, axis=0)


def draw(games: Mapping[str, Sequence[Ledger]], path: Path) -> None:
    """Draw which items are played, and the regret over time."""
    import matplotlib
    from matplotlib.figure import Figure

    settings = {
        "font.size": TEXT,
        "text.color": INK,
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "hijack",  # the same games give the same file
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(7.2, 6.8), facecolor="white")
        items = figure.add_axes((0.03, 0.565, 0.94, 0.25))
        regret = figure.add_axes((0.03, 0.085, 0.94, 0.37))
        figure.text(0.03, 0.935, "A small attack hijacks LinUCB", size=TITLE, weight="bold")
        _draw_items(items, {name: shares_by_rank(played) for name, played in games.items()})
        _draw_regret(regret, games)
        figure.savefig(path, metadata={"Date": None})


def _draw_items(axes: Any, shares: Mapping[str, Floats]) -> None:
    """Draw a row of squares for each policy: the darker, the more often an item is played."""
    axes.set_title("Which of the 20 items are played?", loc="left", size=TEXT, pad=30)
    for row, (name, share) in enumerate(shares.items()):
        axes.text(-0.4, row, name, ha="right", va="center", color=COLORS[name], weight="bold")
        for k, part in enumerate(share):
            box = {"width": 0.86, "height": 0.8, "linewidth": 0}
            axes.add_patch(_rectangle((k, row - 0.4), PALE, **box))
            # The square root, so that an item with a few per cent of the rounds can be seen.
            shade = _rectangle((k, row - 0.4), COLORS[name], alpha=float(np.sqrt(part)), **box)
            axes.add_patch(shade)
    axes.text(0, -0.55, "best", va="bottom", size=TEXT)
    axes.text(20, -0.55, "worst", va="bottom", ha="right", size=TEXT)
    axes.set(xlim=(-8.9, 20), ylim=(len(shares) - 0.5, -0.6))
    axes.axis("off")


def _rectangle(corner: tuple[float, float], color: str, **rest: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, facecolor=color, **rest)


def _draw_regret(axes: Any, games: Mapping[str, Sequence[Ledger]]) -> None:
    """Draw mean regret over time, with a label at the end of each line."""
    axes.set_title("Regret: the reward lost", loc="left", size=TEXT, pad=12)
    for name, played in games.items():
        curve = np.mean([ledger.regret for ledger in played], axis=0)
        axes.plot(played[0].rounds, curve, color=COLORS[name], linewidth=4)
    rounds = int(next(iter(games.values()))[0].rounds[-1])
    finals = {name: np.mean([game.final_regret for game in games[name]]) for name in games}
    top = max(finals.values())
    axes.annotate(
        f"LinUCB {finals['LinUCB']:,.0f}",
        (0.80 * rounds, 0.80 * finals["LinUCB"]),
        xytext=(-14, 0),
        textcoords="offset points",
        ha="right",
        va="bottom",
        color=COLORS["LinUCB"],
        weight="bold",
    )
    for name, height in (("CautiousLinUCB", 0.36), ("BOBNoRestart", 0.22)):
        axes.text(
            rounds,
            height * top,
            f"{name} {finals[name]:,.0f}",
            ha="right",
            color=COLORS[name],
            weight="bold",
        )
    axes.set(xlim=(0, rounds), ylim=(0, 1.02 * top), xticks=[], yticks=[])
    axes.set_xlabel(f"{rounds:,} rounds →", loc="right", size=TEXT)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.hijack_picture", description=__doc__)
    parser.add_argument("path", type=Path, help="SVG file to write")
    draw(attacked_games(), parser.parse_args(arguments).path)


if __name__ == "__main__":
    main()
