"""The store: a folder with one file for each finished match.

::

    store.json          format and who made it
    plans/ID.json       what was asked for: the spec, and the matches that answer it
    matches/ID.parquet  one finished match, whole; the name says what was played
    damaged/            files that could not be believed, set aside
    lock                never read or written; see :mod:`robustbandits.experiments.store.locks`

What is missing is what was planned and is not there: nothing else keeps track, so nothing can
disagree with the files.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits._atomic import drafts, write_whole
from robustbandits._version import __version__
from robustbandits.experiments.provenance import provenance
from robustbandits.experiments.store import plan_file
from robustbandits.experiments.store._parquet import parquet
from robustbandits.experiments.store.load import Experiment as Experiment
from robustbandits.experiments.store.load import gather
from robustbandits.experiments.store.locks import Locks, locks_on
from robustbandits.experiments.store.match_file import (
    FORMAT,
    MAX_BYTES,
    DamagedError,
    MatchRecord,
    NewerError,
    decode,
    encode,
)
from robustbandits.game.ledger import Ledger

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan, PlannedMatch
    from robustbandits.experiments.spec import Spec

DAY = 86_400.0
_NAMES = {"store.json", "plans", "matches", "damaged", "lock"}


class StoreError(OSError):
    """A store that cannot be used; the message says why and what to do."""


class Found(NamedTuple):
    """What a look at a match's file gave: a record, or the reason why there is none."""

    record: MatchRecord | None
    damage: str | None


