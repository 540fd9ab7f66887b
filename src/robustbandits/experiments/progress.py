"""What a long job tells the person who waits: a bar on a terminal, a few lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

#: Seconds between two lines of a log, at least.
SILENCE = 10.0


class RateColumn(ProgressColumn):
    """Rounds per second."""

    def render(self, task: Task) -> Text:
        """Return the rate in millions."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed / 1e6:.2f} M rounds/s")


class Watcher:
    """What a long job tells the person who waits."""

    def __init__(self, progress: Progress, title: str, log: TextIO | None = None):
        self._progress = progress
        self._title = title
        self._task = progress.add_task(title, total=None, matches="")
        self._log = log
        self._matches = self._done = self._tenths = 0
        self._started = self._spoke = time.monotonic()

    def compiling(self, pairs: int) -> None:
        """Say that kernels are being made ready."""
        self._progress.update(
            self._task, description=f"{self._title}: compiling", total=pairs, completed=0
        )

    def playing(self, rounds: int, matches: int = 0) -> None:
        """Say how many rounds, in how many matches, there are to play."""
        self._matches, self._started = matches, time.monotonic()
        self._progress.reset(
            self._task, description=f"{self._title}: playing", total=rounds, completed=0
        )
        self._show_matches()

    def advance(self, count: int = 1) -> None:
        """Count what was done."""
        self._progress.advance(self._task, count)

    def finish_match(self) -> None:
        """Count a finished match; a log gets a line for each tenth of them, not too often."""
        self._done += 1
        self._show_matches()
        tenths = 10 * self._done // max(1, self._matches)
        now = time.monotonic()
        if self._log is not None and tenths > self._tenths and now - self._spoke >= SILENCE:
            self._tenths, self._spoke = tenths, now
            seconds = now - self._started
            left = seconds * (self._matches - self._done) / self._done
            counts = f"{self._done} of {self._matches} matches in {seconds:.0f} s"
            print(f"{self._title}: {counts}, about {left:.0f} s left", file=self._log, flush=True)

    def _show_matches(self) -> None:
        if self._matches:
            text = f"{self._done}/{self._matches} matches"
            self._progress.update(self._task, matches=text)


@contextmanager
def watched(title: str, *, visible: bool | None, log: bool = False) -> Iterator[Watcher]:
    """Show progress on the terminal's error stream.

    Parameters
    ----------
    title
        What the bar says.
    visible
        Whether to show a bar; None: only if the error stream is a terminal.
    log
        Whether to write lines to the error stream instead, where it is no terminal.
    """
    console = Console(stderr=True)
    shown = console.is_terminal if visible is None else visible
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[matches]}"),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not shown) as progress:
        lines = sys.stderr if log and visible is None and not shown else None
        yield Watcher(progress, title, lines)
