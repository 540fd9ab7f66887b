"""Downloads that end: an answer in seconds, the whole in a minute or two, or an error."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

ANSWER_SECONDS = 8.0
WHOLE_SECONDS = 90.0
PIECE = 1 << 16


class NoAnswer(Exception):
    """A source on the network that cannot be reached, or does not have what is asked for."""


def download(address: str, limit: int) -> bytes:
    """Return what is at an address, at most ``limit`` bytes.

    The work is done by a thread that can be left behind: a name server that does not answer cannot
    be interrupted, and would hold us for minutes.

    Raises
    ------
    NoAnswer
        No answer in 8 seconds, not complete in 90, too large, or refused.
    """
    job = _Job(address, limit)
    threading.Thread(target=job.run, daemon=True, name="download").start()
    if not job.answered.wait(ANSWER_SECONDS):
        raise NoAnswer(f"{address}: no answer in {ANSWER_SECONDS:g} s")
    if not job.done.wait(WHOLE_SECONDS):
        job.abandoned = True
        raise NoAnswer(f"{address}: not complete in {WHOLE_SECONDS:g} s")
    if job.trouble is not None:
        raise NoAnswer(f"{address}: {job.trouble}")
    return bytes(job.data)


class _Job:
    """One download, in its own thread."""

    def __init__(self, address: str, limit: int):
        self.address, self.limit = address, limit
        self.answered, self.done = threading.Event(), threading.Event()
        self.data = bytearray()
        self.trouble: str | None = None
        self.abandoned = False

    def run(self) -> None:
        try:
            with urllib.request.urlopen(self.address, timeout=ANSWER_SECONDS) as reply:
                self.answered.set()
                while not self.abandoned and (piece := reply.read(PIECE)):
                    self.data += piece
                    if len(self.data) > self.limit:
                        self.trouble = f"more than {self.limit >> 20} MB"
                        return
                stated = reply.headers.get("Content-Length")
                if stated is not None and len(self.data) != int(stated):
                    self.trouble = f"cut off after {len(self.data):,} of {int(stated):,} bytes"
        except urllib.error.HTTPError as error:
            self.trouble = f"{error.code} {error.reason}"
            error.close()
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.trouble = str(getattr(error, "reason", error)) or type(error).__name__
        finally:
            self.answered.set()
            self.done.set()


def pip_download(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip, without its dependencies and without installing it.

    Raises
    ------
    NoAnswer
        There is no pip, or it cannot get the wheel.
    """
    command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps", "--quiet"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    command += ["--timeout", f"{ANSWER_SECONDS:g}", "--retries", "1", "--dest", str(folder)]
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=WHOLE_SECONDS, cwd=folder
        )
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"pip download {requirement}: not done in {WHOLE_SECONDS:g} s") from None
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if line.strip()]
        reason = lines[-1].removeprefix("ERROR: ") if lines else f"exit code {error.returncode}"
        raise NoAnswer(f"pip download {requirement}: {reason}") from None
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise NoAnswer(f"pip download {requirement}: got {len(wheels)} wheels")
    return wheels[0]
