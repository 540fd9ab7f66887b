"""Data arrives whole and checked, or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile

import pytest

from ratings.data_room import DATA, HEADER, NAME, TITLES, zipped
from ratings.rating_samples import RATINGS, triples
from robustbandits.environments import DataError, read_ratings
from robustbandits.ratings import _archives
from robustbandits.ratings._download import NoAnswer
from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K, NETFLIX
from robustbandits.ratings.fetch import fetch
from robustbandits.ratings.locate import (
    data_dir,
    find_netflix,
    locate,
    movielens_100k,
    verify,
)
from shared_data import sample

WHEEL = {"recbole/dataset_example/ml-100k/ml-100k.inter": HEADER + DATA}


def test_own_path_comes_first_as_folder_file_or_archive(room):
    folder = room.folder / "mine"
    (folder / "ml-100k").mkdir(parents=True)
    (folder / "ml-100k" / "u.data").write_bytes(DATA)
    (folder / "ml-100k" / "u.item").write_bytes(b"2|Tea|x|y|z\n")
    (folder / "ml-100k.zip").write_bytes(zipped({"ml-100k/u.data": DATA}))
    for path in ("", "ml-100k", "ml-100k/u.data", "ml-100k.zip"):
        kept = fetch(NAME, folder / path, say=room.said.append)
        assert kept == room.kept
        assert triples(read_ratings(kept)) == RATINGS
        assert locate(NAME) == kept
    fetch(NAME, folder, say=room.said.append)
    assert read_ratings(room.kept).titles == {2: "Tea"}
    assert room.names() == [NAME, f"{NAME}/u.data", f"{NAME}/u.item"]


def test_variable_names_the_users_copy(room, monkeypatch):
    own = room.folder / "own.data"
    own.write_bytes(DATA)
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(own))
    assert locate(NAME) == own
    assert movielens_100k() == own
    assert fetch(NAME, say=room.said.append) == room.kept
    packed = room.folder / "own.zip"
    packed.write_bytes(zipped({"u.data": DATA}))
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(packed))
    assert locate(NAME) == room.kept
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(room.folder / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"ROBUSTBANDITS_MOVIELENS is set to .*nowhere"):
        movielens_100k()


def test_archive_comes_before_the_wheel(room):
    room.archive(zipped({"ml-100k/u.data": DATA, "ml-100k/README": b"terms", "x/u.data": b"no"}))
    room.wheel(AssertionError("pip must not be asked"))
    assert movielens_100k() == room.kept
    assert room.names() == [NAME, f"{NAME}/README", f"{NAME}/u.data"]


def test_wheel_is_read_when_the_archive_does_not_answer(room):
    room.wheel(WHEEL | {"recbole/dataset_example/ml-100k/ml-100k.item": TITLES})
    fetch(NAME, say=room.said.append)
    table = read_ratings(room.kept)
    assert triples(table) == RATINGS
    assert table.titles == {2: "Tea"}
    said = "\n".join(room.said)
    assert "archive: no answer; trying the next source" in said
    assert "from the wheel recbole==1.2.1" in said


def test_page_in_the_place_of_the_archive_is_no_answer(room):
    room.archive(b"<html>please log in</html>")
    room.wheel(WHEEL)
    assert triples(read_ratings(fetch(NAME, say=room.said.append))) == RATINGS


def test_every_fetch_tells_licence_and_citation(room, capsys):
    room.wheel(WHEEL)
    for _ in range(2):
        fetch(NAME)
        told = capsys.readouterr().err
        assert "licence: research use" in told
        assert "Harper" in told
    assert "already" in told


def test_good_copy_is_kept_and_damaged_one_replaced(room):
    room.wheel(WHEEL)
    fetch(NAME, say=room.said.append)
    room.wheel(NoAnswer("offline"))
    assert fetch(NAME, say=room.said.append) == room.kept
    with pytest.raises(DataError, match="could not be fetched"):
        fetch(NAME, again=True, say=room.said.append)
    assert locate(NAME) == room.kept
    (room.kept / "u.data").write_bytes(DATA[:-5])
    with pytest.raises(DataError, match="expected SHA-256"):
        locate(NAME)
    room.wheel(WHEEL)
    fetch(NAME, say=room.said.append)
    assert (room.kept / "u.data").read_bytes() == DATA
    assert room.names() == [NAME, f"{NAME}/u.data"]


def test_wrong_ratings_are_refused_and_nothing_is_written(room):
    wrong = DATA + b"0\t50\t5\t881250949\n"
    room.archive(zipped({"ml-100k/u.data": wrong}))
    expected = DATASETS[NAME].sha256
    with pytest.raises(DataError, match=rf"u.data of https.*expected SHA-256 {expected}, found"):
        fetch(NAME, say=room.said.append)
    assert room.names() == []


def test_no_source_explains_in_one_message_what_to_do(room):
    with pytest.raises(DataError) as caught:
        movielens_100k()
    message = str(caught.value)
    for words in ("archive: no answer", "pip: no answer", "--from PATH", "ROBUSTBANDITS_MOVIELENS"):
        assert words in message
    assert not (room.folder / "data").exists()


def test_crash_while_landing_leaves_the_old_copy_or_nothing(room, monkeypatch):
    room.wheel(WHEEL)

    def fail(descriptor):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="disk full"):
            fetch(NAME, say=room.said.append)
    assert room.names() == []


@pytest.mark.parametrize("size", [0, 10, 100, -30])
def test_cut_off_archive_is_refused(room, size):
    packed = room.folder / "ml-100k.zip"
    packed.write_bytes(zipped({"ml-100k/u.data": DATA * 9})[:size])
    with pytest.raises(DataError, match=r"ml-100k.zip is damaged or cut off"):
        fetch(NAME, packed, say=room.said.append)
    assert not room.kept.exists()


def test_damaged_member_and_bomb_are_refused(room, monkeypatch):
    data = bytearray(zipped({"u.data": os.urandom(5000)}))
    data[2000] ^= 255
    packed = room.folder / "ml-100k.zip"
    packed.write_bytes(data)
    with pytest.raises(DataError, match="damaged or cut off"):
        fetch(NAME, packed, say=room.said.append)
    monkeypatch.setattr(_archives, "LARGEST_FILE", 1 << 20)
    packed.write_bytes(zipped({"u.data": bytes(5 << 20)}))
    with pytest.raises(DataError, match="has more than 1 MB"):
        fetch(NAME, packed, say=room.said.append)


def test_every_changed_byte_of_an_archive_is_damage_or_harmless(room):
    whole = zipped({"ml-100k/u.data": DATA})
    packed = room.folder / "ml-100k.zip"
    for place in range(len(whole)):
        packed.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        for archive in (packed, io.BytesIO(packed.read_bytes())):
            with contextlib.suppress(DataError):
                assert (
                    _archives.read_members(archive, ("u.data",), "it").get("u.data", DATA) == DATA
                )


def test_damaged_archive_is_no_answer_so_the_wheel_is_read(room):
    damaged = bytearray(zipped({"ml-100k/u.data": DATA}))
    damaged[-3] = 255  # the list of files is said to start far behind the end
    room.archive(bytes(damaged))
    room.wheel(WHEEL)
    assert fetch(NAME, say=room.said.append) == room.kept


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_packed_in_an_unusual_way_is_refused(room, packing):
    packed = room.folder / "ml-100k.zip"
    with zipfile.ZipFile(packed, "w", packing) as archive:
        archive.writestr("ml-100k/u.data", DATA)
    data = bytearray(packed.read_bytes())
    data[len(data) // 3] ^= 255  # each packing has an error of its own for damaged bytes
    packed.write_bytes(data)
    with pytest.raises(DataError, match=r"ml-100k.zip: ml-100k/u.data is packed in an unusual way"):
        fetch(NAME, packed, say=room.said.append)
    assert not room.kept.exists()


def test_names_in_archives_never_become_paths(room):
    packed = room.folder / "evil.zip"
    packed.write_bytes(zipped({"../../u.data": DATA, "/README": b"x", "../evil.sh": b"x"}))
    fetch(NAME, packed, say=room.said.append)
    assert room.names() == [NAME, f"{NAME}/README", f"{NAME}/u.data"]
    assert sorted(path.name for path in room.folder.iterdir()) == ["data", "evil.zip"]
    packed.write_bytes(zipped({"readme.txt": b"x"}))
    with pytest.raises(DataError, match=r"holds no u.data"):
        fetch(NAME, packed, say=room.said.append)


def test_missing_paths_and_names(room):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        fetch(NAME, room.folder / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"holds no u.data"):
        fetch(NAME, room.folder)
    with pytest.raises(ValueError, match="no data set 'jester'; known are movielens-100k"):
        fetch("jester")
    with pytest.raises(DataError, match="nothing to fetch: set ROBUSTBANDITS_NETFLIX"):
        fetch("netflix")


def test_bad_copy_is_named_with_the_remedy(room, monkeypatch):
    room.kept.mkdir(parents=True)
    (room.kept / "u.data").write_bytes(DATA[:-5])
    with pytest.raises(DataError, match=r"found \w+; `robustbandits data fetch movielens-100k`"):
        movielens_100k()
    monkeypatch.setenv(MOVIELENS_100K.variable, str(room.kept / "u.data"))
    with pytest.raises(DataError, match="set ROBUSTBANDITS_MOVIELENS to a good copy, or unset it"):
        movielens_100k()
    monkeypatch.setenv(MOVIELENS_100K.variable, str(room.folder / "data"))
    (room.kept / "u.data").unlink()
    with pytest.raises(FileNotFoundError, match=r"holds no u.data.*; set ROBUSTBANDITS_MOVIELENS"):
        movielens_100k()


def test_data_directory_that_cannot_be_written_is_named_with_the_remedy(room):
    (room.folder / "data").write_text("a file where a folder should be")
    with pytest.raises(OSError, match=r"cannot write to .*data: .*; set ROBUSTBANDITS_DATA to"):
        fetch(NAME, _own(room), say=room.said.append)


def _own(room):
    path = room.folder / "own"
    path.write_bytes(DATA)
    return path


def test_home_may_be_written_as_a_tilde(room, monkeypatch):
    monkeypatch.setenv("HOME", str(room.folder))
    monkeypatch.setenv("USERPROFILE", str(room.folder))
    monkeypatch.setenv("ROBUSTBANDITS_DATA", "~/data")
    assert data_dir() == room.folder / "data"


def test_netflix_is_found_by_variable_or_in_the_data_directory(room, monkeypatch):
    assert find_netflix() is None
    kept = data_dir() / "netflix"
    kept.mkdir(parents=True)
    assert find_netflix() is None
    (kept / "combined_data_1.txt").write_text("1:\n1,1,2005-09-06\n")
    assert find_netflix() == locate("netflix") == kept
    monkeypatch.setenv("ROBUSTBANDITS_NETFLIX", str(room.folder))
    assert find_netflix() == room.folder
    monkeypatch.setenv("ROBUSTBANDITS_NETFLIX", str(room.folder / "nowhere"))
    with pytest.raises(FileNotFoundError, match="ROBUSTBANDITS_NETFLIX is set to"):
        find_netflix()


def test_size_is_checked_where_there_is_no_checksum(room):
    path = room.folder / "ratings.dat"
    path.write_text("1::2::3::4\n")
    with pytest.raises(DataError, match=r"expected 1,000,209 ratings.* found 1 ratings, 1 users"):
        fetch("movielens-1m", path, say=room.said.append)


def test_samples_are_what_the_catalogue_says():
    verify(MOVIELENS_100K, sample("ml-100k/u.data"))
    verify(DATASETS["movielens-latest-small"], sample("ml-latest-small/ratings.csv"))
    assert NETFLIX.archive == ""
