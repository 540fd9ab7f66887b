"""Regret curves: one panel for each environment and attack, one line for each policy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.reports.intervals import half_width

# Okabe and Ito's colours, told apart by colour-blind readers too; the dashes help in print.
STYLES = (
    ("#D55E00", "-"),
    ("#CC79A7", "--"),
    ("#E69F00", ":"),
    ("#0072B2", "-"),
    ("#009E73", "-"),
    ("#56B4E9", "--"),
    ("#000000", "-."),
    ("#999999", "-"),
)


def draw_panels(
    rows: Sequence[tuple[str, Sequence[Ledger]]],
    paths: Sequence[str | os.PathLike[str]],
    *,
    title: str | None = None,
) -> None:
    """Draw one row of panels for each group of ledgers, and save it under each path.

    Lines are means over seeds, bands 95 % intervals. The suffix of a path sets its format; its
    folder must exist.
    """
    pyplot = _pyplot()
    attacks = _distinct([ledger.attack for _, ledgers in rows for ledger in ledgers])
    policies = _distinct([ledger.policy for _, ledgers in rows for ledger in ledgers])
    styles = {policy: STYLES[i % len(STYLES)] for i, policy in enumerate(policies)}
    settings = {"svg.hashsalt": "robustbandits", "font.size": 9, "axes.grid": True}
    with pyplot.rc_context({**settings, "grid.alpha": 0.25, "savefig.dpi": 150}):
        figure, axes = pyplot.subplots(
            len(rows),
            len(attacks),
            figsize=(3.4 * len(attacks), 2.7 * len(rows) + 0.6),
            squeeze=False,
            layout="constrained",
        )
        for line, (name, ledgers) in zip(axes, rows, strict=True):
            for panel, attack in zip(line, attacks, strict=True):
                _draw_panel(panel, [one for one in ledgers if one.attack == attack], styles)
                panel.set_title(f"{name}: {attack}")
            line[0].set_ylabel("cumulative regret")
        for panel in axes[-1]:
            panel.set_xlabel("round")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
        if title:
            figure.suptitle(title)
        for path in paths:
            metadata = {"Date": None} if Path(path).suffix == ".svg" else None
            figure.savefig(path, metadata=metadata)
        pyplot.close(figure)


def _draw_panel(panel: Any, ledgers: Sequence[Ledger], styles: dict[str, tuple[str, str]]) -> None:
    for policy in _distinct([ledger.policy for ledger in ledgers]):
        group = [ledger for ledger in ledgers if ledger.policy == policy]
        curves = np.array([ledger.regret for ledger in group])
        rounds, mean, half = group[0].rounds, curves.mean(axis=0), half_width(curves)
        color, dash = styles[policy]
        panel.plot(rounds, mean, color=color, linestyle=dash, linewidth=1.5, label=policy)
        if len(group) > 1:
            panel.fill_between(rounds, mean - half, mean + half, color=color, alpha=0.15, lw=0)
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    panel.ticklabel_format(style="sci", scilimits=(-3, 4), axis="both", useMathText=True)


def _distinct(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'robustbandits[plot]'") from None
    matplotlib.use("agg", force=False)
    from matplotlib import pyplot

    return pyplot
