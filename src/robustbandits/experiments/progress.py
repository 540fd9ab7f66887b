"""Show the progress of a long job: a bar on a terminal, a few lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich import progress as rich_progress
from rich.console import Console
from rich.text import Text

#: Seconds between two lines of a log, at least.
LOG_INTERVAL = 10.0


class RateColumn(rich_progress.ProgressColumn):
    """Rounds per second."""

    def render(self, task: rich_progress.Task) -> Text:
        """Return the rate in millions."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed / 1e6:.2f} M rounds/s")


class Progress:
    """The progress of a job: first kernels are compiled, then rounds are played."""

    def __init__(self, bar: rich_progress.Progress, title: str, log: TextIO | None = None):
        self._bar = bar
        self._title = title
        self._task = bar.add_task(title, total=None, matches="")
        self._log = log
        self._matches = self._finished = self._tenths = 0
        self._started = self._logged = time.monotonic()

    def start_compiling(self, games: int) -> None:
        """Begin to count compiled games."""
        title = f"{self._title}: compiling"
        self._bar.update(self._task, description=title, total=games, completed=0)

    def start_playing(self, rounds: int, matches: int = 0) -> None:
        """Begin to count rounds, and matches if there are several."""
        self._matches, self._started = matches, time.monotonic()
        title = f"{self._title}: playing"
        self._bar.reset(self._task, description=title, total=rounds, completed=0)
        self._show_matches()

    def advance(self, count: int = 1) -> None:
        """Count games or rounds."""
        self._bar.advance(self._task, count)

    def finish_match(self) -> None:
        """Count a finished match; a log gets a line for each tenth of them, but not too often."""
        self._finished += 1
        self._show_matches()
        tenths = 10 * self._finished // max(1, self._matches)
        now = time.monotonic()
        log_now = tenths > self._tenths and now - self._logged >= LOG_INTERVAL
        if self._log is not None and log_now:
            self._tenths, self._logged = tenths, now
            seconds = now - self._started
            left = seconds * (self._matches - self._finished) / self._finished
            counts = f"{self._finished} of {self._matches} matches in {seconds:.0f} s"
            print(f"{self._title}: {counts}, about {left:.0f} s left", file=self._log, flush=True)

    def _show_matches(self) -> None:
        if self._matches:
            text = f"{self._finished}/{self._matches} matches"
            self._bar.update(self._task, matches=text)


@contextmanager
def show_progress(title: str, *, visible: bool | None, log: bool = False) -> Iterator[Progress]:
    """Show progress on the error stream.

    Parameters
    ----------
    title
        Text next to the bar.
    visible
        Whether to show a bar; None shows one if the error stream is a terminal.
    log
        Whether to write lines instead if the error stream is not a terminal.
    """
    console = Console(stderr=True)
    shown = console.is_terminal if visible is None else visible
    columns = (
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.TextColumn("{task.fields[matches]}"),
        RateColumn(),
        rich_progress.TimeRemainingColumn(),
    )
    with rich_progress.Progress(*columns, console=console, disable=not shown) as bar:
        lines = sys.stderr if log and visible is None and not shown else None
        yield Progress(bar, title, lines)
