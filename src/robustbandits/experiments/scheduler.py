"""Schedule the missing matches of a plan on an engine, and write them when they are finished.

A match is claimed before it is played and released after it is written. Short matches that finish
at about the same time are written together, which takes less time. Matches that another
process has claimed are checked again later. By then they are stored, or free because that process
died.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from robustbandits.experiments.engines.engine import Engine, EngineError, MatchPart
from robustbandits.experiments.plan import Plan, PlannedMatch
from robustbandits.experiments.progress import Progress
from robustbandits.experiments.store.memory import MemoryStore
from robustbandits.experiments.store.store import Store
from robustbandits.game.ledger import Ledger

#: Seconds between checks of what other processes have claimed, and of Ctrl-C.
POLL = 0.2
#: Seconds for which finished matches wait for others, to be written together.
GATHER = 0.1
#: How many workers may die while playing the same part before the run fails.
MAX_DEATHS = 5


class Scheduler:
    """Plays the missing matches of a plan.

    ``missing`` are the matches to play. ``matches`` are these with their recipes, in the same
    order, but without the games in ``sources``, which the store copies from other matches.
    """

    def __init__(
        self,
        plan: Plan,
        missing: Sequence[PlannedMatch],
        matches: Sequence[MatchPart],
        store: Store | MemoryStore,
        sources: Mapping[str, str] | None = None,
    ):
        self._plan = plan
        self._missing = missing
        self._matches = matches
        self._store = store
        self._sources = sources
        self.played = 0  # matches that were played and written
        self.elsewhere = 0  # matches that another process stored in the meantime
        self.damaged: list[str] = []  # damaged files that were set aside

    def play(self, engine: Engine, progress: Progress) -> None:
        """Play until no match is missing. On any error, finished matches are written first."""
        self._engine, self._progress = engine, progress
        self._parts: list[list[MatchPart]] = [[] for _ in self._matches]
        for index, part in split(self._matches, engine.workers):
            self._parts[index].append(part)
        # Matches are referred to by their index, parts by match and number.
        self._waiting = deque(range(len(self._matches)))
        self._running: dict[Future[list[Ledger]], tuple[int, int]] = {}
        self._done: queue.SimpleQueue[Future[list[Ledger]]] = queue.SimpleQueue()
        self._finished: dict[int, dict[int, list[Ledger]]] = {}  # parts of claimed matches
        self._complete: list[int] = []  # matches whose parts are all finished, to be written
        self._write_at = 0.0  # when to write them
        self._deaths: Counter[tuple[int, int]] = Counter()
        with _delayed_interrupts() as check:
            try:
                self._play_all(check)
            finally:
                try:
                    engine.stop()
                    self._write_finished()
                finally:
                    for index in list(self._finished):
                        self._release(index)

    def _play_all(self, check_interrupt: Callable[[], None]) -> None:
        while self._waiting or self._running:
            self._submit_waiting()
            if self._running:
                self._collect()
            elif self._waiting:
                time.sleep(POLL)  # other processes are playing all that is left
            if self._complete and (not self._running or time.monotonic() >= self._write_at):
                self._write(self._complete)
                self._complete = []
            check_interrupt()

    def _submit_waiting(self) -> None:
        """Claim and submit matches as long as the engine has free slots."""
        for _ in range(len(self._waiting)):
            if len(self._running) >= self._engine.slots:
                return
            index = self._waiting[0]
            if not self._store.claim(self._missing[index]):
                self._waiting.rotate(-1)
                continue
            self._finished[index] = {}
            self._waiting.popleft()
            if not self._is_stored(index):
                for number in range(len(self._parts[index])):
                    self._submit(index, number)
                if not self._parts[index]:  # all its games are in other matches
                    self._write([index])

    def _is_stored(self, index: int) -> bool:
        stored, damage = self._store.recheck(self._missing[index])
        if damage is not None:
            self.damaged.append(damage)
        if stored:
            self._release(index)
            self.elsewhere += 1
            self._progress.advance(self._matches[index].size)
            self._progress.finish_match()
        return stored

    def _submit(self, index: int, number: int) -> None:
        future = self._engine.submit(self._parts[index][number])
        self._running[future] = index, number
        future.add_done_callback(self._done.put)

    def _collect(self) -> None:
        """Wait for a part, and keep its ledgers."""
        try:
            # The timeout lets Ctrl-C be noticed, and complete matches be written.
            future = self._done.get(timeout=GATHER if self._complete else POLL)
        except queue.Empty:
            return
        index, number = self._running[future]
        try:
            ledgers = future.result()
        except self._engine.worker_died_errors as error:
            self._count_death(index, number, error)
            del self._running[future]
            self._submit(index, number)
            return
        except Exception as error:
            error.add_note(f"while playing {_describe(self._missing[index])}")
            raise
        self._finish(index, number, ledgers)
        # This comes last, so that after an interrupt _write_finished still finds the part.
        del self._running[future]

    def _count_death(self, index: int, number: int, error: BaseException) -> None:
        self._deaths[index, number] += 1
        if self._deaths[index, number] >= MAX_DEATHS:
            raise EngineError(
                f"{MAX_DEATHS} workers in a row died while playing "
                f"{_describe(self._missing[index])}: there may not be enough memory; "
                f"use fewer workers ({type(error).__name__}: {error})"
            ) from error

    def _finish(self, index: int, number: int, ledgers: list[Ledger]) -> None:
        """Keep the ledgers of a part."""
        self._finished[index][number] = ledgers
        if len(self._finished[index]) == len(self._parts[index]):
            if not self._complete:
                self._write_at = time.monotonic() + GATHER
            self._complete.append(index)

    def _write(self, complete: Sequence[int]) -> None:
        """Write complete matches, and report them as finished."""
        finished = [(self._missing[index], self._ledgers(index)) for index in complete]
        self._store.write(self._plan, finished, self._sources)
        for index in complete:
            self._release(index)
            self.played += 1
            self._progress.finish_match()

    def _ledgers(self, index: int) -> list[Ledger]:
        finished = self._finished[index]
        return [ledger for number in sorted(finished) for ledger in finished[number]]

    def _release(self, index: int) -> None:
        self._store.release(self._missing[index])
        self._finished.pop(index, None)

    def _write_finished(self) -> None:
        """Write matches that were finished but not written yet."""
        for future, (index, number) in self._running.items():
            succeeded = future.done() and not future.cancelled() and future.exception() is None
            if succeeded and index in self._finished:
                self._finished[index][number] = future.result()
        for index, parts in list(self._finished.items()):
            if parts and len(parts) == len(self._parts[index]):
                # An error is already being raised; it must not keep other matches from the disk.
                with contextlib.suppress(Exception):
                    self._write([index])


def split(matches: Sequence[MatchPart], workers: int) -> list[tuple[int, MatchPart]]:
    """Cut matches into parts so that no worker is idle at the end.

    As many matches as the workers can share evenly stay whole; the few that remain are cut until
    every worker has a part. Each part draws the same rounds again.
    """
    remainder = len(matches) % workers
    whole = len(matches) - remainder
    parts: list[tuple[int, MatchPart]] = []
    for index, match in enumerate(matches):
        pieces = 1 if index < whole else -(-workers // remainder)
        size = max(1, -(-len(match.pairs) // pieces))
        for start in range(0, len(match.pairs), size):
            cut = slice(start, start + size)
            part = match._replace(pairs=match.pairs[cut], names=match.names[cut])
            parts.append((index, part))
    return parts


@contextlib.contextmanager
def _delayed_interrupts() -> Iterator[Callable[[], None]]:
    """Yield a function that raises KeyboardInterrupt if Ctrl-C was pressed in the meantime.

    An interrupt while a lock is held or a pool updates its state could block the process forever.
    A second Ctrl-C raises KeyboardInterrupt immediately. Outside the main thread, or if the program
    handles the signal itself, nothing changes.
    """
    pressed = threading.Event()

    def handle(*_: Any) -> None:
        check()
        pressed.set()

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_default or threading.current_thread() is not threading.main_thread():
        yield check
        return
    signal.signal(signal.SIGINT, handle)
    try:
        yield check
        check()  # pressed after the last check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _describe(match: PlannedMatch) -> str:
    return f"match {match.id} ({match.environment}, seed {match.seed})"
