"""Panels (one environment, one attack, all policies) and sweeps of budgets of one attack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from robustbandits.experiments.recipe_json import canonical, recipe_to_plain
from robustbandits.experiments.spec import Spec
from robustbandits.game.ledger import Integers, Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.groups import Group, Labels, final_regrets, group_by_labels


class Panel(NamedTuple):
    """One environment, one attack, and the games of each policy."""

    environment: str
    attack: str
    groups: dict[str, Group]

    @property
    def finals(self) -> dict[str, Floats]:
        """Final regrets over seeds, by policy."""
        return {policy: final_regrets(group) for policy, group in self.groups.items()}


def find_panels(spec: Spec, ledgers: Sequence[Ledger]) -> list[Panel]:
    """Sort ledgers into panels, in the order of the spec; panels without games are left out."""
    groups = group_by_labels(ledgers)
    panels = []
    for environment in spec.environments:
        for attack in spec.attacks:
            found = {
                policy: groups[labels]
                for policy in spec.policies
                if (labels := Labels(environment, attack, policy)) in groups
            }
            if found:
                panels.append(Panel(environment, attack, found))
    return panels


class BudgetSweep(NamedTuple):
    """One environment, one kind of attack, and a panel for each budget, in ascending order."""

    environment: str
    attack: str
    panels: dict[float, Panel]

    @property
    def policies(self) -> list[str]:
        """Policies that were played with at least one budget."""
        return distinct(policy for panel in self.panels.values() for policy in panel.groups)


def find_sweeps(spec: Spec, panels: Sequence[Panel]) -> list[BudgetSweep]:
    """Return the attacks that were played with several budgets; no attack counts as budget 0."""
    families: dict[tuple[str, str], dict[float, Panel]] = {}
    clean: dict[str, Panel] = {}
    names: dict[str, str] = {}
    for panel in panels:
        values = recipe_to_plain(spec.attacks[panel.attack])
        kind, budget = values["name"], values.pop("budget", None)
        if kind == "NoAttack":
            clean[panel.environment] = panel
        elif isinstance(budget, int | float):
            family = canonical(values)
            names.setdefault(family, _without_budget(panel.attack, kind))
            families.setdefault((panel.environment, family), {})[float(budget)] = panel
    sweeps = []
    for (environment, family), by_budget in families.items():
        if len(by_budget) < 2:
            continue
        if environment in clean:
            by_budget.setdefault(0.0, clean[environment])
        ordered = {budget: by_budget[budget] for budget in sorted(by_budget)}
        sweeps.append(BudgetSweep(environment, names[family], ordered))
    return sweeps


def _without_budget(label: str, kind: str) -> str:
    """Return a label without its budget, or the class name if the label has no parameters.

    ``Garcelon(budget=10)`` becomes ``Garcelon``, and so does ``weak`` if its class is Garcelon.
    """
    head, bracket, inside = label.partition("(")
    if not bracket:
        return kind
    parts = inside.rstrip(")").split(", ")
    others = [part for part in parts if not part.startswith("budget=")]
    if len(others) == len(parts):
        return label
    return f"{head}({', '.join(others)})" if others else head


def thinned(rounds: Integers, points: int) -> Integers:
    """Return the indices of recorded rounds to draw: evenly spread, denser early for log axes."""
    size = len(rounds)
    if size <= points:
        return np.arange(size)
    early = points // 4
    even = np.linspace(0, size - 1, points - early)
    powers = np.geomspace(1, size, early) - 1
    return np.unique(np.concatenate([even, powers]).round().astype(np.int64))


def distinct(names: Iterable[str]) -> list[str]:
    """Return names without repetitions, in order of first appearance."""
    return list(dict.fromkeys(names))
