"""The games of an experiment in groups, and the games that reports compare them with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from robustbandits.game.no_attack import NoAttack
from robustbandits.game.recipe import Recipe
from robustbandits.metrics import random_gap
from robustbandits.metrics.groups import Group, Labels
from robustbandits.reports.panels import BudgetSweep, find_panels, find_sweeps

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment

#: Uniform play is averaged over this many seeds and rounds: precise to two digits, in milliseconds.
GAP_SEEDS = 10
GAP_ROUNDS = 200


class GroupedGames:
    """The games of an experiment by panel, by group and by sweep, with their baselines.

    Parameters
    ----------
    experiment
        A spec and its ledgers; it may be unfinished.
    gaps
        Regret per round of uniform play in each environment. By default it is measured in every
        environment that needs no data.
    """

    def __init__(self, experiment: Experiment, gaps: Mapping[str, float] | None = None):
        self.spec = experiment.spec
        self.panels = find_panels(experiment.spec, experiment.ledgers)
        self.groups: dict[Labels, Group] = {
            Labels(panel.environment, panel.attack, policy): group
            for panel in self.panels
            for policy, group in panel.groups.items()
        }
        self._gaps = gaps

    @cached_property
    def sweeps(self) -> list[BudgetSweep]:
        """Attacks that were played with several budgets."""
        return find_sweeps(self.spec, self.panels)

    @cached_property
    def clean_attack(self) -> str | None:
        """Label of NoAttack, or else of an attack with budget 0; None if there is neither."""
        attacks = self.spec.attacks
        no_attacks = [label for label, attack in attacks.items() if isinstance(attack, NoAttack)]
        # A third-party attack may use the word "budget" for something else, and the purse of the
        # authors' code may be overdrawn.
        zero_budgets = [
            label
            for label, attack in attacks.items()
            if isinstance(attack, Recipe) and attack.budget == 0.0 and attack.purse != "reference"
        ]
        return next(iter([*no_attacks, *zero_budgets]), None)

    @cached_property
    def reference_policy(self) -> str | None:
        """Label of the policy that others are compared with: the first LinUCB."""
        policies = self.spec.policies.items()
        return next((label for label, policy in policies if policy.name == "LinUCB"), None)

    @cached_property
    def gaps(self) -> dict[str, float]:
        """Regret per round of uniform play, for the environments where it is known."""
        if self._gaps is not None:
            return dict(self._gaps)
        rounds, seeds = self.spec.rounds, self.spec.seeds[:GAP_SEEDS]
        return {
            label: float(
                np.mean([random_gap(environment, rounds, seed, GAP_ROUNDS) for seed in seeds])
            )
            for label, environment in self.spec.environments.items()
            if not _needs_data(environment)
        }

    def without_attack(self, labels: Labels) -> Group:
        """Return the same policy's games without attack; empty if there are none."""
        return self.groups.get(labels._replace(attack=self.clean_attack or ""), [])

    def clean(self) -> dict[Labels, Group]:
        """Return the groups without attack."""
        groups = self.groups.items()
        return {labels: group for labels, group in groups if labels.attack == self.clean_attack}

    def attacked(self) -> dict[Labels, Group]:
        """Return the groups that have an attack."""
        groups = self.groups.items()
        return {labels: group for labels, group in groups if labels.attack != self.clean_attack}

    def priced(self) -> dict[Labels, tuple[Group, Group]]:
        """Return the groups without attack, each with that of the reference policy."""
        pairs = {
            labels: (
                group,
                self.groups.get(labels._replace(policy=self.reference_policy or ""), []),
            )
            for labels, group in self.clean().items()
            if labels.policy != self.reference_policy
        }
        return {labels: pair for labels, pair in pairs.items() if pair[1]}


def count_matches(experiment: Experiment) -> tuple[int, int]:
    """Return how many matches of an experiment were played, and how many its spec has."""
    spec = experiment.spec
    played = {(ledger.environment, ledger.seed) for ledger in experiment.ledgers}
    return len(played), len(spec.environments) * len(spec.seeds)


def _needs_data(environment: object) -> bool:
    """Whether an environment would load a dataset, which a report must not do."""
    return not isinstance(environment, Recipe) or hasattr(type(environment), "fingerprint")
