"""A shift: one process' share of the work on a store, from claim to file.

A match is claimed before it is played and let go after its file is written. Those that another
process has claimed are left for later: by then they are stored, or free again because it died.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import NamedTuple

from robustbandits.experiments.engines.engine import Engine, EngineError, Match, split
from robustbandits.experiments.interrupts import patient_interrupts
from robustbandits.experiments.plan import Plan, PlannedMatch
from robustbandits.experiments.progress import Watcher
from robustbandits.experiments.store.store import Store, StoreError
from robustbandits.game.ledger import Ledger

#: Seconds between looks at what other processes have under way, and at Ctrl-C.
POLL = 0.2
#: How often the worker of one part may die before it is the part that is suspected.
MAX_LOSSES = 5


class Task(NamedTuple):
    """A match and the parts that it is played in."""

    match: PlannedMatch
    parts: list[Match]


class Flight(NamedTuple):
    """A part that an engine has under way."""

    task: Task
    part: int
    losses: int


def as_match(plan: Plan, match: PlannedMatch) -> Match:
    """Return a planned match with its recipes."""
    spec = plan.spec
    pairs = [(spec.attacks[game.attack], spec.policies[game.policy]) for game in match.games]
    place = spec.environments[match.environment]
    return Match(place, pairs, match.rounds, match.seed, match.points)


class Shift:
    """Plays the missing matches of a plan."""

    def __init__(self, plan: Plan, store: Store, engine: Engine, watcher: Watcher):
        self._plan = plan
        self._store = store
        self._engine = engine
        self._watcher = watcher
        self._waiting: deque[Task] = deque()
        self._flying: dict[Future[list[Ledger]], Flight] = {}
        self._done: dict[str, dict[int, list[Ledger]]] = {}  # claimed matches, by part
        self.played = 0  # matches that this shift has stored
        self.elsewhere = 0  # matches that another process stored meanwhile
        self.damaged: list[str] = []  # where damaged files were put

    def play(self, missing: list[PlannedMatch]) -> None:
        """Play until none is missing. Whatever goes wrong, finished matches are stored first."""
        matches = [as_match(self._plan, match) for match in missing]
        tasks = [Task(match, []) for match in missing]
        for index, part in split(matches, self._engine.workers):
            tasks[index].parts.append(part)
        self._waiting.extend(tasks)
        with patient_interrupts() as check:
            try:
                self._work(check)
            finally:
                try:
                    self._engine.stop()
                    self._salvage()
                finally:
                    for match in list(self._done):
                        self._let_go(match)

    def _work(self, check: Callable[[], None]) -> None:
        while self._waiting or self._flying:
            self._claim()
            if self._flying:
                self._collect()
            elif self._waiting:
                time.sleep(POLL)  # all that is left is being played by others
            check()

    def _claim(self) -> None:
        """Hand out matches that nobody plays, as long as there are workers for them."""
        for _ in range(len(self._waiting)):
            if len(self._flying) >= self._engine.slots:
                return
            task = self._waiting[0]
            if not self._store.take(task.match.id):
                self._waiting.rotate(-1)
                continue
            self._done[task.match.id] = {}
            self._waiting.popleft()
            if not self._is_stored(task):
                for index in range(len(task.parts)):
                    self._submit(Flight(task, index, 0))

    def _is_stored(self, task: Task) -> bool:
        """Look again, now that nobody else can write: another process may have been quicker."""
        record, damage = self._store.look(task.match)
        if damage is not None:
            place = self._store.set_aside(task.match)
            self.damaged.append(f"{place}: {damage}")
        if record is None:
            return False
        self._let_go(task.match.id)
        self.elsewhere += 1
        self._watcher.advance(task.match.rounds * len(task.match.games))
        self._watcher.finish_match()
        return True

    def _submit(self, flight: Flight) -> None:
        self._flying[self._engine.submit(flight.task.parts[flight.part])] = flight

    def _collect(self) -> None:
        """Wait for a part, and store every match that is whole now."""
        # With a limit, for whoever has pressed Ctrl-C.
        done, _ = wait(self._flying, timeout=POLL, return_when=FIRST_COMPLETED)
        for future in [one for one in self._flying if one in done]:  # oldest first
            flight = self._flying[future]
            try:
                ledgers = future.result()
            except self._engine.losses as error:
                self._send_again(future, flight, error)
                continue
            except Exception as error:
                error.add_note(f"while playing {_who(flight)}")
                raise
            self._keep(flight, ledgers)
            del self._flying[future]  # last: an interrupt before it leaves it to _salvage

    def _send_again(
        self, future: Future[list[Ledger]], flight: Flight, error: BaseException
    ) -> None:
        if flight.losses + 1 >= MAX_LOSSES:
            raise EngineError(
                f"{MAX_LOSSES} workers died, one after another, with {_who(flight)}: is there "
                f"enough memory? Fewer workers need less ({type(error).__name__}: {error})"
            ) from error
        del self._flying[future]
        self._submit(flight._replace(losses=flight.losses + 1))

    def _keep(self, flight: Flight, ledgers: list[Ledger]) -> None:
        match, parts = flight.task.match, self._done[flight.task.match.id]
        parts[flight.part] = ledgers
        if len(parts) < len(flight.task.parts):
            return
        joined = [ledger for index in sorted(parts) for ledger in parts[index]]
        self._store.write(self._plan.spec, match, joined)
        self._let_go(match.id)
        self.played += 1
        self._watcher.finish_match()

    def _let_go(self, match: str) -> None:
        self._store.give_back(match)
        self._done.pop(match, None)

    def _salvage(self) -> None:
        """Store what was finished when the shift was ended."""
        for future, flight in self._flying.items():
            finished = future.done() and not future.cancelled() and future.exception() is None
            if finished and flight.task.match.id in self._done:
                with contextlib.suppress(StoreError):  # a full disk was the reason to end
                    self._keep(flight, future.result())


def _who(flight: Flight) -> str:
    match = flight.task.match
    return f"match {match.id} ({match.environment}, seed {match.seed})"
