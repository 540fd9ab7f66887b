"""compare: every policy against every attack in every environment, over many seeds."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from robustbandits._cores import available_cores
from robustbandits.experiments.engines.engine import Match, play_matches, warm_up
from robustbandits.experiments.fit import check_fit
from robustbandits.experiments.labels import check_seeds, named
from robustbandits.experiments.progress import watched
from robustbandits.game import require
from robustbandits.game.ledger import POINTS, Ledger
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy
from robustbandits.reports import frames
from robustbandits.reports.figures import draw_panels
from robustbandits.reports.summary import Summary, summarise

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from robustbandits.experiments.store.load import Experiment


class Results:
    """The ledgers of all games, one for each environment, attack, policy and seed."""

    def __init__(self, ledgers: Sequence[Ledger]):
        self.ledgers = list(ledgers)

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> Self:
        """Return the results of an experiment out of a store; it may be unfinished."""
        return cls(experiment.ledgers)

    def to_pandas(self) -> pandas.DataFrame:
        """Tidy rows: environment, attack, policy, seed, round, regret, reward, spent, ..."""
        return frames.to_pandas(self.ledgers)

    def to_polars(self) -> polars.DataFrame:
        """Tidy rows, for Polars."""
        return frames.to_polars(self.ledgers)

    def to_arrow(self) -> pyarrow.Table:
        """Tidy rows, for Arrow; names are dictionary-encoded."""
        return frames.to_arrow(self.ledgers)

    def summary(self) -> Summary:
        """Return final regrets with 95 % intervals."""
        return summarise(self.ledgers)

    def plot(
        self, *paths: str | os.PathLike[str], title: str | None = None, share_y: bool = False
    ) -> None:
        """Draw regret curves, a row of panels for each environment; the suffix sets the format."""
        names = dict.fromkeys(ledger.environment for ledger in self.ledgers)
        rows = [(name, [one for one in self.ledgers if one.environment == name]) for name in names]
        draw_panels(rows, paths, title=title, share_y=share_y)

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
    numbers = check_seeds(seeds)
    places = named("environments", environments)
    crooks = named("attacks", attacks if attacks is not None else [NoAttack()])
    players = named("policies", policies)
    games = [(crook, player) for crook in crooks for player in players]
    pairs = [(crooks[crook], players[player]) for crook, player in games]
    plan = [(place, seed) for place in places for seed in numbers]
    matches = [Match(places[place], pairs, rounds, seed) for place, seed in plan]
    check_fit(matches)
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
