"""Ids of decisions: unique over processes, machines and restarts, and sortable by time.

An id is a text of 32 hexadecimal digits, 128 bits. The first 13 are a number: the time of the
decision in microseconds since 1970, or one more than the previous number if that is larger. The
last 19 are random; an agent draws them when it is started, loaded, copied or forked. The decisions
between two such events are a session.
"""

from __future__ import annotations

import re
import secrets
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from robustbandits.agent.file_format import SnapshotError
from robustbandits.kernels.linalg import Floats

DIGITS, RANDOM_DIGITS = 13, 19
#: Numbers between these have 13 digits: the years from 1978 to 2112.
MIN_NUMBER, MAX_NUMBER = 1 << 48, 1 << 52
#: How many sessions are remembered, besides those that have pending decisions.
MAX_SESSIONS = 100
#: The random part of whole numbers, which were the ids of files of format 1.
NOT_RANDOM = ""

#: An id. In files of format 1 it is a whole number.
Id = str | int
#: The first number of a session, and the random part of its ids. A list of them is in order.
Session = tuple[int, str]


def begin_session(sessions: list[Session], next_number: int, oldest: int) -> str:
    """Append a session, and return its random part.

    Old sessions are dropped if they end before the number ``oldest``.
    """
    if sessions and sessions[-1][0] == next_number:  # it has issued no id
        sessions.pop()
    id_suffix = secrets.token_hex(10)[:RANDOM_DIGITS]
    sessions.append((next_number, id_suffix))
    while len(sessions) > MAX_SESSIONS and sessions[1][0] <= oldest:
        del sessions[0]
    return id_suffix


def id_from(number: int, id_suffix: str) -> str:
    """Return the id that consists of a number and a random part."""
    return f"{number:0{DIGITS}x}{id_suffix}"


def id_of(number: int, sessions: Sequence[Session]) -> Id:
    """Return the id that has a number; raise SnapshotError if it belongs to no session."""
    index = bisect_right(sessions, number, key=itemgetter(0)) - 1
    if index < 0:
        raise SnapshotError("it has pending decisions that belong to no session")
    id_suffix = sessions[index][1]
    return number if id_suffix == NOT_RANDOM else id_from(number, id_suffix)


def check_id(value: Any) -> Id:
    """Return a value that may be an id; raise TypeError for any other."""
    if isinstance(value, str):
        return value
    if type(value) is int or isinstance(value, np.integer):
        return int(value)
    raise TypeError(f"decision must be a Decision or its id, a string; got {value!r}")


def number_of(decision_id: Id) -> int:
    """Return the number of an id."""
    return decision_id if isinstance(decision_id, int) else int(decision_id[:DIGITS], 16)


def why_foreign(decision_id: Id, sessions: Sequence[Session], next_number: int) -> str | None:
    """Return why an agent with these sessions has not issued an id; None if it has issued it."""
    id_suffix = NOT_RANDOM
    if isinstance(decision_id, str):
        if re.fullmatch("[0-9a-f]{32}", decision_id) is None:
            return "it is not an id at all: ids have 32 digits of 0-9a-f"
        id_suffix = decision_id[DIGITS:]
    if not any(id_suffix == known for _, known in sessions):
        hint = ": the ids of this agent are strings" if id_suffix == NOT_RANDOM else ""
        return (
            f"another agent issued it, or this one in a process that ended without saving; learn "
            f"it in the agent that issued it, or drop it{hint}"
        )
    number = number_of(decision_id)
    if number < sessions[0][0] or id_of(number, sessions) != decision_id:
        return (
            "it was issued after the save from which this agent was loaded, or by another copy of "
            "this agent, so that its arm and context are not known here"
        )
    return "it was never issued" if number >= next_number else None


# ------------------------------------------------------------------------------------- in a file


def sessions_to_rows(sessions: Sequence[Session], next_number: int) -> Floats:
    """Return a row for each session with ids: its first number, and halves of its random part.

    The halves are -1 for ids that are whole numbers.
    """
    rows = [
        (first, int(id_suffix[:9], 16), int(id_suffix[9:], 16)) if id_suffix else (first, -1, -1)
        for first, id_suffix in sessions
        if first < next_number
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def sessions_from_rows(rows: Floats, next_number: int) -> list[Session]:
    """Return the sessions that :func:`sessions_to_rows` described."""
    if rows.shape != (len(rows), 3) or not np.isfinite(rows).all() or np.any(rows % 1):
        raise SnapshotError("its sessions are not rows of three whole numbers, or not finite")
    if next_number > MAX_NUMBER or np.any(np.diff(rows[:, 0], prepend=-1, append=next_number) <= 0):
        raise SnapshotError("its sessions are out of order")
    random_rows = rows[~np.all(rows == (0, -1, -1), axis=1)]
    if np.any((random_rows < (MIN_NUMBER, 0, 0)) | (random_rows >= (MAX_NUMBER, 16**9, 16**10))):
        raise SnapshotError("its sessions have ids that cannot exist")
    return [
        (int(first), NOT_RANDOM if high < 0 else f"{int(high):09x}{int(low):010x}")
        for first, high, low in rows
    ]
