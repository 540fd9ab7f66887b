"""The store: a folder with one file for each finished match.

::

    store.json          format, and the version that made it
    plans/ID.json       a plan: the spec and its matches
    matches/ID.parquet  a finished match; the id is a hash of what was played
    damaged/            damaged files, set aside
    lock                never read or written; see :mod:`robustbandits.experiments.store.locks`

A match is missing if it is planned and has no file. Its games may still be there, in the file of
another match. No other record exists that could disagree with the files.
"""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from robustbandits._atomic import drafts, remove_old_drafts, write_files, write_whole
from robustbandits._version import __version__
from robustbandits.experiments.plan import Plan, PlannedMatch, match_id_of
from robustbandits.experiments.provenance import provenance
from robustbandits.experiments.store import match_file, plan_file, reuse
from robustbandits.experiments.store.load import Experiment as Experiment
from robustbandits.experiments.store.load import largest_plans, merge_provenance, recover_plans
from robustbandits.experiments.store.locks import Locks, locks_on
from robustbandits.experiments.store.match_file import DamagedError, NewerError, StoredMatch
from robustbandits.game.ledger import Ledger

_NAMES = {"store.json", "plans", "matches", "damaged", "lock"}


class StoreError(OSError):
    """A store that cannot be used; the message says why and what to do."""


class ReadResult(NamedTuple):
    """The result of reading a match's file; both are None if there is no file."""

    match: StoredMatch | None
    damage: str | None  # what is wrong with the file, if it is damaged


