"""run: play the matches of a plan that are not in a store yet, or all of them in memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from robustbandits.experiments.engines.engine import MatchPart, check_engine, open_engine
from robustbandits.experiments.plan import Plan, PlannedMatch, make_plan
from robustbandits.experiments.progress import Progress, show_progress
from robustbandits.experiments.scheduler import Scheduler
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.load import Experiment
from robustbandits.experiments.store.memory import MemoryStore
from robustbandits.experiments.store.reuse import without
from robustbandits.experiments.store.store import Store
from robustbandits.game import require
from robustbandits.game.facts import start_policy
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.rounds import Nature


class Outcome(NamedTuple):
    """What a run did."""

    plan: Plan
    store: Store | MemoryStore
    found: int  # matches that were stored already
    played: int  # matches that this run played and wrote
    reused: int  # games of these matches that other matches of the store held
    elsewhere: int  # matches that another process stored in the meantime
    damaged: tuple[str, ...]  # damaged files that were set aside, each with the reason
    seconds: float

    def ledgers(self) -> list[Ledger]:
        """Return the ledgers of the plan, in its order."""
        return self.store.ledgers(self.plan)

    def experiment(self) -> Experiment:
        """Return the spec, the ledgers and their provenance, as a report needs them."""
        return self.store.experiment(self.plan)


def run(
    spec: Spec | Plan,
    store: Store | str | os.PathLike[str] | None = None,
    *,
    engine: str = "threads",
    workers: int | None = None,
    progress: bool | None = None,
) -> Outcome:
    """Play every game of a spec that the store does not hold yet.

    A run can be interrupted at any time, even by ``kill -9``, and started again: finished matches
    are never played twice, and the results are those of an uninterrupted run, bit for bit. Several
    processes may share one store; each returns when the whole plan is stored.

    Parameters
    ----------
    spec
        What to play: a spec, or a plan made from one.
    store
        A folder: a store, or a new one. Without it the ledgers stay in memory.
    engine
        ``"threads"``, ``"processes"``, ``"dask"`` (a cluster on this machine) or
        ``"dask://host:port"`` (your cluster). All give the same bits. With processes, a script
        must start its work under ``if __name__ == "__main__":``.
    workers
        Number of workers; one for each core by default.
    progress
        Whether to show a progress bar. By default a terminal gets a bar, and a log gets a few
        lines if there is a store.

    Examples
    --------
    >>> import tempfile
    >>> import robustbandits as rb
    >>> spec = rb.experiments.Spec(
    ...     name="small",
    ...     environments=[rb.environments.Simulation()],
    ...     attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
    ...     policies=[rb.policies.LinUCB()],
    ...     rounds=1000,
    ...     seeds=2,
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     outcome = run(spec, folder, progress=False)
    ...     print(outcome.played, len(outcome.ledgers()))
    2 4
    """
    check_engine(engine)
    workers = None if workers is None else require.count("workers", workers)
    started = time.perf_counter()
    plan = spec if isinstance(spec, Plan) else make_plan(spec)
    target = _open(store)
    missing = target.missing(plan)
    sources = target.find_games(plan, missing)
    matches = add_recipes(plan.spec, (without(match, sources) for match in missing))
    scheduler = Scheduler(plan, missing, matches, target, sources)
    first = _start_policies(matches)
    target.write_plan(plan)
    if missing:
        log = store is not None
        with show_progress(plan.spec.name, visible=progress, log=log) as display:
            _compile(first, display)
            display.start_playing(sum(match.size for match in matches), len(matches))
            scheduler.play(open_engine(engine, workers, display.advance), display)
    return Outcome(
        plan=plan,
        store=target,
        found=len(plan.matches) - len(missing),
        played=scheduler.played,
        reused=len(sources),
        elsewhere=scheduler.elsewhere,
        damaged=tuple(scheduler.damaged),
        seconds=time.perf_counter() - started,
    )


def _open(store: Store | str | os.PathLike[str] | None) -> Store | MemoryStore:
    if store is None:
        return MemoryStore()
    return store if isinstance(store, Store) else Store(store)


def add_recipes(spec: Spec, planned: Iterable[PlannedMatch]) -> list[MatchPart]:
    """Return planned matches with the recipes of their labels."""
    shared: dict[tuple[str, ...], tuple[list[Any], list[tuple[str, str, str]]]] = {}
    matches = []
    for match in planned:
        label = match.environment
        key = (label, *(text for game in match.games for text in (game.attack, game.policy)))
        if key not in shared:
            names = [(label, game.attack, game.policy) for game in match.games]
            pairs = [(spec.attacks[attack], spec.policies[policy]) for _, attack, policy in names]
            shared[key] = pairs, names
        environment = spec.environments[label]
        matches.append(MatchPart(environment, *shared[key], match.rounds, match.seed, match.points))
    return matches


def _start_policies(matches: Sequence[MatchPart]) -> list[tuple[MatchPart, Nature]]:
    """Start every policy in every environment, so that a policy which cannot play raises now.

    Returns one match for each environment and set of games, and its nature.
    """
    first = []
    for match in {id(match.pairs): match for match in reversed(matches) if match.pairs}.values():
        nature = match.environment.start(match.rounds, stream(match.seed, NATURE))
        for policy in {id(policy): policy for _, policy in match.pairs}.values():
            start_policy(policy, nature.problem)
        first.append((match, nature))
    return first


def _compile(first: Sequence[tuple[MatchPart, Nature]], progress: Progress) -> None:
    """Play one round of every game, so that engines find compiled code in the cache."""
    progress.start_compiling(sum(len(match.pairs) for match, _ in first))
    for match, nature in first:
        block = nature.draw(1)
        for attack, policy in match.pairs:
            Game(policy, attack, nature.problem, match.seed, points=1).advance(block)
            progress.advance()
