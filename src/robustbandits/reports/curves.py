"""What the page's charts draw: a few hundred points for each curve, few digits each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustbandits.experiments.recipe_json import canonical, recipe_to_plain
from robustbandits.game.ledger import Integers, Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.reports.intervals import half_width

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec

#: Points of a curve at most, and of all curves of a page together.
MOST_POINTS = 240
FEWEST_POINTS = 40
ALL_POINTS = 60_000


#: Looks of the paper's policies, the same as in the figures.
LOOKS = {
    "LinUCB": 0,
    "LinTS": 1,
    "Greedy": 2,
    "RobustBandit": 3,
    "BOB-No-Restart": 4,
    "BOBNoRestart": 4,
    "RobustLinUCB": 5,
}


def policy_numbers(names: Iterable[str]) -> dict[str, int]:
    """Give each policy the number that sets its look; known policies have their own."""
    found: dict[str, int] = {}
    taken: set[int] = set()
    free = max(LOOKS.values()) + 1
    for name in dict.fromkeys(names):
        number = LOOKS.get(name)
        if number is None or number in taken:
            number, free = free, free + 1
        taken.add(number)
        found[name] = number
    return found


class Panel(NamedTuple):
    """One environment, one attack, the ledgers of each policy."""

    environment: str
    attack: str
    groups: dict[str, list[Ledger]]

    @property
    def finals(self) -> dict[str, Floats]:
        """Final regrets over seeds, by policy."""
        return {
            policy: np.array([ledger.final_regret for ledger in group])
            for policy, group in self.groups.items()
        }


def panels(spec: Spec, ledgers: Iterable[Ledger]) -> list[Panel]:
    """Sort ledgers into panels, in the spec's order; a panel that nobody played is left out."""
    found: dict[tuple[str, str], dict[str, list[Ledger]]] = {}
    for ledger in ledgers:
        panel = found.setdefault((ledger.environment, ledger.attack), {})
        panel.setdefault(ledger.policy, []).append(ledger)
    return [
        Panel(
            place,
            crook,
            {name: found[place, crook][name] for name in _kept(spec, found[place, crook])},
        )
        for place in spec.environments
        for crook in spec.attacks
        if (place, crook) in found
    ]


def _kept(spec: Spec, groups: Mapping[str, object]) -> list[str]:
    return [name for name in spec.policies if name in groups]


def points_each(curves: int) -> int:
    """Return how many points a curve may have when the page has this many curves."""
    return int(np.clip(ALL_POINTS // max(1, curves), FEWEST_POINTS, MOST_POINTS))


def thinned(rounds: Integers, points: int) -> Integers:
    """Return which recorded rounds to draw: evenly spread, denser at the start for log axes."""
    size = len(rounds)
    if size <= points:
        return np.arange(size)
    early = points // 4
    even = np.linspace(0, size - 1, points - early)
    powers = np.geomspace(1, size, early) - 1
    return np.unique(np.concatenate([even, powers]).round().astype(np.int64))


def panel_chart(
    panel: Panel, numbers: Mapping[str, int], points: int, published: Mapping[str, float]
) -> dict[str, Any]:
    """Return the chart of a panel: mean regret over seeds, half of the 95 % interval.

    ``published`` is what the paper gives for each policy, where it does.
    """
    rounds = next(iter(panel.groups.values()))[0].rounds
    chosen = thinned(rounds, points)
    curves = []
    for policy, group in panel.groups.items():
        values = np.array([ledger.regret[chosen] for ledger in group])
        ends = [ledger.last_attack for ledger in group if ledger.last_attack]
        end = float(np.mean(ends)) if ends else None
        curve = _curve(numbers[policy], values)
        curve |= {"end": end and _short(end), "published": published.get(policy)}
        curves.append(curve)
    return {"kind": "rounds", "x": rounds[chosen].tolist(), "curves": curves}


def _curve(number: int, values: Floats) -> dict[str, Any]:
    half = None if len(values) < 2 else [_short(v) for v in half_width(values)]
    return {"policy": number, "y": [_short(v) for v in values.mean(axis=0)], "half": half}


def _short(value: float) -> float | int:
    """Four digits: finer than a pixel."""
    short = float(f"{value:.4g}")
    return int(short) if short.is_integer() else short


class Sweep(NamedTuple):
    """One environment, one kind of attack, panels by growing budget."""

    environment: str
    attack: str
    panels: dict[float, Panel]


def sweeps(spec: Spec, found: Sequence[Panel]) -> list[Sweep]:
    """Return the attacks that were played with several budgets; no attack is budget 0."""
    families: dict[tuple[str, str], dict[float, Panel]] = {}
    idle: dict[str, Panel] = {}
    names: dict[str, str] = {}
    for panel in found:
        values = recipe_to_plain(spec.attacks[panel.attack])
        budget = budget_of(values)
        if values["name"] == "NoAttack":
            idle[panel.environment] = panel
        elif budget is not None:
            family = canonical(_without_budget(values))
            names.setdefault(family, _family_name(panel.attack, values["name"]))
            families.setdefault((panel.environment, family), {})[float(budget)] = panel
    listed = []
    for (place, family), by_budget in families.items():
        if len(by_budget) < 2:
            continue
        if place in idle:
            by_budget.setdefault(0.0, idle[place])
        ordered = {budget: by_budget[budget] for budget in sorted(by_budget)}
        listed.append(Sweep(place, names[family], ordered))
    return listed


def distinct(found: Sequence[Sweep]) -> list[Sweep]:
    """Return sweeps without those that repeat an earlier one of their environment.

    Of two arms, say, the best one, the top half and all but the worst are the same.
    """
    kept: dict[tuple[object, ...], Sweep] = {}
    for sweep in found:
        numbers = [
            (budget, policy, tuple(values))
            for budget, panel in sweep.panels.items()
            for policy, values in panel.finals.items()
        ]
        kept.setdefault((sweep.environment, *numbers), sweep)
    return list(kept.values())


def budget_of(values: Mapping[str, Any]) -> float | None:
    """Return an attack's budget, also that of an attack within a schedule; None if unlimited."""
    inner = [value for value in values.values() if isinstance(value, Mapping)]
    found = [values.get("budget"), *[budget_of(one) for one in inner]]
    return next((float(one) for one in found if isinstance(one, int | float)), None)


def _without_budget(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: _without_budget(value) for key, value in values.items() if key != "budget"}
    return values


def _family_name(label: str, kind: str) -> str:
    """Return ``Garcelon`` for ``Garcelon(budget=10)``: a sweep's label without its budget."""
    head, mark, inside = label.partition("(")
    kept = [part for part in inside.rstrip(")").split(", ") if not part.startswith("budget=")]
    if not mark or len(kept) == len(inside.rstrip(")").split(", ")):
        return kind if mark == "" else label
    return f"{head}({', '.join(kept)})" if kept else head


def sweep_chart(sweep: Sweep, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return the chart of a sweep: final regret at each budget."""
    budgets = list(sweep.panels)
    policies = dict.fromkeys(name for panel in sweep.panels.values() for name in panel.groups)
    curves = []
    for policy in policies:
        finals = [sweep.panels[budget].finals.get(policy) for budget in budgets]
        middle = [None if one is None else _short(one.mean()) for one in finals]
        halves = [
            0 if one is None or len(one) < 2 else _short(float(half_width(one))) for one in finals
        ]
        many = any(one is not None and len(one) > 1 for one in finals)
        curves.append({"policy": numbers[policy], "y": middle, "half": halves if many else None})
    return {"kind": "budget", "x": [_short(b) for b in budgets], "curves": curves}
