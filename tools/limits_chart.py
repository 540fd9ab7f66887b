"""The chart of docs/limits.md: what policies pay without attack, against what they withstand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from robustbandits.reports.styles import DASHES, Style, styles_of

INK, SHADE = "#22262B", "#E4E7EA"
MARKERS = "Ds^vP"  # one for each kind of dashes


class Point(NamedTuple):
    """A policy in the chart."""

    budget: float  # what it withstands
    price: float  # its regret without attack
    label: str = ""  # the value of its parameter


def draw(curves: Mapping[str, Sequence[Point]], unit_price: float, path: Path) -> None:
    """Draw a curve for each policy over its parameter, and the limit below them.

    A policy without parameter is a single point. Points that withstand nothing are left out.
    """
    import matplotlib
    from matplotlib.figure import Figure

    settings = {
        "font.size": 10,
        "text.color": INK,
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "limits",  # the same games give the same file
    }
    shown = {name: [point for point in curve if point.budget > 0] for name, curve in curves.items()}
    shown = {name: curve for name, curve in shown.items() if curve}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(9.6, 6.2), facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        points = [point for curve in shown.values() for point in curve]
        _set_axes(axes, points)
        _draw_limit(axes, unit_price)
        styles = styles_of(shown)
        for k, (name, curve) in enumerate(shown.items()):
            # Values stand to the left and to the right in turn, because curves may be near.
            _draw_curve(axes, name, curve, styles[name], left=k % 2 == 0)
        figure.legend(loc="outside right center", frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _set_axes(axes: Any, points: Sequence[Point]) -> None:
    from matplotlib.ticker import LogLocator

    budgets, prices = [p.budget for p in points], [p.price for p in points]
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(0.7 * min(budgets), 2.5 * max(budgets))
    axes.set_ylim(0.7 * min(prices), 1.6 * max(prices))
    axes.set_xlabel("budget withstood")
    axes.set_ylabel("regret without attack")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter("{x:,.0f}")
        axis.set_minor_formatter("")
    axes.grid(alpha=0.25)


def _draw_limit(axes: Any, unit_price: float) -> None:
    """Shade what no policy can reach: less regret than the least price of the budget."""
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    axes.fill_between([left, right], bottom, [unit_price * left, unit_price * right], color=SHADE)
    axes.plot([left, right], [unit_price * left, unit_price * right], color=INK, linewidth=2)
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.text(
        0.97, 0.04, "below the limit:\nno policy", ha="right", va="bottom", transform=axes.transAxes
    )


def _draw_curve(axes: Any, name: str, curve: Sequence[Point], style: Style, *, left: bool) -> None:
    axes.plot(
        [point.budget for point in curve],
        [point.price for point in curve],
        color=style.color,
        linestyle=style.linestyle if len(curve) > 1 else "none",
        linewidth=1.8,
        # Policies with the same colour have different dashes, or markers if there is no line.
        marker="o" if len(curve) > 1 else MARKERS[DASHES.index(style.dash)],
        markersize=5,
        label=name,
    )
    for point in curve:
        axes.annotate(
            point.label,
            (point.budget, point.price),
            xytext=(-4, 4) if left else (4, -4),
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom" if left else "top",
            size=8,
            color=style.color,
        )