class Store:
    """A folder of finished matches. Nothing is created before something is written.

    Parameters
    ----------
    folder
        A store, an empty folder, or a folder to be made.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        parquet()  # said before anything is fetched, played or written
        self.folder = Path(folder)
        self._locks: Locks | None = None
        self._last_spec: tuple[Spec, dict[str, Any]] | None = None
        self._check_folder()

    def _check_folder(self) -> None:
        """Refuse a folder of something else, or of a newer version, before touching it."""
        try:
            names = {path.name for path in self.folder.iterdir()}
        except FileNotFoundError:
            return
        except NotADirectoryError:
            raise StoreError(f"{self.folder} is a file; a store is a folder") from None
        except OSError as error:
            raise StoreError(f"cannot read the store {self.folder}: {error.strerror}") from error
        strange = {name for name in names if not name.startswith(".")} - _NAMES
        if strange and "store.json" not in names:
            raise StoreError(
                f"{self.folder} is not a store: it holds {min(strange)!r}; "
                f"choose an empty or a new folder"
            )
        if "store.json" in names:
            self._check_format()

    def _check_format(self) -> None:
        path = self.folder / "store.json"
        try:
            about = json.loads(_read(path, 1 << 20))
            number, by = int(about["format"]), str(about["made_by"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StoreError(
                f"{path} is damaged; if its matches were made by this version, delete that file"
            ) from None
        if number > FORMAT:
            raise NewerError(
                f"the store {self.folder} was made by {by}, which is newer than this "
                f"robustbandits {__version__}: install that version (nothing was changed)"
            )

    @property
    def exists(self) -> bool:
        """Whether something was ever written here."""
        return (self.folder / "store.json").exists()

    def open(self) -> None:
        """Make the folder ready for writing; what dead processes left unfinished goes."""
        try:
            for name in ("plans", "matches", "damaged"):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            if not self.exists:
                about = {"format": FORMAT, "made_by": f"robustbandits {__version__}"}
                write_whole(self.folder / "store.json", json.dumps(about).encode())
            if self._locks is None:
                self._locks = locks_on(self.folder / "lock")
            self._sweep()
        except OSError as error:
            raise self._unwritable(error) from error

    def _sweep(self) -> None:
        """Delete drafts of matches that nobody plays: only who holds a match's lock writes one.

        Nobody claims a plan, which is written in a moment: its draft goes when it is a day old.
        """
        assert self._locks is not None
        for path, _ in (*drafts(self.folder), *drafts(self.folder / "plans")):
            with contextlib.suppress(FileNotFoundError):  # another process sweeps too
                if time.time() - path.stat().st_mtime > DAY:
                    path.unlink()
        if not self._locks.works:
            return
        for path, name in drafts(self.folder / "matches"):
            match = name.removesuffix(".parquet")
            if _is_id(match) and self._locks.take(match):
                path.unlink(missing_ok=True)
                self._locks.give_back(match)

    def _unwritable(self, error: OSError) -> StoreError:
        reason = error.strerror or str(error)
        return StoreError(
            f"cannot write to the store {self.folder}: {reason}; every finished match is kept: "
            f"make room or leave to write there, then run the same command again"
        )

    def path_of(self, match: str) -> Path:
        """Return where the file of a match is, or will be."""
        return self.folder / "matches" / f"{match}.parquet"

    def take(self, match: str) -> bool:
        """Claim a match for this process; False while another one plays it."""
        assert self._locks is not None, "open() comes first"
        return self._locks.take(match)

    def give_back(self, match: str) -> None:
        """End the claim; the kernel does it for a process that dies."""
        assert self._locks is not None, "open() comes first"
        self._locks.give_back(match)

    def write(self, spec: Spec, match: PlannedMatch, ledgers: Sequence[Ledger]) -> None:
        """Store a finished match: whole or not at all."""
        labelled = [
            replace(ledger, environment=match.environment, attack=game.attack, policy=game.policy)
            for game, ledger in zip(match.games, ledgers, strict=True)
        ]
        record = MatchRecord(
            id=match.id,
            spec=self._plain(spec),
            provenance=provenance(),
            games=tuple(game.id for game in match.games),
            length=match.rounds,
            ledgers=labelled,
        )
        if self._locks is None:
            self.open()
        try:
            write_whole(self.path_of(match.id), encode(record))
        except OSError as error:
            raise self._unwritable(error) from error

    def _plain(self, spec: Spec) -> dict[str, Any]:
        """Return a spec's plain values, made once for a whole run."""
        if self._last_spec is None or self._last_spec[0] is not spec:
            self._last_spec = spec, spec.to_dict()
        return self._last_spec[1]

    def remember(self, plan: Plan) -> None:
        """Note what was asked for, so that a report knows it without the spec's file."""
        self.open()
        name, data = plan_file.encode_plan(plan)
        path = self.folder / "plans" / f"{name}.json"
        try:
            if not path.exists():
                write_whole(path, data)
        except OSError as error:
            raise self._unwritable(error) from error

    def look(self, match: PlannedMatch) -> Found:
        """Read the file of a planned match, with its labels."""
        found = self.find(match.id)
        if found.record is None:
            return found
        ids = tuple(game.id for game in match.games)
        if found.record.games != ids or found.record.length != match.rounds:
            return Found(None, "it holds other games than its name says")
        ledgers = [
            replace(ledger, environment=match.environment, attack=game.attack, policy=game.policy)
            for game, ledger in zip(match.games, found.record.ledgers, strict=True)
        ]
        return Found(found.record._replace(ledgers=ledgers), None)

    def find(self, match: str) -> Found:
        """Read the file of a match, with the labels that it was written with."""
        path = self.path_of(match)
        try:
            record = decode(_read(path, MAX_BYTES))
        except FileNotFoundError:
            return Found(None, None)
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror or error}") from error
        except DamagedError as error:
            return Found(None, str(error))
        except NewerError as error:
            raise NewerError(f"{path} is newer than this program: {error}") from None
        if record.id != match:
            return Found(None, f"it holds match {record.id!r}, not the one of its name")
        return Found(record, None)

    def set_aside(self, match: PlannedMatch) -> Path | None:
        """Move a damaged file out of the way and return where to; the caller holds its lock."""
        path = self.path_of(match.id)
        if self.look(match).damage is None:
            return None  # whoever had the lock before us has replaced it
        place, number = self.folder / "damaged" / path.name, 1
        while place.exists():
            place, number = place.with_name(f"{match.id}.{number}.parquet"), number + 1
        try:
            path.replace(place)
        except OSError as error:
            raise self._unwritable(error) from error
        return place

    def missing(self, plan: Plan) -> list[PlannedMatch]:
        """Return the matches that have no file, or a damaged one."""
        return [match for match in plan.matches if self.look(match).record is None]

    def ledgers(self, plan: Plan) -> list[Ledger]:
        """Return the ledgers of a plan in its order; matches that are missing are left out."""
        records = (self.look(match).record for match in plan.matches)
        return [ledger for record in records if record for ledger in record.ledgers]

    def experiment(self, plan: Plan) -> Experiment:
        """Return a plan's finished games."""
        return gather(self, [plan_file.promise_of(plan)], [])[0]

    def experiments(self) -> list[Experiment]:
        """Return what the store holds, oldest plan first; damaged files are left out, aloud."""
        if not self.exists:
            raise StoreError(f"there is no store at {self.folder}; robustbandits run makes one")
        promises = []
        paths = (self.folder / "plans").glob("*.json")
        for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name)):
            try:
                promises.append(plan_file.decode_plan(_read(path, plan_file.MAX_BYTES)))
            except DamagedError as error:
                raise StoreError(f"{path} is damaged: {error}; delete it and run again") from None
            except NewerError as error:
                raise NewerError(f"{path} is newer than this program: {error}") from None
        matches = sorted(path.stem for path in (self.folder / "matches").glob("*.parquet"))
        return gather(self, promises, matches)


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise DamagedError(f"{path} is larger than {most} bytes")
    return data


def _is_id(text: str) -> bool:
    return len(text) >= 15 and all(letter in "0123456789abcdef" for letter in text)
