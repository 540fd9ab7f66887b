"""Loaded by each worker of a cluster that we started: Ctrl-C is the main process' business."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(_: Any) -> None:
    """Let the worker end when it is told to, not in the middle of a message, with a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
