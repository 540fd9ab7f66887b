"""An experiment, sorted for its tables: groups of games, the clean attack, the reference policy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from robustbandits.game.no_attack import NoAttack
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import Environment
from robustbandits.metrics import random_gap
from robustbandits.metrics.groups import Group, Who, group_by_players

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec
    from robustbandits.experiments.store.load import Experiment

#: Seeds and rounds over which the gap is averaged: two digits, in milliseconds.
GAP_SEEDS = 10
GAP_ROUNDS = 200


class Study:
    """What the tables of an experiment have in common.

    Parameters
    ----------
    experiment
        A spec and its ledgers; it may be unfinished.
    gaps
        Regret per round of random play in each environment. By default measured, where that needs
        no data but the recipe.
    """

    def __init__(self, experiment: Experiment, gaps: Mapping[str, float] | None = None):
        self.spec = experiment.spec
        found = group_by_players(experiment.ledgers)
        self.groups: dict[Who, Group] = {
            who: found[who]
            for who in (
                Who(place, crook, player)
                for place in self.spec.environments
                for crook in self.spec.attacks
                for player in self.spec.policies
            )
            if who in found
        }
        self._gaps = gaps

    @cached_property
    def clean(self) -> str | None:
        """Label of the attack that never attacks; None if all of them do."""
        return clean_attack(self.spec)

    @cached_property
    def reference(self) -> str | None:
        """Label of the policy that others are compared with: the first LinUCB."""
        names = {label: one.name for label, one in self.spec.policies.items()}
        return next((label for label, name in names.items() if name == "LinUCB"), None)

    @cached_property
    def gaps(self) -> dict[str, float]:
        """Regret per round of random play, for the environments where it is known."""
        if self._gaps is not None:
            return dict(self._gaps)
        places = {label: place for label, place in self.spec.environments.items() if _free(place)}
        seeds = self.spec.seeds[:GAP_SEEDS]
        return {
            label: float(
                np.mean([random_gap(place, self.spec.rounds, seed, GAP_ROUNDS) for seed in seeds])
            )
            for label, place in places.items()
        }

    def without_attack(self, who: Who) -> Group:
        """Return the same policy's games without attack; empty if there are none."""
        return self.groups.get(who._replace(attack=self.clean or ""), [])

    def attacked(self) -> dict[Who, Group]:
        """Return the groups that have an attack."""
        return {who: group for who, group in self.groups.items() if who.attack != self.clean}


def clean_attack(spec: Spec) -> str | None:
    """Return the label of NoAttack, or else of an attack whose budget is 0: the same game."""
    idle = [label for label, one in spec.attacks.items() if isinstance(one, NoAttack)]
    # What is known only from a file may have a budget that it does not call so.
    broke = [
        label
        for label, one in spec.attacks.items()
        if isinstance(one, Recipe) and one.budget == 0.0 and one.purse != "reference"
    ]
    return next(iter([*idle, *broke]), None)


def _free(place: Environment) -> bool:
    """Whether an environment needs no data: a report must not load, or fetch, a dataset."""
    return isinstance(place, Recipe) and not hasattr(type(place), "fingerprint")
