"""redteam: play attacks against a policy, and find the budget that hijacks it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, Literal

from robustbandits._cores import available_cores
from robustbandits.attacks.random_control import RandomControl
from robustbandits.experiments.labels import check_seeds
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.load import Experiment
from robustbandits.experiments.store.store import Store
from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS, SEEDS
from robustbandits.game.facts import start_policy
from robustbandits.game.match import NATURE, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.object_policy import PolicyLike
from robustbandits.game.rounds import Environment
from robustbandits.metrics.regret import random_gap
from robustbandits.policies.linear.cautious_linucb import CautiousLinUCB
from robustbandits.policies.linear.linucb import LinUCB
from robustbandits.policies.linear.robust_linucb import RobustLinUCB
from robustbandits.red_team._attack_space import short_label
from robustbandits.red_team._hijack import hijacked, is_hijack, search_budget
from robustbandits.red_team._labels import NO_ATTACK, attack_label
from robustbandits.red_team._suite import BUDGETS, choose_attacks, playable, with_budget
from robustbandits.red_team._target import as_environment, as_target, is_object
from robustbandits.red_team._time_budget import (
    MINUTES_OF_OBJECTS,
    MOST_MINUTES_OF_OBJECTS,
    Size,
    fit,
    seconds_per_round,
)
from robustbandits.red_team.report import Confirmation, RedTeamReport
from robustbandits.red_team.search import AdaptiveSearch

#: The tolerance of CautiousLinUCB for each unit of budget.
TOLERANCE = 4.0
#: Games for each seed of the search for the budget, the control, the confirmation and the replays:
#: an estimate, to fit the games into the time.
EXTRA_GAMES = 16
#: Games of the adaptive search for each budget, if the attacks are ``"search"``.
SEARCH_GAMES = 400


def redteam(
    target: PolicyLike | str,
    environment: Environment | str | None = None,
    *,
    attacks: str | Sequence[Any] = "quick",
    budgets: Sequence[float] | None = None,
    rounds: int = ROUNDS,
    seeds: int | Sequence[int] = SEEDS,
    minutes: float | None = None,
    yardsticks: Sequence[PolicyLike | str] | None = None,
    store: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> RedTeamReport:
    """Point attacks at a policy, and report the budget that hijacks it.

    Every attack is played with every budget. Then the smallest budget that hijacks the target is
    searched by bisection on a log scale, with the same seeds. The worst attack is compared with
    random changes of the same budget, and played again with fresh seeds. A policy is hijacked if in
    at least 80 % of its games the attack costs, over the last tenth of the rounds, at least half of
    what playing at random would.

    Parameters
    ----------
    target
        The policy: a recipe, any object with ``choose(contexts) -> arm`` and ``learn(contexts, arm,
        reward)``, a class or function that returns one, or text: ``"CautiousLinUCB(300)"``,
        ``"mabwiser:LinUCB(alpha=1.0)"``, or ``"module:object"``, which is imported.
    environment
        Where it plays: a recipe or its text. By default a simulated catalogue of 20 arms.
    attacks
        ``"quick"``, ``"full"`` (all but those around another attack), ``"blackbox"`` (those that
        know no more than the arms, contexts and rewards of the game), ``"context"`` (those that
        change contexts), ``"search"`` (``quick``, and for each budget the worst attack that
        :class:`~robustbandits.red_team.search.AdaptiveSearch` finds with other seeds), names
        separated by commas, or a list of names and recipes.
    budgets
        What attackers may spend; 10, 30, 100 and 300 by default.
    rounds, seeds
        Length of each game; number of seeds, or a list of them.
    minutes
        Time for the target's games. Rounds, then seeds, are reduced to fit. By default Python
        objects have 5 minutes (up to 30 if even 1,000 rounds of 3 seeds take longer), and compiled
        policies as long as they need.
    yardsticks
        Policies to play beside the target. By default LinUCB, CautiousLinUCB and RobustLinUCB.
    store
        A folder for finished matches: an interrupted red team continues there.
    workers, progress
        As for :func:`~robustbandits.experiments.runner.run`.

    Examples
    --------
    >>> import robustbandits as rb
    >>> report = rb.redteam("LinUCB", attacks="Garcelon", budgets=[100], rounds=2000, seeds=2)
    >>> report.worst_attack
    'Garcelon'
    """
    catalogue = as_environment(environment)
    grid = _check_budgets(BUDGETS if budgets is None else budgets)
    label, policy = as_target(target)
    size = Size(require.count("rounds", rounds), check_seeds(seeds))
    problem = catalogue.start(size.rounds, stream(size.seeds[0], NATURE)).problem
    start_policy(policy, problem)  # raises if the target cannot play here
    search = attacks == "search"
    suite = choose_attacks("quick" if search else attacks, allow_import=True)
    chosen = playable(suite, problem)
    if yardsticks is None:
        yardsticks = _yardsticks(grid[len(grid) // 2])
    others = dict(as_target(other) for other in yardsticks)
    if others.get(label) == policy:
        del others[label]
    elif label in others:  # another policy of the same name
        others[f"{label} (yardstick)"] = others.pop(label)
    team = _RedTeam(catalogue, label, policy, chosen, grid, others)
    team.options = {"workers": workers, "progress": progress}
    team.store = None if store is None else Store(store)
    team.extra_games = EXTRA_GAMES + (SEARCH_GAMES * len(grid) // len(size.seeds) if search else 0)
    team.size = _fit(team, size, minutes)
    if search:
        team.search()
    return team.play(asked=size)


class _RedTeam:
    """What is played, and how."""

    size: Size
    extra_games: int  # for each seed, besides those of the grid
    store: Store | None
    options: dict[str, Any]

    def __init__(
        self,
        environment: Environment,
        target: str,
        policy: Any,
        attacks: dict[str, Any],
        budgets: tuple[float, ...],
        others: dict[str, Any],
    ):
        self.environment, self.target, self.policy = environment, target, policy
        self.attacks, self.budgets = attacks, budgets
        self.policies = {target: policy, **others}
        self.name = f"red team of {target}"
        self.about = "Every attack with every budget"

    def spec(
        self, about: str, attacks: dict[str, Any], policies: dict[str, Any], seeds: Any
    ) -> Spec:
        """Return the spec of these attacks and policies."""
        return Spec(
            name=self.name,
            about=about,
            environments=[self.environment],
            attacks=attacks,
            policies=policies,
            rounds=self.size.rounds,
            seeds=seeds,
            unsupported="skip",
        )

    def run(self, spec: Spec) -> Experiment:
        """Play what the store lacks."""
        return run(spec, self.store, **self.options).experiment()

    def play(self, asked: Size) -> RedTeamReport:
        """Play the grid, search the smallest budget, and confirm it with fresh seeds."""
        grid = {
            attack_label(name, budget): with_budget(attack, budget)
            for name, attack in self.attacks.items()
            for budget in self.budgets
        }
        attacks = {NO_ATTACK: NoAttack(), **grid}
        spec = self.spec(self.about, attacks, self.policies, self.size.seeds)
        report = RedTeamReport(
            target=self.target,
            attacks=tuple(self.attacks),
            budgets=self.budgets,
            experiment=self.run(spec),
            gaps={
                seed: random_gap(self.environment, self.size.rounds, seed)
                for seed in self.size.seeds
            },
            asked_rounds=asked.rounds,
            asked_seeds=len(asked.seeds),
        )
        clean = report.games(NO_ATTACK, self.target)

        def hijacks(attack: str, budget: float) -> bool:
            games = self._attacked(attack, budget, self.size.seeds)
            return is_hijack(hijacked(games, clean, report.gaps))

        on_grid = {
            attack: {budget: report.is_hijacked(attack, budget) for budget in self.budgets}
            for attack in self.attacks
        }
        report.budget_to_hijack, report.hijacking_attack = search_budget(on_grid, hijacks)
        if report.hijacking_attack is not None:
            games = self._attacked(
                report.hijacking_attack, report.budget_to_hijack, self.size.seeds
            )
            report.hijacking_games = games
        report.control_games = self._control(report)
        report.confirmation = self._confirm(report)
        return report

    def search(self) -> None:
        """Add the worst attack that a search finds for each budget, with seeds of its own."""
        if self.store is not None:  # so that after an interruption the size is in the store
            clean = {NO_ATTACK: NoAttack()}
            target = {self.target: self.policy}
            self.run(self.spec(self.about, clean, target, self.size.seeds))
        first = max(self.size.seeds) + 1
        # The seeds of the grid and of the confirmation, which the search must not use.
        used = (*self.size.seeds, *range(first, first + len(self.size.seeds)))
        for budget in self.budgets:
            worst = AdaptiveSearch(
                self.policy,
                budget,
                self.environment,
                games=SEARCH_GAMES,
                rounds=self.size.rounds,
                seeds=used,
                store=self.store,
                **self.options,
            ).find()
            self.attacks.setdefault(short_label(worst), worst)

    def _attacked(self, attack: str, budget: float, seeds: Sequence[int]) -> Any:
        """Return the target's games under an attack."""
        attacks = {attack_label(attack, budget): with_budget(self.attacks[attack], budget)}
        spec = self.spec(
            "Search of the smallest budget", attacks, {self.target: self.policy}, seeds
        )
        return self.run(spec).ledgers

    def _control(self, report: RedTeamReport) -> Any:
        """Play random changes of what the worst attack changes, with the same budget."""
        contexts = any(ledger.spent_on_contexts > 0.0 for ledger in report.worst_games)
        surface: Literal["rewards", "contexts"] = "contexts" if contexts else "rewards"
        control = RandomControl(report.worst_budget, surface=surface)
        spec = self.spec(
            "Control", {control.label: control}, {self.target: self.policy}, self.size.seeds
        )
        return self.run(spec).ledgers

    def _confirm(self, report: RedTeamReport) -> Confirmation:
        """Play the worst attack with fresh seeds, because it was chosen for its success."""
        attack, budget = report.worst_attack, report.worst_budget
        first = max(self.size.seeds) + 1
        seeds = tuple(range(first, first + len(self.size.seeds)))
        attacks = {
            NO_ATTACK: NoAttack(),
            attack_label(attack, budget): with_budget(self.attacks[attack], budget),
        }
        spec = self.spec(
            "The worst attack, fresh seeds", attacks, {self.target: self.policy}, seeds
        )
        games = self.run(spec).ledgers
        clean = [ledger for ledger in games if ledger.attack == NO_ATTACK]
        attacked = [ledger for ledger in games if ledger.attack != NO_ATTACK]
        gaps = {seed: random_gap(self.environment, self.size.rounds, seed) for seed in seeds}
        found = hijacked(attacked, clean, gaps)
        return Confirmation(
            len(found),
            int(found.sum()),
            float(sum(ledger.final_regret for ledger in attacked)) / len(attacked),
        )


