"""compare: every policy against every attack in every environment, over many seeds."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robustbandits.experiments.engine import Match, available_cores, play_matches, warm_up
from robustbandits.experiments.progress import watched
from robustbandits.game import require
from robustbandits.game.idle import NoAttack
from robustbandits.game.ledger import POINTS, Ledger, frame
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy
from robustbandits.reports.figures import draw_panels
from robustbandits.reports.summary import Summary, summarise

if TYPE_CHECKING:
    import pandas


EXAMPLES = {
    "environments": "rb.environments.Simulation()",
    "attacks": "rb.attacks.Garcelon(100.0)",
    "policies": "rb.policies.LinUCB()",
}


class Results:
    """The ledgers of all games, one for each environment, attack, policy and seed."""

    def __init__(self, ledgers: Sequence[Ledger]):
        self.ledgers = list(ledgers)

    def to_pandas(self) -> pandas.DataFrame:
        """Tidy rows: environment, attack, policy, seed, round, regret, reward, spent, ..."""
        tables = [ledger.rows() for ledger in self.ledgers]
        return frame({key: np.concatenate([table[key] for table in tables]) for key in tables[0]})

    def summary(self) -> Summary:
        """Return final regrets with 95 % intervals."""
        return summarise(self.ledgers)

    def plot(self, *paths: str | os.PathLike[str], title: str | None = None) -> None:
        """Draw regret curves, a row of panels for each environment; the suffix sets the format."""
        names = dict.fromkeys(ledger.environment for ledger in self.ledgers)
        rows = [(name, [one for one in self.ledgers if one.environment == name]) for name in names]
        draw_panels(rows, paths, title=title)

    def __len__(self) -> int:
        return len(self.ledgers)

    def __repr__(self) -> str:
        return f"Results({len(self.ledgers)} games)\n{self.summary()}"


def compare(
    *,
    environments: Sequence[Environment] | Mapping[str, Environment],
    policies: Sequence[Policy] | Mapping[str, Policy],
    attacks: Sequence[Attack] | Mapping[str, Attack] | None = None,
    rounds: int = 100_000,
    seeds: int | Sequence[int] = 10,
    workers: int | None = None,
    progress: bool | None = None,
    points: int = POINTS,
    title: str = "compare",
) -> Results:
    """Play every policy against every attack in every environment, over all seeds, on all cores.

    Games that share an environment and a seed meet the same rounds, so differences between
    policies are paired. The results are the same bits for any number of workers.

    Parameters
    ----------
    environments, policies, attacks
        Lists of recipes, or mappings from the name to show to the recipe. No attack by default.
    rounds
        Length of each game.
    seeds
        How many seeds (0, 1, 2, ...), or which ones.
    workers
        How many threads; all cores by default.
    progress
        Whether to show a progress bar; by default only on a terminal.
    points
        How many rounds of each game to record at most.
    title
        What the progress bar says.

    Examples
    --------
    >>> import robustbandits as rb
    >>> results = rb.compare(environments=[rb.environments.Simulation()],
    ...                      attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
    ...                      policies=[rb.policies.LinUCB()], rounds=1000, seeds=2)
    >>> len(results)
    4
    """
    rounds = require.count("rounds", rounds)
    points = require.count("points", points)
    workers = available_cores() if workers is None else require.count("workers", workers)
    numbers = _check_seeds(seeds)
    places = _named("environments", environments)
    crooks = _named("attacks", attacks if attacks is not None else [NoAttack()])
    players = _named("policies", policies)
    games = [(crook, player) for crook in crooks for player in players]
    pairs = [(crooks[crook], players[player]) for crook, player in games]
    plan = [(place, seed) for place in places for seed in numbers]
    matches = [Match(places[place], pairs, rounds, seed) for place, seed in plan]
    with watched(title, visible=progress) as watcher:
        watcher.compiling(len(places) * len(pairs))
        warm_up(matches, watcher.advance)
        watcher.playing(len(matches) * len(pairs) * rounds)
        played = play_matches(matches, workers=workers, points=points, on_block=watcher.advance)
    ledgers = [
        dataclasses.replace(ledger, environment=place, attack=crook, policy=player)
        for (place, _), group in zip(plan, played, strict=True)
        for (crook, player), ledger in zip(games, group, strict=True)
    ]
    return Results(ledgers)


def _check_seeds(seeds: int | Sequence[int]) -> list[int]:
    if isinstance(seeds, Sequence):
        numbers = [require.count("seeds", seed, low=0) for seed in seeds]
        if not numbers or len(set(numbers)) != len(numbers):
            raise ValueError(f"seeds must be different numbers, at least one; got {seeds!r}")
        return numbers
    return list(range(require.count("seeds", seeds)))


def _named(argument: str, recipes: Any) -> dict[str, Any]:
    """Return recipes by name; those that share a name are told apart by their parameters."""
    listed: Sequence[Any]
    if isinstance(recipes, Mapping):
        named, listed = dict(recipes), list(recipes.values())
    else:
        listed = recipes if isinstance(recipes, list | tuple) else [recipes]
    for one in listed:
        require.recipe(argument, one, EXAMPLES[argument])
    if not isinstance(recipes, Mapping):
        counts = Counter(recipe.name for recipe in listed)
        labels = [one.name if counts[one.name] == 1 else one.label for one in listed]
        if len(set(labels)) != len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise ValueError(f"{argument} has {twice} twice; give a mapping of names to recipes")
        named = dict(zip(labels, listed, strict=True))
    if not named:
        raise ValueError(f"{argument} is empty; give at least one")
    return named
