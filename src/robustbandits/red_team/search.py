"""AdaptiveSearch: find the attack that harms a given policy most, and measure it on fresh seeds."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from robustbandits.experiments.labels import check_seeds
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.store import Store
from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS, SEEDS
from robustbandits.game.facts import start_policy
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import NATURE, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.object_policy import PolicyLike
from robustbandits.game.rounds import Environment
from robustbandits.metrics.audit import spent
from robustbandits.metrics.damage import paired_differences
from robustbandits.metrics.groups import final_regrets
from robustbandits.metrics.intervals import Estimate, estimate_mean
from robustbandits.red_team._attack_space import ATTACKS, SCHEDULES, AttackSpace, short_label
from robustbandits.red_team._labels import NO_ATTACK
from robustbandits.red_team._target import as_environment, as_target

#: Games of a search, unless their number is given.
GAMES = 600
#: With how many seeds each remaining attack has been played after each step of a halving.
SEED_COUNTS = (2, 4, 8, 16)
#: A halving ends with this many attacks.
FINALISTS = 2


@dataclass(frozen=True)
class SearchResult:
    """The worst attack that a search found, measured on seeds that the search did not use.

    Attributes
    ----------
    target
        Label of the policy.
    attack, label
        The attack: a recipe, and its name with the parameters that differ from their defaults.
    regret, clean_regret, excess_regret
        Mean final regret under the attack, without it, and the difference, with 95 % intervals.
    spent
        Mean of what the attack spent.
    seeds, search_seeds
        The fresh seeds, which these numbers come from, and those by which the attack was chosen.
    tried, games
        Number of attacks and of games that the search played.
    """

    target: str
    attack: Any
    label: str
    regret: Estimate
    clean_regret: Estimate
    excess_regret: Estimate
    spent: float
    seeds: tuple[int, ...]
    search_seeds: tuple[int, ...]
    tried: int
    games: int

    def __str__(self) -> str:
        low, high = self.regret.low, self.regret.high
        return (
            f"The worst of {self.tried} attacks on {self.target} with a budget of "
            f"{self.attack.budget:g}: {self.label}. Mean regret {self.regret.value:,.0f} "
            f"({low:,.0f} to {high:,.0f}) on {len(self.seeds)} fresh seeds, "
            f"{self.clean_regret.value:,.0f} without attack."
        )


@dataclass(frozen=True, eq=False)
class AdaptiveSearch:
    """Search attacks, their parameters and schedules for the worst case against a policy.

    Attacks are drawn at random and played with two seeds; the half that does more harm is played
    with four, and so on (successive halving). The rest of the games is used in the same way for
    attacks that differ from the two most harmful ones in one parameter or in the schedule, and for
    as many others. The winner was chosen because it did well on the seeds of the search, so
    :meth:`run` measures it again on other seeds, and reports only those numbers. Equal arguments
    give equal results.

    Parameters
    ----------
    target
        The policy, as for :func:`~robustbandits.red_team.redteam.redteam`.
    budget
        What the attacks may spend.
    environment
        Where it plays: a recipe or its text. By default a simulated catalogue of 20 arms.
    attacks
        The attacks to vary: names or recipes, or ``"full"``, ``"blackbox"`` or ``"context"``.
        Parameters that are given are not varied. Each attack is compiled once for each schedule,
        which takes a few seconds.
    schedules
        Names of attacks around another attack. Every attack is also tried without one.
    games
        Largest number of games of the search; the measurement plays two more for each seed.
    rounds
        Length of each game.
    seeds
        The fresh seeds of the measurement: their number, or a list. The search uses others, which
        follow the largest of them.
    store, workers, progress
        As for :func:`~robustbandits.experiments.runner.run`.

    Examples
    --------
    >>> import robustbandits as rb
    >>> search = rb.AdaptiveSearch("LinUCB", 30.0, attacks="Garcelon", schedules=[], games=16,
    ...                            rounds=1000, seeds=3)
    >>> result = search.run()
    >>> result.attack.name, result.regret.value > result.clean_regret.value
    ('Garcelon', True)
    """

    target: PolicyLike | str
    budget: float
    environment: Environment | str | None = None
    attacks: str | Sequence[Any] = ATTACKS
    schedules: Sequence[str] = SCHEDULES
    games: int = GAMES
    rounds: int = ROUNDS
    seeds: int | Sequence[int] = SEEDS
    store: Store | str | os.PathLike[str] | None = None
    workers: int | None = None
    progress: bool | None = None

    def run(self) -> SearchResult:
        """Search, and measure the worst attack on fresh seeds."""
        search = _Search(self)
        worst = search.find()
        label = short_label(worst)
        games = search.play({NO_ATTACK: NoAttack(), label: worst}, search.fresh_seeds)
        clean = [ledger for ledger in games if ledger.attack == NO_ATTACK]
        attacked = [ledger for ledger in games if ledger.attack != NO_ATTACK]
        return SearchResult(
            target=search.label,
            attack=worst,
            label=label,
            regret=estimate_mean(final_regrets(attacked)),
            clean_regret=estimate_mean(final_regrets(clean)),
            excess_regret=estimate_mean(paired_differences(attacked, clean)),
            spent=float(np.mean(spent.by_seed(attacked))),
            seeds=search.fresh_seeds,
            search_seeds=search.seeds_used,
            tried=len(search.regrets),
            games=search.games_played,
        )

    def find(self) -> Any:
        """Return the worst attack that the search finds, without measuring it."""
        return _Search(self).find()


class _Search:
    """A search under way: the regrets of the attacks that were played."""

    def __init__(self, settings: AdaptiveSearch):
        self.settings = settings
        self.label, self.policy = as_target(settings.target)
        self.environment = as_environment(settings.environment)
        self.rounds = require.count("rounds", settings.rounds)
        self.limit = require.count("games", settings.games)
        self.fresh_seeds = check_seeds(settings.seeds)
        first = max(self.fresh_seeds) + 1
        self.seeds = check_seeds(range(first, first + SEED_COUNTS[-1]))
        self.problem = self.environment.start(self.rounds, stream(first, NATURE)).problem
        start_policy(self.policy, self.problem)  # raises if the target cannot play here
        budget = require.positive("budget", settings.budget)
        self.space = AttackSpace(settings.attacks, settings.schedules, budget, self.problem)
        self.rng = np.random.default_rng(first)
        self.regrets: dict[Any, list[float]] = {}  # of each attack, one for each seed

    def find(self) -> Any:
        """Return the attack with the largest mean regret on the seeds of the search."""
        seeds = max(1, min(SEED_COUNTS[-1], self.limit // 16))  # number for a comparison
        drawn = self.space.draw(_affordable(self.limit // 2), self.rng)
        worst = self._worst_first(self._halve(drawn), seeds)
        while (left := self.limit - self.games_played - FINALISTS * seeds) > 0:
            new = self._next_attacks(worst, _affordable(min(left, self.limit // 4)))
            if not new:
                break
            worst = self._worst_first([*worst, *self._halve(new)], seeds)[:FINALISTS]
        return worst[0]

    def _next_attacks(self, worst: Sequence[Any], count: int) -> list[Any]:
        """Return attacks to play next: half are neighbours of the worst, the others are drawn."""
        near = list(itertools.chain.from_iterable(map(self.space.neighbours, worst)))
        new = [near[k] for k in self.rng.permutation(len(near)) if near[k] not in self.regrets]
        drawn = self.space.draw(self.space.size, self.rng)
        others = [attack for attack in drawn if attack not in self.regrets]
        half = new[: (count + 1) // 2]
        return list(dict.fromkeys([*half, *others]))[:count]

    def _halve(self, attacks: list[Any]) -> list[Any]:
        """Drop the less harmful half and play the rest with more seeds, again and again."""
        for count in SEED_COUNTS:
            if len(attacks) <= FINALISTS:
                break
            attacks = self._worst_first(attacks, count)[: _survivors(len(attacks))]
        return attacks[:FINALISTS]

    def _worst_first(self, attacks: Sequence[Any], count: int) -> list[Any]:
        """Play what is missing with the first ``count`` seeds, and order the attacks by regret."""
        groups: dict[int, list[Any]] = {}
        for attack in attacks:
            groups.setdefault(len(self.regrets.setdefault(attack, [])), []).append(attack)
        for played, group in groups.items():
            if played < count:
                labels = {short_label(attack): attack for attack in group}
                games = self.play(labels, self.seeds[played:count])
                for ledger in sorted(games, key=lambda ledger: ledger.seed):
                    self.regrets[labels[ledger.attack]].append(ledger.final_regret)
        return sorted(attacks, key=lambda attack: -float(np.mean(self.regrets[attack][:count])))

    def play(self, attacks: dict[str, Any], seeds: Iterable[int]) -> list[Ledger]:
        """Play attacks against the target."""
        spec = Spec(
            name=f"adaptive search against {self.label}",
            environments=[self.environment],
            attacks=attacks,
            policies={self.label: self.policy},
            rounds=self.rounds,
            seeds=list(seeds),
        )
        options = {"workers": self.settings.workers, "progress": self.settings.progress}
        return run(spec, self.settings.store, **options).ledgers()  # type: ignore[arg-type]

    @property
    def games_played(self) -> int:
        """Number of games of the search so far."""
        return sum(map(len, self.regrets.values()))

    @cached_property
    def seeds_used(self) -> tuple[int, ...]:
        """The seeds of the search that were played."""
        return self.seeds[: max(map(len, self.regrets.values()))]


def _survivors(count: int) -> int:
    return max(FINALISTS, (count + 1) // 2)


def _affordable(games: int) -> int:
    """Return how many attacks can be halved with this many games; at least one."""
    attacks = 1
    while _cost(attacks + 1) <= games:
        attacks += 1
    return attacks


def _cost(attacks: int) -> int:
    """Return the number of games of a halving."""
    games = before = 0
    for count in SEED_COUNTS:
        if attacks <= FINALISTS:
            break
        games += attacks * (count - before)
        attacks, before = _survivors(attacks), count
    return max(games, attacks)
