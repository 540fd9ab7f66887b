"""RedTeamReport: what a red team found about a policy."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustbandits.experiments.store.load import Experiment
from robustbandits.game.ledger import Ledger, frame
from robustbandits.game.match import NATURE, stream
from robustbandits.game.problem import Problem
from robustbandits.limits import price_of_tolerance
from robustbandits.metrics.damage import WorstCase, worst_case
from robustbandits.metrics.groups import Group, Labels, final_regrets, group_by_labels
from robustbandits.metrics.intervals import Estimate, estimate_mean
from robustbandits.red_team import _text
from robustbandits.red_team._advice import advice
from robustbandits.red_team._columns import columns_of_games
from robustbandits.red_team._details import (
    Details,
    Knowledge,
    by_knowledge,
    measure,
    shadow_regret,
)
from robustbandits.red_team._hijack import hijacked, is_hijack
from robustbandits.red_team._json import finite
from robustbandits.red_team._labels import NO_ATTACK, attack_label
from robustbandits.red_team._stealth import Stealth, measure_stealth
from robustbandits.red_team._suite import with_budget

if TYPE_CHECKING:
    import pandas

#: The limit is the mean over this many catalogues; each takes about a second.
LIMIT_SEEDS = 3


class Confirmation(NamedTuple):
    """The worst attack, played again with fresh seeds."""

    games: int
    hijacked: int
    regret: float  # mean


@dataclass
class RedTeamReport:
    """What a red team found.

    Attributes
    ----------
    target
        Label of the policy.
    budget_to_hijack
        The smallest budget found that hijacks it; infinite if none of the budgets does.
    attacks, budgets
        What was played.
    experiment
        Spec and ledgers of the grid: every attack with every budget, target and yardsticks.
    gaps
        Regret per round of uniform play, by seed.
    asked_rounds, asked_seeds
        The rounds and the number of seeds that were asked for; fewer are played if time is short.
    hijacking_attack, hijacking_games
        The attack that needs the budget to hijack, and the target's games under it.
    control_games
        The target's games under random changes, with the budget of the worst attack.
    confirmation
        The worst attack with fresh seeds.
    """

    target: str
    attacks: tuple[str, ...]
    budgets: tuple[float, ...]
    experiment: Experiment
    gaps: dict[int, float]
    asked_rounds: int
    asked_seeds: int
    budget_to_hijack: float = math.inf
    hijacking_attack: str | None = None
    hijacking_games: Sequence[Ledger] = ()
    control_games: Sequence[Ledger] = ()
    confirmation: Confirmation | None = None
    _groups: dict[Labels, Group] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._groups = group_by_labels(self.experiment.ledgers)

    @property
    def environment(self) -> str:
        """Label of the environment."""
        return next(iter(self.experiment.spec.environments))

    @property
    def rounds(self) -> int:
        """Length of each game."""
        return self.experiment.spec.rounds

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds."""
        return self.experiment.spec.seeds

    @property
    def policies(self) -> list[str]:
        """Labels of the target and the yardsticks that could play."""
        return list(dict.fromkeys(labels.policy for labels in self._groups))

    @property
    def policy(self) -> Any:
        """The policy under attack."""
        return self.experiment.spec.policies[self.target]

    @cached_property
    def problem(self) -> Problem:
        """What the target is told in advance."""
        environment = self.experiment.spec.environments[self.environment]
        problem: Problem = environment.start(self.rounds, stream(self.seeds[0], NATURE)).problem
        return problem

    def recipe(self, attack: str) -> Any:
        """Return an attack of the grid, with the largest budget."""
        return self.experiment.spec.attacks[attack_label(attack, self.budgets[-1])]

    def games(self, attack: str, policy: str) -> Group:
        """Return the ledgers of a policy under an attack of the grid, by its label with budget."""
        return self._groups[Labels(self.environment, attack, policy)]

    def is_hijacked(self, attack: str, budget: float, policy: str | None = None) -> bool:
        """Whether an attack of the grid hijacks a policy, by default the target."""
        policy = policy or self.target
        games = self.games(attack_label(attack, budget), policy)
        return is_hijack(hijacked(games, self.games(NO_ATTACK, policy), self.gaps))

    def smallest_hijack(self, policy: str, attacks: Sequence[str] | None = None) -> float:
        """Return the smallest budget of the grid with which an attack hijacks; or infinity."""
        names = self.attacks if attacks is None else attacks
        found = [b for b in self.budgets if any(self.is_hijacked(a, b, policy) for a in names)]
        return min(found, default=math.inf)

    @property
    def worst_case(self) -> WorstCase:
        """The attack of the grid with the largest mean regret of the target, and that regret."""
        labels = [attack_label(name, budget) for name in self.attacks for budget in self.budgets]
        return worst_case({label: self.games(label, self.target) for label in labels})

    @property
    def worst_attack(self) -> str:
        """The attack that hijacks with the smallest budget; if none does, the most harmful one."""
        return self.hijacking_attack or self._most_harmful[0]

    @property
    def worst_budget(self) -> float:
        """The budget of the worst attack."""
        return self.budget_to_hijack if self.hijacking_attack else self._most_harmful[1]

    @property
    def worst_recipe(self) -> Any:
        """The worst attack, with its budget."""
        return with_budget(self.recipe(self.worst_attack), self.worst_budget)

    @property
    def worst_games(self) -> Sequence[Ledger]:
        """The target's games under the worst attack."""
        label = attack_label(self.worst_attack, self.worst_budget)
        return list(self.hijacking_games) or self.games(label, self.target)

    @property
    def clean_games(self) -> Group:
        """The target's games without attack."""
        return self.games(NO_ATTACK, self.target)

    @cached_property
    def _most_harmful(self) -> tuple[str, float]:
        worst = self.worst_case.attack
        pairs = ((name, budget) for name in self.attacks for budget in self.budgets)
        return next(pair for pair in pairs if attack_label(*pair) == worst)

    @cached_property
    def matrix(self) -> dict[str, dict[str, Estimate]]:
        """Mean final regret by attack and policy, with the largest budget; NoAttack comes first."""
        rows = {NO_ATTACK: NO_ATTACK}
        rows |= {name: attack_label(name, self.budgets[-1]) for name in self.attacks}
        return {
            name: {
                policy: estimate_mean(final_regrets(self.games(label, policy)))
                for policy in self.policies
            }
            for name, label in rows.items()
        }

    @cached_property
    def details(self) -> Details:
        """What the worst attack does to the target."""
        return measure(self)

    @cached_property
    def stealth(self) -> Stealth:
        """What a defender could notice of the worst attack; some of its games are played again."""
        return measure_stealth(self)

    @cached_property
    def by_knowledge(self) -> dict[str, Knowledge]:
        """The worst attack with the largest budget, among black-box attacks and among the others.

        The keys are ``"black-box"``, for attacks that know at most what the game shows, and
        ``"omniscient"``, for those that know more; a key without attacks is left out.
        """
        return by_knowledge(self)

    @cached_property
    def shadow_regret(self) -> float:
        """Mean regret under the worst attack with estimates of what an outsider cannot see.

        The games of :class:`~robustbandits.attacks.Shadow` are played with the same budget and
        seeds. NaN if the attack knows no more than an outsider, or plans with the mean rewards
        before the game.
        """
        return shadow_regret(self)

    @property
    def advice(self) -> str:
        """What would help, according to the policies that were played beside the target."""
        return advice(self)

    def catalogue(self, seed: int) -> tuple[Any, Any]:
        """Return contexts (arms, dim) and means; (None, None) if arms are not fixed."""
        environment = self.experiment.spec.environments[self.environment]
        nature = environment.start(self.rounds, stream(seed, NATURE))
        if not nature.problem.fixed_arms or nature.problem.infinite:
            return None, None
        block = nature.draw(1)
        return block.contexts[0].T, block.means[0]

    @cached_property
    def limit(self) -> float:
        """What any policy must pay without attack for each unit of budget it withstands.

        The mean of :func:`~robustbandits.limits.price_of_tolerance` over a few catalogues; NaN if
        arms are not fixed.
        """
        catalogues = [self.catalogue(seed) for seed in self.seeds[:LIMIT_SEEDS]]
        if catalogues[0][0] is None:
            return math.nan
        return float(np.mean([price_of_tolerance(*found, budget=1.0) for found in catalogues]))

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        return _text.verdict(self)

    def __str__(self) -> str:
        return _text.summary(self)

    def __repr__(self) -> str:
        return f"RedTeamReport({self.verdict})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; infinite and unknown numbers are None."""
        values = {
            "verdict": self.verdict,
            "target": self.target,
            "environment": self.environment,
            "rounds": self.rounds,
            "seeds": list(self.seeds),
            "budgets": list(self.budgets),
            "budget_to_hijack": self.budget_to_hijack,
            "worst_attack": self.worst_attack,
            "worst_budget": self.worst_budget,
            "worst_regret": self.worst_case.regret._asdict(),
            "details": self.details._asdict(),
            "stealth": self.stealth._asdict(),
            "by_knowledge": {level: row._asdict() for level, row in self.by_knowledge.items()},
            "shadow_regret": self.shadow_regret,
            "advice": self.advice,
            "confirmation": self.confirmation._asdict() if self.confirmation else None,
            "limit_per_unit": self.limit,
            "matrix": {
                attack: {policy: regret._asdict() for policy, regret in row.items()}
                for attack, row in self.matrix.items()
            },
        }
        return dict(finite(values))

    def to_pandas(self) -> pandas.DataFrame:
        """Return one row for each game of the grid."""
        return frame(columns_of_games(self))

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the page (``index.html``), figures, tables and ``report.json``; return the files.

        The page works offline. It needs the extra ``lab``.
        """
        from robustbandits.red_team._page import write_page

        return write_page(self, Path(folder))
