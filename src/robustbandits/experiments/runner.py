"""run: play whatever of a plan is missing in a store."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from robustbandits.experiments.engines.engine import check_engine, open_engine, warm_up
from robustbandits.experiments.fit import check_fit
from robustbandits.experiments.plan import Plan, PlannedMatch, make_plan
from robustbandits.experiments.progress import watched
from robustbandits.experiments.scheduler import Shift, as_match
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.load import Experiment
from robustbandits.experiments.store.store import Store
from robustbandits.game import require


class Outcome(NamedTuple):
    """What a run did; the ledgers stay in the store until they are asked for."""

    plan: Plan
    store: Store
    found: int  # matches that were there already
    played: int  # matches that this run played and stored
    elsewhere: int  # matches that another process stored meanwhile
    damaged: tuple[str, ...]  # files that were set aside, and why
    seconds: float

    def experiment(self) -> Experiment:
        """Read the ledgers of this run's plan, in its order."""
        return self.store.experiment(self.plan)


def run(
    spec: Spec | Plan,
    store: Store | str | os.PathLike[str],
    *,
    engine: str = "threads",
    workers: int | None = None,
    progress: bool | None = None,
) -> Outcome:
    """Play every match of a spec that the store does not hold yet.

    It may be ended at any time, even by ``kill -9``, and called again: finished matches are
    never played twice, and the results are those of an uninterrupted run, bit for bit. Several
    processes may work on one store at once; each ends when the whole plan is there.

    Parameters
    ----------
    spec
        What to play: a spec, or the plan made from one.
    store
        A folder: a store, or one to be made.
    engine
        ``"threads"``, ``"processes"``, ``"dask"`` (a cluster of this machine's own) or
        ``"dask://host:port"`` (yours). The results are the same bits on each. With processes, a
        script must start its work under ``if __name__ == "__main__":``.
    workers
        How many; all cores by default.
    progress
        Whether to show a progress bar; by default only on a terminal, else a few lines.

    Examples
    --------
    >>> import tempfile
    >>> from robustbandits.experiments.spec import read_spec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     outcome = run(read_spec("smoke"), folder, progress=False)
    ...     print(outcome.played, len(outcome.experiment().ledgers))
    2 18
    """
    check_engine(engine)
    workers = None if workers is None else require.count("workers", workers)
    started = time.perf_counter()
    plan = spec if isinstance(spec, Plan) else make_plan(spec)
    store = store if isinstance(store, Store) else Store(store)
    missing = store.missing(plan)
    check_fit(as_match(plan, match) for match in missing)
    store.remember(plan)
    shift = None
    if missing:
        shift = _play(plan, store, missing, (engine, workers, progress))
    return Outcome(
        plan=plan,
        store=store,
        found=len(plan.matches) - len(missing),
        played=shift.played if shift else 0,
        elsewhere=shift.elsewhere if shift else 0,
        damaged=tuple(shift.damaged) if shift else (),
        seconds=time.perf_counter() - started,
    )


def _play(
    plan: Plan,
    store: Store,
    missing: list[PlannedMatch],
    how: tuple[str, int | None, bool | None],
) -> Shift:
    engine, workers, progress = how
    matches = [as_match(plan, match) for match in missing]
    with watched(plan.spec.name, visible=progress, log=True) as watcher:
        first = {match.environment: len(match.games) for match in missing}
        watcher.compiling(sum(first.values()))
        warm_up(matches, watcher.advance)  # before the workers start: they find it in the cache
        watcher.playing(sum(len(m.pairs) * m.rounds for m in matches), len(missing))
        shift = Shift(plan, store, open_engine(engine, workers, watcher.advance), watcher)
        shift.play(missing)
    return shift