class Store:
    """A folder of finished matches. Nothing is created before something is written.

    Parameters
    ----------
    folder
        A store, an empty folder, or a folder that does not exist yet.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        match_file.parquet()  # raises before anything is fetched, played or written
        self.folder = Path(folder)
        self._locks: Locks | None = None
        self._check_folder()

    def _check_folder(self) -> None:
        """Raise if the folder has other files, or if a newer version made it; change nothing."""
        try:
            names = {path.name for path in self.folder.iterdir()}
        except FileNotFoundError:
            return
        except NotADirectoryError:
            raise StoreError(f"{self.folder} is a file; a store is a folder") from None
        except OSError as error:
            raise StoreError(f"cannot read the store {self.folder}: {error.strerror}") from error
        foreign = {name for name in names if not name.startswith(".")} - _NAMES
        if foreign and "store.json" not in names:
            raise StoreError(
                f"{self.folder} is not a store: it contains {min(foreign)!r}; "
                f"choose an empty or a new folder"
            )
        if "store.json" in names:
            self._check_format()

    def _check_format(self) -> None:
        path = self.folder / "store.json"
        try:
            about = json.loads(_read(path, 1 << 20))
            number, version = int(about["format"]), str(about["made_by"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StoreError(
                f"{path} is damaged; if its matches were made by this version, delete that file"
            ) from None
        if number > match_file.FORMAT:
            raise NewerError(
                f"the store {self.folder} was made by {version}, which is newer than this "
                f"robustbandits {__version__}: install that version (nothing was changed)"
            )

    @property
    def exists(self) -> bool:
        """Whether the folder is a store already."""
        return (self.folder / "store.json").exists()

    def open(self) -> Locks:
        """Prepare the folder for writing, and remove unfinished files of dead processes."""
        with self._writing():
            for name in ("plans", "matches", "damaged"):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            if not self.exists:
                about = {"format": match_file.FORMAT, "made_by": f"robustbandits {__version__}"}
                write_whole(self.folder / "store.json", json.dumps(about).encode())
            self._locks = self._locks or locks_on(self.folder / "lock")
            self._remove_drafts(self._locks)
        return self._locks

    def _remove_drafts(self, locks: Locks) -> None:
        """Delete the unfinished file of a match if its lock is free, and others after a day."""
        for folder in (self.folder, self.folder / "plans"):
            remove_old_drafts(folder)
        if not locks.works:
            return
        for path, name in drafts(self.folder / "matches"):
            match = name.removesuffix(".parquet")
            if _is_id(match) and locks.acquire(match):
                path.unlink(missing_ok=True)
                locks.release(match)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn file system errors into errors that say what to do."""
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"cannot write to the store {self.folder}: {error.strerror or error}; finished "
                f"matches are safe: free disk space or fix permissions, then run the same command "
                f"again"
            ) from error

    def path_of(self, match: str) -> Path:
        """Return the path of a match's file, which need not exist."""
        return self.folder.joinpath("matches", f"{match}.parquet")

    def claim(self, match: PlannedMatch) -> bool:
        """Reserve a match for this process; False if another one is playing it."""
        return (self._locks or self.open()).acquire(match.id)

    def release(self, match: PlannedMatch) -> None:
        """End the claim. If a process dies, the operating system ends its claims."""
        (self._locks or self.open()).release(match.id)

    def find_games(self, plan: Plan, missing: Sequence[PlannedMatch]) -> dict[str, str]:
        """Return the games of missing matches that other matches hold: ids of game and match."""
        matches = self.folder / "matches"
        return reuse.find_games(matches, plan, missing, lambda match: self._find(match).match)

    def write(
        self,
        plan: Plan,
        finished: Iterable[tuple[PlannedMatch, Sequence[Ledger]]],
        sources: Mapping[str, str] | None = None,
    ) -> None:
        """Store finished matches; after a crash each file is complete or absent.

        Several at once take less time for each. Games in ``sources``, the result of
        :meth:`find_games`, have no ledger here: they are copied from the matches that hold them.
        """
        if self._locks is None:
            self.open()
        # All are encoded before the first is written: while a file is flushed, other threads
        # replace the contents of the processor's cache, which makes encoding slower.
        made = provenance(plan.spec)
        files = {}
        for match, ledgers in finished:
            stored = StoredMatch(
                id=match.id,
                spec=plan.spec_values,
                provenance=made,
                games=tuple(game.id for game in match.games),
                length=match.rounds,
                ledgers=list(ledgers),
            )
            if sources:
                stored = self._add_games(stored, match, sources)
            files[self.path_of(match.id).name] = match_file.encode(stored)
        with self._writing():
            write_files(self.folder / "matches", files)

    def _add_games(
        self, stored: StoredMatch, match: PlannedMatch, sources: Mapping[str, str]
    ) -> StoredMatch:
        """Return a match with the games that other matches hold."""
        try:
            ledgers, earlier = reuse.add_stored(
                match, stored.ledgers, sources, lambda source: self._find(source).match
            )
        except LookupError as error:
            raise StoreError(
                f"{self.path_of(error.args[0])} was removed or damaged during this run, which "
                f"needs its games: run the same command again"
            ) from None
        made = {**stored.provenance, reuse.EARLIER: earlier}
        return stored._replace(ledgers=ledgers, provenance=made)

    def write_plan(self, plan: Plan) -> None:
        """Store a plan, so that a report can show it without the spec's file."""
        name, data = plan_file.encode_plan(plan)
        self.open()
        path = self.folder / "plans" / f"{name}.json"
        with self._writing():
            if not path.exists():
                write_whole(path, data)

    def read(self, match: PlannedMatch) -> ReadResult:
        """Read the file of a planned match; its ledgers get the labels of the plan."""
        found = self._find(match.id, match)
        if found.match is None:
            return found
        stored = found.match.length, found.match.ledgers[0].seed
        if match_id_of(found.match.games) != match.id or stored != (match.rounds, match.seed):
            return ReadResult(None, "its games are not those of the match it is named after")
        return found

    def _find(self, match: str, planned: PlannedMatch | None = None) -> ReadResult:
        path = self.path_of(match)
        try:
            stored = match_file.decode(_read(path, match_file.MAX_BYTES), planned)
        except FileNotFoundError:
            return ReadResult(None, None)
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror or error}") from error
        except DamagedError as error:
            return ReadResult(None, str(error))
        except NewerError as error:
            raise NewerError(f"{path} is newer than this program: {error}") from None
        if stored.id != match:
            return ReadResult(None, f"it contains another match, {stored.id!r}")
        return ReadResult(stored, None)

    def recheck(self, match: PlannedMatch) -> tuple[bool, str | None]:
        """Return whether a claimed match is stored now, and a note if a damaged file was set aside.

        Another process may have stored the match before this process claimed it.
        """
        found = self.read(match)
        if found.damage is None:
            return found.match is not None, None
        path = self.path_of(match.id)
        target, number = self.folder / "damaged" / path.name, 1
        while target.exists():
            target, number = target.with_name(f"{match.id}.{number}.parquet"), number + 1
        with self._writing(), contextlib.suppress(FileNotFoundError):  # moved by another process
            path.replace(target)
        return False, f"{target}: {found.damage}"

    def missing(self, plan: Plan) -> list[PlannedMatch]:
        """Return the matches that have no file, or a damaged one."""
        return [match for match in plan.matches if self.read(match).match is None]

    def ledgers(self, plan: Plan) -> list[Ledger]:
        """Return the ledgers of a plan's finished matches, in its order."""
        return self.experiment(plan).ledgers

    def experiment(self, plan: Plan) -> Experiment:
        """Return a plan's finished games; damaged files are left out, with a warning."""
        ledgers: list[Ledger] = []
        provenances = []
        for match in plan.matches:
            stored, damage = self.read(match)
            if damage is not None:
                warnings.warn(
                    f"{self.path_of(match.id)} is damaged and left out: {damage}; the same run "
                    f"command sets it aside and plays the match again",
                    RuntimeWarning,
                    stacklevel=3,
                )
            if stored is not None:
                provenances.append(stored.provenance)
                ledgers.extend(stored.ledgers)
        return Experiment(plan.spec, ledgers, merge_provenance(provenances, len(plan.matches)))

    def experiments(self) -> list[Experiment]:
        """Return all experiments, oldest plan first; damaged files are left out, with a warning."""
        if not self.exists:
            raise StoreError(f"there is no store at {self.folder}; robustbandits run makes one")
        plans = self._plans()
        planned = {match.id for plan in plans for match in plan.matches}
        files = sorted(path.stem for path in (self.folder / "matches").glob("*.parquet"))
        others = (self._find(match).match for match in files if match not in planned)
        recovered = recover_plans(match for match in others if match is not None)
        experiments = [self.experiment(plan) for plan in (*largest_plans(plans), *recovered)]
        return [experiment for experiment in experiments if experiment.ledgers]

    def _plans(self) -> list[Plan]:
        plans = []
        paths = (self.folder / "plans").glob("*.json")
        for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name)):
            try:
                plans.append(plan_file.decode_plan(_read(path, plan_file.MAX_BYTES)))
            except DamagedError as error:
                raise StoreError(
                    f"{path} is damaged or newer than this program: {error}; install a newer "
                    f"version, or delete the file and run the same command again"
                ) from None
            except NewerError as error:
                raise NewerError(f"{path} is newer than this program: {error}") from None
        return plans


def _read(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise DamagedError(f"{path} is larger than {limit} bytes")
    return data


def _is_id(text: str) -> bool:
    return len(text) >= 15 and all(letter in "0123456789abcdef" for letter in text)