def _yardsticks(budget: float) -> list[Any]:
    return [LinUCB(), CautiousLinUCB(tolerance=TOLERANCE * budget), RobustLinUCB(budget=budget)]


def _check_budgets(budgets: Sequence[float]) -> tuple[float, ...]:
    values = tuple(sorted({require.positive("budgets", budget) for budget in budgets}))
    if not values:
        raise ValueError("budgets must be at least one number > 0, got none")
    return values


def _fit(team: _RedTeam, size: Size, minutes: float | None) -> Size:
    """Return how much the target can play in its time, and write into the team what was asked for.

    An interrupted red team continues with the size that it began with, which is in its store.
    """
    slow = is_object(team.policy)
    limit = (MINUTES_OF_OBJECTS if slow else math.inf) if minutes is None else minutes
    if limit == math.inf:
        return size
    limit = require.positive("minutes", limit)
    asked = f"{size.rounds} rounds, seeds {', '.join(map(str, size.seeds))}, {limit:g} minutes"
    team.about = f"{team.about}; asked for: {asked}"
    begun = team.store.experiments() if team.store is not None and team.store.exists else []
    for experiment in begun:
        if (experiment.spec.name, experiment.spec.about) == (team.name, team.about):
            return Size(experiment.spec.rounds, experiment.spec.seeds)
    workers = 1 if slow else available_cores()
    seconds = seconds_per_round(team.policy, team.environment, size.rounds) / workers
    games = 1 + len(team.attacks) * len(team.budgets) + team.extra_games
    most = MOST_MINUTES_OF_OBJECTS if minutes is None else limit
    return fit(size, minutes=limit, games=games, seconds=seconds, most=most)
