"""Factors: checked when made, saved whole, and never believed when loaded."""

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


# ------------------------------------------------------------------------------ save and load


@pytest.mark.parametrize("ids", [np.array([3, 5, 7, 8, 9]), np.array(["a", "bü", "c", "d", "eee"])])
def test_comes_back_as_it_was(tmp_path, ids):
    before = Factors(**(parts() | {"item_ids": ids}))
    before.save(tmp_path / "any name")
    after = Factors.load(tmp_path / "any name")
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert (after.name, after.train_rmse, after.regularization) == ("small", 0.75, 0.05)
    assert after.fingerprint == before.fingerprint
    assert [path.name for path in tmp_path.iterdir()] == ["any name"]


def test_the_file_is_an_npz_without_pickle(saved):
    with np.load(saved, allow_pickle=False) as archive:
        assert set(archive.files) == {"header", *ARRAYS}
        np.testing.assert_array_equal(archive["items"], parts()["items"])


def test_saving_replaces_and_a_failure_leaves_the_old_file(saved, monkeypatch):
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


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        Factors.load(tmp_path / "nothing")


# ------------------------------------------------------------------------------ damaged files


def test_a_file_cut_anywhere_is_refused(saved):
    whole = saved.read_bytes()
    for length in [0, 1, 10, *range(50, len(whole), 97), len(whole) - 1]:
        saved.write_bytes(whole[:length])
        with pytest.raises(FactorsError, match=r"cannot load .*factors\.npz: "):
            Factors.load(saved)


def test_a_changed_byte_never_gives_other_numbers(saved):
    whole, truth = saved.read_bytes(), Factors.load(saved).fingerprint
    for place in range(0, len(whole), 11):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        saved.write_bytes(changed)
        try:
            found = Factors.load(saved).fingerprint
        except FactorsError:
            continue
        assert found == truth  # a byte that nobody reads, such as a date


@pytest.mark.parametrize(
    ("member", "data", "words"),
    [
        ("users.npy", None, "does not hold the arrays"),
        ("more.npy", npy(np.zeros(2)), "does not hold the arrays"),
        ("users.npy", b"not an array", "'users' is not one"),
        ("users.npy", npy(np.zeros((6, 3), dtype=np.float32)), "is not what it should be"),
        ("users.npy", npy(np.asfortranarray(np.ones((6, 3)))), "is not what it should be"),
        ("users.npy", npy(np.zeros((6, 3))) + b"more", "is not what it should be"),
        ("users.npy", npy(np.full((6, 3), np.nan)), "users must be finite"),
        ("users.npy", npy(np.zeros((6, 4))), r"items must have shape \(5, 4\)"),
        ("users.npy", npy(np.zeros((6, 3))), "fingerprint is wrong"),
        ("items.npy", npy(np.zeros(3)), "must be matrices"),
        ("item_counts.npy", npy(np.zeros(4, dtype="<i8")), "item_counts must have shape"),
        ("item_counts.npy", npy(-np.ones(5, dtype="<i8")), "item_counts must be >= 0"),
        ("header.npy", npy(np.frombuffer(b"{", dtype="u1")), "not JSON"),
        ("header.npy", npy(np.frombuffer(b"[]", dtype="u1")), "header is not what"),
        ("header.npy", npy(np.zeros(2 << 20, dtype="u1")), "header is too long"),
    ],
)
def test_a_forged_member_is_refused(saved, member, data, words):
    rewrite(saved, {member: data})
    with pytest.raises(FactorsError, match=words):
        Factors.load(saved)


def test_a_small_file_cannot_claim_much_memory(saved):
    huge = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }"
    header = b"\x93NUMPY\x01\x00" + len(huge).to_bytes(2, "little") + huge
    rewrite(saved, {"users.npy": header})
    with pytest.raises(FactorsError, match="is not what it should be"):
        Factors.load(saved)
    Factors(**parts()).save(saved)
    rewrite(saved, {"users.npy": npy(np.zeros((2_000_000, 3)))}, zipfile.ZIP_DEFLATED)
    assert saved.stat().st_size < 200_000
    with pytest.raises(FactorsError, match="members claim"):
        Factors.load(saved)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 2}, "has format 2, 1 is due"),
        ({"train_rmse": -1.0}, "train_rmse must be >= 0"),
        ({"train_rmse": "low"}, "train_rmse must be a number"),
        ({"name": 3}, "name must be a text"),
        ({"name": "other"}, "fingerprint is wrong"),
        ({"extra": 1}, "header is not what"),
    ],
)
def test_a_forged_header_is_refused(saved, change, words):
    with np.load(saved, allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes())
    text = json.dumps(header | change).encode()
    rewrite(saved, {"header.npy": npy(np.frombuffer(text, dtype="u1"))})
    with pytest.raises(FactorsError, match=words):
        Factors.load(saved)


def test_a_pickle_is_refused(saved):
    rewrite(saved, {"users.npy": b"\x93NUMPY\x01\x00" + npy(np.array([[1.0]]))[8:]})
    with pytest.raises(FactorsError):
        Factors.load(saved)
    hostile = io.BytesIO()
    np.lib.format.write_array(hostile, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    rewrite(saved, {"users.npy": hostile.getvalue()})
    with pytest.raises(FactorsError, match="is not what it should be"):
        Factors.load(saved)


# -------------------------------------------------------------------------------- the object


def test_nobody_can_change_it():
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
        ({"items": np.full((5, 3), np.inf)}, "items must be finite"),
        ({"users": np.full((6, 3), np.nan)}, "users must be finite"),
        ({"users": np.full((6, 3), -1e160)}, r"users must be finite, at most 1e\+100"),
        ({"item_ids": np.arange(4)}, r"item_ids must have shape \(5,\), got \(4,\)"),
        ({"user_counts": -np.ones(6)}, "user_counts must be >= 0"),
        ({"train_rmse": np.nan}, "train_rmse must be finite"),
        ({"regularization": -0.1}, "regularization must be >= 0"),
    ],
)
def test_refuses_what_does_not_fit(change, words):
    with pytest.raises(ValueError, match=words):
        Factors(**(parts() | change))


def test_fingerprint_follows_every_part():
    seen = {Factors(**parts()).fingerprint}
    for name, value in parts().items():
        other = value + "!" if isinstance(value, str) else value + 1
        seen.add(Factors(**(parts() | {name: other})).fingerprint)
    assert len(seen) == 1 + len(parts())


def test_effective_rank_counts_live_directions():
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


def test_says_what_it_is():
    text = repr(Factors(**parts()))
    assert text == "<Factors of small: 6 users, 5 items, rank 3, train RMSE 0.7500>"
