"""Damaged files, full disks, newer stores: nothing is lost."""

import dataclasses
import errno
import json
import os
import shutil
import stat
import sys

import numpy as np
import pytest

from experiments.lab import bits, contents, small_spec
from robustbandits.experiments.runner import run
from robustbandits.experiments.store import match_file
from robustbandits.experiments.store.match_file import DamagedError, NewerError, decode, encode
from robustbandits.experiments.store.store import Store, StoreError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A finished run, never changed."""
    return run(small_spec(), tmp_path_factory.mktemp("store"), progress=False)


@pytest.fixture
def outcome(original, tmp_path):
    """A copy of the finished run, to damage."""
    shutil.copytree(original.store.folder, tmp_path / "store")
    return original._replace(store=Store(tmp_path / "store"))


def match_to_damage(outcome):
    """Return a match of the run, and the path of its file."""
    match = outcome.plan.matches[1]
    return match, outcome.store.path_of(match.id)


def stored_match(outcome):
    return outcome.store.read(outcome.plan.matches[1]).match


def check_replayed(outcome, original, damaged):
    """Check that the file is named and set aside, and that the replayed match is the same."""
    match, path = match_to_damage(outcome)
    assert outcome.store.missing(outcome.plan) == [match]
    again = run(outcome.plan, outcome.store, progress=False)
    assert (again.found, again.played) == (2, 1)
    (line,) = again.damaged
    aside = outcome.store.folder / "damaged" / path.name
    assert line.startswith(str(aside))
    assert aside.read_bytes() == damaged
    assert bits(again.ledgers()) == bits(original.ledgers())


@pytest.mark.parametrize("keep", [0, 1, 4, 100, -9, -1])
def test_a_truncated_file_is_set_aside_and_replayed(keep, outcome, original):
    _, path = match_to_damage(outcome)
    damaged = path.read_bytes()[:keep]
    path.write_bytes(damaged)
    check_replayed(outcome, original, damaged)


def test_a_wrong_schema_is_set_aside_and_replayed(outcome, original):
    _, path = match_to_damage(outcome)
    pq.write_table(pa.table({"round": [1.0], "regret": ["none"]}), path)
    check_replayed(outcome, original, path.read_bytes())


def test_the_file_of_another_match_is_set_aside_and_replayed(outcome, original):
    _, path = match_to_damage(outcome)
    shutil.copy(outcome.store.path_of(outcome.plan.matches[0].id), path)
    check_replayed(outcome, original, path.read_bytes())


def test_a_flipped_bit_is_found_or_changes_nothing(original):
    _, path = match_to_damage(original)
    data = path.read_bytes()
    expected = bits(stored_match(original).ledgers)
    rng = np.random.default_rng(1)
    found = 0
    for position in rng.choice(len(data), 400, replace=False):
        damaged = bytearray(data)
        damaged[position] ^= 1 << rng.integers(8)
        try:
            match = decode(bytes(damaged))
        except DamagedError:
            found += 1
        else:  # in a part that only other tools read
            assert bits(match.ledgers) == expected
            assert match.spec == original.plan.spec.to_dict()
    assert found > 100


def test_a_second_damaged_file_does_not_replace_the_first(outcome):
    _, path = match_to_damage(outcome)
    for text in (b"first", b"second"):
        path.write_bytes(text)
        run(outcome.plan, outcome.store, progress=False)
    kept = {path.read_bytes() for path in (outcome.store.folder / "damaged").iterdir()}
    assert kept == {b"first", b"second"}


def nan_in(column):
    changed = column.copy()
    changed[3] = np.nan
    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ledger: {"regret": nan_in(ledger.regret)}, "not finite"),
        (lambda ledger: {"rounds": ledger.rounds[::-1]}, "rounds do not increase"),
        (lambda ledger: {"rounds": ledger.rounds + 1}, "rounds do not increase|end after"),
        (lambda ledger: {"rounds": ledger.rounds - ledger.rounds[0]}, "rounds do not increase"),
        (lambda ledger: {"pulls": ledger.pulls + 1}, "pulls"),
        (lambda ledger: {"pulls": ledger.pulls * [1, 1, 1, -1]}, "pulls"),
        (lambda ledger: {"spent": np.inf}, "sums"),
        (lambda ledger: {"last_attack": -1}, "counts"),
        (lambda ledger: {"last_attack": 0.5}, "counts"),
    ],
)
def test_numbers_that_no_game_can_produce_are_refused(change, message, outcome, monkeypatch):
    match = stored_match(outcome)
    first, *rest = match.ledgers
    match = match._replace(ledgers=[dataclasses.replace(first, **change(first)), *rest])
    with pytest.raises(DamagedError, match=message):
        encode(match)
    with monkeypatch.context() as patch:  # as if another program had written the file
        patch.setattr(match_file, "_check", lambda *_: None)
        data = encode(match)
    with pytest.raises(DamagedError, match=message):
        decode(data)


@pytest.mark.parametrize(("limit", "value"), [("MAX_ROWS", 10), ("MAX_BYTES", 100)])
def test_sizes_are_checked_before_memory_is_allocated(limit, value, outcome, monkeypatch):
    _, path = match_to_damage(outcome)
    data = path.read_bytes()
    monkeypatch.setattr(match_file, limit, value)

    def fail(*_):
        raise AssertionError("read before the check")

    monkeypatch.setattr(match_file, "_numbers", fail)
    with pytest.raises(DamagedError, match=r"larger|memory"):
        decode(data)


def test_experiments_leave_out_a_damaged_file_with_a_warning(outcome):
    _, path = match_to_damage(outcome)
    path.write_bytes(b"junk")
    before = contents(outcome.store.folder)
    with pytest.warns(RuntimeWarning, match=path.name):
        (found,) = outcome.store.experiments()
    assert found.provenance["finished"] == 2
    assert contents(outcome.store.folder) == before


def test_a_newer_store_is_refused_and_unchanged(outcome):
    folder = outcome.store.folder
    (folder / "store.json").write_text(json.dumps({"format": 99, "made_by": "robustbandits 9.0"}))
    before = contents(folder)
    with pytest.raises(NewerError, match=r"made by robustbandits 9\.0.*install that version"):
        run(outcome.plan, folder, progress=False)
    assert contents(folder) == before


def test_a_newer_match_is_refused_and_unchanged(outcome, monkeypatch):
    match, path = match_to_damage(outcome)
    stored = stored_match(outcome)
    monkeypatch.setattr(match_file, "FORMAT", 2)
    path.write_bytes(encode(stored))
    monkeypatch.undo()
    before = contents(outcome.store.folder)
    with pytest.raises(NewerError, match=match.id):
        run(outcome.plan, outcome.store.folder, progress=False)
    assert contents(outcome.store.folder) == before


def test_a_damaged_store_file_is_named(outcome):
    (outcome.store.folder / "store.json").write_text("{")
    with pytest.raises(StoreError, match=r"store\.json is damaged"):
        Store(outcome.store.folder)


@pytest.mark.parametrize("room", [0, 1, 2])
def test_a_full_disk_keeps_finished_matches(room, tmp_path, original, monkeypatch):
    store = Store(tmp_path / "store")
    store.write_plan(original.plan)
    fsync_file, done = os.fsync, []

    def fsync(handle):
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return fsync_file(handle)
        if len(done) >= room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done.append(handle)
        return fsync_file(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(StoreError, match=r"No space left on device.*same command again"):
            run(original.plan, store, progress=False)
    assert len(store.missing(original.plan)) == 3 - room
    assert len(list((store.folder / "matches").iterdir())) == room
    again = run(original.plan, store, progress=False)
    assert (again.found, again.played) == (room, 3 - room)
    assert bits(again.ledgers()) == bits(original.ledgers())


def test_a_failed_write_is_a_clear_error(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    store = Store(tmp_path / "store")
    monkeypatch.setattr("pathlib.Path.mkdir", fail)
    with pytest.raises(StoreError, match=r"cannot write to the store .*Permission denied"):
        store.open()


def test_without_pyarrow_nothing_is_damaged(outcome, tmp_path, monkeypatch):
    match, path = match_to_damage(outcome)
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    missing = "a store needs pyarrow: pip install"
    with pytest.raises(ImportError, match=missing):
        outcome.store.read(match)
    with pytest.raises(ImportError, match=missing):
        run(outcome.plan, outcome.store, progress=False)
    assert path.exists()
    with pytest.raises(ImportError, match=missing):
        Store(tmp_path / "another")
    assert not (tmp_path / "another").exists()
