"""Files that cannot be believed, disks that are full, stores of the future: nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys

import numpy as np
import pytest

from experiments.lab import bits, picture, small_plan, small_spec
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
    """A copy of it to spoil."""
    shutil.copytree(original.store.folder, tmp_path / "store")
    return original._replace(store=Store(tmp_path / "store"))


def victim(outcome):
    match = outcome.plan.matches[1]
    return match, outcome.store.path_of(match.id)


def record_of(outcome):
    return outcome.store.look(outcome.plan.matches[1]).record


def check_replayed(outcome, original, spoiled):
    """The damaged file is named and kept aside, the match replayed, the results the same."""
    match, path = victim(outcome)
    assert outcome.store.missing(outcome.plan) == [match]
    again = run(outcome.plan, outcome.store, progress=False)
    assert (again.found, again.played) == (2, 1)
    (line,) = again.damaged
    aside = outcome.store.folder / "damaged" / path.name
    assert line.startswith(str(aside))
    assert aside.read_bytes() == spoiled
    assert bits(again.experiment().ledgers) == bits(original.experiment().ledgers)


@pytest.mark.parametrize("keep", [0, 1, 4, 100, -9, -1])
def test_a_truncated_file_is_set_aside_and_replayed(keep, outcome, original):
    _, path = victim(outcome)
    spoiled = path.read_bytes()[:keep]
    path.write_bytes(spoiled)
    check_replayed(outcome, original, spoiled)


def test_a_wrong_schema_is_set_aside_and_replayed(outcome, original):
    _, path = victim(outcome)
    pq.write_table(pa.table({"round": [1.0], "regret": ["none"]}), path)
    check_replayed(outcome, original, path.read_bytes())


def test_the_file_of_another_match_is_set_aside_and_replayed(outcome, original):
    _, path = victim(outcome)
    shutil.copy(outcome.store.path_of(outcome.plan.matches[0].id), path)
    check_replayed(outcome, original, path.read_bytes())


def test_a_flipped_bit_changes_nothing_that_is_believed(original):
    match, path = victim(original)
    data = path.read_bytes()
    due = bits(original.store.find(match.id).record.ledgers)
    rng = np.random.default_rng(1)
    found = 0
    for position in rng.choice(len(data), 400, replace=False):
        spoiled = bytearray(data)
        spoiled[position] ^= 1 << rng.integers(8)
        try:
            record = decode(bytes(spoiled))
        except DamagedError:
            found += 1
        else:  # in what only other tools read
            assert bits(record.ledgers) == due
            assert record.spec == original.plan.spec.to_dict()
    assert found > 100


def test_a_second_damaged_file_does_not_replace_the_first(outcome):
    _, path = victim(outcome)
    for text in (b"first", b"second"):
        path.write_bytes(text)
        run(outcome.plan, outcome.store, progress=False)
    kept = {path.read_bytes() for path in (outcome.store.folder / "damaged").iterdir()}
    assert kept == {b"first", b"second"}


def with_ledger(record, **changes):
    values = {key: np.array(value) for key, value in changes.items()}
    first = record.ledgers[0]
    for key, value in values.items():
        object.__setattr__(first, key, value if value.ndim else value.item())
    return record


def nan_in(column):
    spoiled = column.copy()
    spoiled[3] = np.nan
    return spoiled


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda one: {"regret": nan_in(one.regret)}, "not finite"),
        (lambda one: {"rounds": one.rounds[::-1]}, "rounds do not go up"),
        (lambda one: {"rounds": one.rounds + 1}, "rounds do not go up|end after"),
        (lambda one: {"rounds": one.rounds - one.rounds[0]}, "rounds do not go up"),
        (lambda one: {"pulls": one.pulls + 1}, "pulls"),
        (lambda one: {"pulls": one.pulls * [1, 1, 1, -1]}, "pulls"),
        (lambda one: {"spent": np.inf}, "sums"),
        (lambda one: {"last_attack": -1}, "counts"),
        (lambda one: {"last_attack": 0.5}, "counts"),
    ],
)
def test_numbers_no_game_can_have_left_are_refused(spoil, message, outcome, monkeypatch):
    record = record_of(outcome)
    record = with_ledger(record, **spoil(record.ledgers[0]))
    with pytest.raises(DamagedError, match=message):
        encode(record)
    with monkeypatch.context() as patch:  # a forger would not check either
        patch.setattr(match_file, "_check", lambda *_: None)
        data = encode(record)
    with pytest.raises(DamagedError, match=message):
        decode(data)


@pytest.mark.parametrize(("limit", "value"), [("MAX_ROWS", 10), ("MAX_BYTES", 100)])
def test_sizes_are_checked_before_memory_is_taken(limit, value, outcome, monkeypatch):
    _, path = victim(outcome)
    data = path.read_bytes()
    monkeypatch.setattr(match_file, limit, value)

    def explode(*_):
        raise AssertionError("read before it was checked")

    monkeypatch.setattr(match_file, "_numbers", explode)
    with pytest.raises(DamagedError, match=r"larger|memory"):
        decode(data)


def test_a_report_leaves_a_damaged_file_out_aloud_and_in_its_place(outcome):
    _, path = victim(outcome)
    path.write_bytes(b"junk")
    before = picture(outcome.store.folder)
    with pytest.warns(RuntimeWarning, match=path.name):
        (found,) = outcome.store.experiments()
    assert found.provenance["finished"] == 2
    assert picture(outcome.store.folder) == before


def test_a_newer_store_is_refused_and_untouched(outcome):
    folder = outcome.store.folder
    (folder / "store.json").write_text(json.dumps({"format": 99, "made_by": "robustbandits 9.0"}))
    before = picture(folder)
    with pytest.raises(NewerError, match=r"made by robustbandits 9\.0.*install that version"):
        run(outcome.plan, folder, progress=False)
    assert picture(folder) == before


def test_a_newer_match_is_refused_and_untouched(outcome, monkeypatch):
    match, path = victim(outcome)
    record = record_of(outcome)
    monkeypatch.setattr(match_file, "FORMAT", 2)
    path.write_bytes(encode(record))
    monkeypatch.undo()
    before = picture(outcome.store.folder)
    with pytest.raises(NewerError, match=match.id):
        run(outcome.plan, outcome.store.folder, progress=False)
    assert picture(outcome.store.folder) == before


def test_a_damaged_store_file_is_named(outcome):
    (outcome.store.folder / "store.json").write_text("{")
    with pytest.raises(StoreError, match=r"store\.json is damaged"):
        Store(outcome.store.folder)


@pytest.mark.parametrize("room", [0, 1, 2])
def test_a_full_disk_keeps_finished_matches_and_says_so(room, tmp_path, original, monkeypatch):
    store = Store(tmp_path / "store")
    store.remember(original.plan)
    really, done = os.fsync, []

    def fsync(handle):
        if len(done) >= room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done.append(handle)
        really(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(StoreError, match=r"No space left on device.*same command again"):
            run(original.plan, store, progress=False)
    assert len(store.missing(original.plan)) == 3 - room
    assert len(list((store.folder / "matches").iterdir())) == room
    again = run(original.plan, store, progress=False)
    assert (again.found, again.played) == (room, 3 - room)
    assert bits(again.experiment().ledgers) == bits(original.experiment().ledgers)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_an_unwritable_folder_is_a_clear_error(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot write to the store"):
            run(small_plan(), tmp_path / "store", progress=False)
    finally:
        tmp_path.chmod(0o700)


def test_a_failed_write_is_a_clear_error(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    store = Store(tmp_path / "store")
    monkeypatch.setattr("pathlib.Path.mkdir", fail)
    with pytest.raises(StoreError, match=r"cannot write to the store .*Permission denied"):
        store.open()


def test_without_pyarrow_nothing_is_damaged(outcome, tmp_path, monkeypatch):
    match, path = victim(outcome)
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    missing = "a store needs pyarrow: pip install"
    with pytest.raises(ImportError, match=missing):
        outcome.store.look(match)
    with pytest.raises(ImportError, match=missing):
        run(outcome.plan, outcome.store, progress=False)
    assert path.exists()
    with pytest.raises(ImportError, match=missing):
        Store(tmp_path / "another")
    assert not (tmp_path / "another").exists()
