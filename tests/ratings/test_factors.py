"""Factors are checked when they are made and when they are loaded, and saved atomically."""

import io
import json
import zipfile

import numpy as np
import pytest

from robustbandits.ratings.factors import ARRAYS, Factors, FactorsError


def parts(seed=0, users=6, items=5, rank=3):
    rng = np.random.default_rng(seed)
    return {
        "users": rng.standard_normal((users, rank)),
        "items": rng.standard_normal((items, rank)),
        "train_rmse": 0.75,
        "regularization": 0.05,
        "user_counts": np.arange(users),
        "item_counts": np.arange(items),
        "item_ids": np.arange(items) * 10,
        "name": "small",
    }


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "factors.npz"
    Factors(**parts()).save(path)
    return path


def rewrite(path, changes, compression=zipfile.ZIP_STORED):
    """Write the file again with some members replaced (by bytes) or left out (None)."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()} | changes
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            if data is not None:
                archive.writestr(name, data)


def npy(array):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize("ids", [np.array([3, 5, 7, 8, 9]), np.array(["a", "bü", "c", "d", "eee"])])
def test_saved_factors_are_loaded_unchanged(tmp_path, ids):
    before = Factors(**(parts() | {"item_ids": ids}))
    before.save(tmp_path / "any name")
    after = Factors.load(tmp_path / "any name")
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert (after.name, after.train_rmse, after.regularization) == ("small", 0.75, 0.05)
    assert after.fingerprint == before.fingerprint
    assert [path.name for path in tmp_path.iterdir()] == ["any name"]


def test_failure_while_saving_leaves_the_old_file(saved, monkeypatch):
    whole = saved.read_bytes()

    def full(*arguments, **arrays):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left") as caught:
        Factors(**parts(1)).save(saved)
    assert caught.value.filename == str(saved)
    assert saved.read_bytes() == whole
    assert list(saved.parent.iterdir()) == [saved]
    monkeypatch.undo()
    Factors(**parts(1)).save(saved)
    assert Factors.load(saved).fingerprint == Factors(**parts(1)).fingerprint


def test_file_cut_off_anywhere_is_refused(saved):
    whole = saved.read_bytes()
    for length in [0, 1, 10, *range(50, len(whole), 97), len(whole) - 1]:
        saved.write_bytes(whole[:length])
        with pytest.raises(FactorsError, match=r"cannot load .*factors\.npz: "):
            Factors.load(saved)


def test_changed_byte_is_refused_or_harmless(saved):
    whole, truth = saved.read_bytes(), Factors.load(saved).fingerprint
    for k in range(0, len(whole), 11):
        changed = bytearray(whole)
        changed[k] ^= 0x55
        saved.write_bytes(changed)
        try:
            found = Factors.load(saved).fingerprint
        except FactorsError:
            continue
        assert found == truth  # for example a byte of a date


@pytest.mark.parametrize(
    ("member", "data", "words"),
    [
        ("users.npy", None, "does not hold the arrays"),
        ("more.npy", npy(np.zeros(2)), "does not hold the arrays"),
        ("users.npy", b"not an array", "cannot load"),
        ("users.npy", npy(np.zeros((6, 3))), "fingerprint is wrong"),
        ("item_ids.npy", npy(np.array(list("abcde"))), "fingerprint is wrong"),
        ("item_counts.npy", npy(-np.ones(5, dtype="<i8")), "item_counts must be >= 0"),
        ("header.npy", npy(np.frombuffer(b"[]", dtype="u1")), "header does not have format 1"),
        ("header.npy", npy(np.frombuffer(b"[" * 100_000, dtype="u1")), "cannot load"),
    ],
)
def test_forged_array_is_refused(saved, member, data, words):
    rewrite(saved, {member: data})
    with pytest.raises(FactorsError, match=words):
        Factors.load(saved)


@pytest.mark.parametrize("rows", [10**7, 10**12, 10**30])
def test_small_file_cannot_claim_much_memory(saved, rows):
    claim = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 3), }}".encode()
    rewrite(saved, {"users.npy": b"\x93NUMPY\x01\x00" + len(claim).to_bytes(2, "little") + claim})
    with pytest.raises(FactorsError, match="cannot load"):
        Factors.load(saved)


def test_compressed_file_is_refused(saved):
    rewrite(saved, {"users.npy": npy(np.zeros((2_000_000, 3)))}, zipfile.ZIP_DEFLATED)
    assert saved.stat().st_size < 200_000
    with pytest.raises(FactorsError, match="arrays are compressed"):
        Factors.load(saved)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 2}, "header does not have format 1"),
        ({"train_rmse": -1.0}, "train_rmse must be >= 0"),
        ({"name": 3}, "name must be a text"),
        ({"name": "other"}, "fingerprint is wrong"),
        ({"extra": 1}, "unexpected keyword argument 'extra'"),
    ],
)
def test_forged_header_is_refused(saved, change, words):
    with np.load(saved, allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes())
    text = json.dumps(header | change).encode()
    rewrite(saved, {"header.npy": npy(np.frombuffer(text, dtype="u1"))})
    with pytest.raises(FactorsError, match=words):
        Factors.load(saved)


def test_pickle_is_refused(saved):
    hostile = io.BytesIO()
    np.lib.format.write_array(hostile, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    rewrite(saved, {"users.npy": hostile.getvalue()})
    with pytest.raises(FactorsError, match="allow_pickle=False"):
        Factors.load(saved)


def test_arrays_are_read_only_copies():
    given = parts()
    factors = Factors(**given)
    given["users"][0, 0] = 99.0
    assert factors.users[0, 0] != 99.0
    with pytest.raises(ValueError, match="read-only"):
        factors.items[0, 0] = 1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"users": np.zeros((6, 0))}, "must be matrices with a column"),
        ({"items": np.zeros((5, 2))}, r"items must have shape \(5, 3\), got \(5, 2\)"),
        ({"users": np.full((6, 3), np.nan)}, "users must be finite"),
        ({"users": np.full((6, 3), -1e160)}, r"users must be finite, at most 1e\+100"),
        ({"item_ids": np.arange(4)}, r"item_ids must have shape \(5,\), got \(4,\)"),
        ({"user_counts": -np.ones(6)}, "user_counts must be >= 0"),
        ({"train_rmse": np.nan}, "train_rmse must be finite"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Factors(**(parts() | change))


def test_fingerprint_follows_every_part():
    seen = {Factors(**parts()).fingerprint}
    for name, value in parts().items():
        other = value + "!" if isinstance(value, str) else value + 1
        seen.add(Factors(**(parts() | {name: other})).fingerprint)
    assert len(seen) == 1 + len(parts())


def test_effective_rank_counts_directions_in_use():
    assert Factors(**parts()).effective_rank == 3
    flat = parts()
    flat["items"][:, 2] = flat["items"][:, 0] + flat["items"][:, 1]
    assert Factors(**flat).effective_rank == 2
    dying = parts()
    dying["users"][:, 1] *= 1e-6
    assert Factors(**dying).effective_rank == 2
    dead = parts()
    dead["users"][:] = 0.0
    assert Factors(**dead).effective_rank == 0
