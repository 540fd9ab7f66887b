"""A progress bar with rounds per second and time left; silent when nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


class RateColumn(ProgressColumn):
    """Rounds per second."""

    def render(self, task: Task) -> Text:
        """Return the rate in millions."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed / 1e6:.2f} M rounds/s")


class Watcher:
    """What a long job tells the person who waits."""

    def __init__(self, progress: Progress, title: str):
        self._progress = progress
        self._title = title
        self._task = progress.add_task(title, total=None)

    def compiling(self, pairs: int) -> None:
        """Say that kernels are being made ready."""
        self._progress.update(
            self._task, description=f"{self._title}: compiling", total=pairs, completed=0
        )

    def playing(self, rounds: int) -> None:
        """Say how many rounds there are to play."""
        self._progress.reset(
            self._task, description=f"{self._title}: playing", total=rounds, completed=0
        )

    def advance(self, count: int = 1) -> None:
        """Count what was done."""
        self._progress.advance(self._task, count)


@contextmanager
def watched(title: str, *, visible: bool | None) -> Iterator[Watcher]:
    """Show progress on the terminal's error stream; None: only if it is a terminal."""
    console = Console(stderr=True)
    shown = console.is_terminal if visible is None else visible
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not shown) as progress:
        yield Watcher(progress, title)
