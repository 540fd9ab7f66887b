"""Data sets are installed complete and checked, or not at all."""

import zipfile

import pytest

import shared_data
from ratings.fake_sources import DATA, HEADER, NAME, TITLES, zipped
from ratings.rating_samples import RATINGS, triples
from robustbandits.environments import DataError, read_ratings
from robustbandits.ratings import _download
from robustbandits.ratings import fetch as fetch_module
from robustbandits.ratings._download import DownloadError
from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K
from robustbandits.ratings.fetch import fetch, get_dataset
from robustbandits.ratings.locate import data_dir, locate, verify
from shared_data import sample

WHEEL = {"recbole/dataset_example/ml-100k/ml-100k.inter": HEADER + DATA}


def test_own_path_may_be_a_folder_a_file_or_an_archive(sources):
    folder = sources.folder / "mine"
    (folder / "ml-100k").mkdir(parents=True)
    (folder / "ml-100k" / "u.data").write_bytes(DATA)
    (folder / "ml-100k" / "u.item").write_bytes(b"2|Tea|x|y|z\n")
    (folder / "ml-100k.zip").write_bytes(zipped({"ml-100k/u.data": DATA}))
    for path in ("ml-100k.zip", "", "ml-100k", "ml-100k/u.data"):
        installed = fetch(NAME, folder / path, say=sources.messages.append)
        assert installed == locate(NAME) == sources.installed
        assert triples(read_ratings(installed)) == RATINGS
    assert read_ratings(sources.installed).titles == {2: "Tea"}
    assert sources.file_names() == [NAME, f"{NAME}/u.data", f"{NAME}/u.item"]


def test_variable_names_the_users_copy(sources, monkeypatch):
    own = sources.folder / "own.data"
    own.write_bytes(DATA)
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(own))
    assert locate(NAME) == own
    assert get_dataset("movielens-100k") == own
    assert fetch(NAME, say=sources.messages.append) == sources.installed
    packed = sources.folder / "own.zip"
    packed.write_bytes(zipped({"u.data": DATA}))
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(packed))
    assert locate(NAME) == sources.installed
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(sources.folder / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"ROBUSTBANDITS_MOVIELENS is set to .*nowhere"):
        get_dataset("movielens-100k")


def test_archive_comes_before_the_wheel(sources):
    sources.archive(zipped({"ml-100k/u.data": DATA, "ml-100k/README": b"terms", "x/u.data": b"no"}))
    sources.wheel(AssertionError("pip must not be asked"))
    assert get_dataset("movielens-100k") == sources.installed
    assert sources.file_names() == [NAME, f"{NAME}/README", f"{NAME}/u.data"]


def test_wheel_is_used_when_the_archive_cannot_be_reached(sources):
    sources.wheel(WHEEL | {"recbole/dataset_example/ml-100k/ml-100k.item": TITLES})
    fetch(NAME, say=sources.messages.append)
    table = read_ratings(sources.installed)
    assert triples(table) == RATINGS
    assert table.titles == {2: "Tea"}
    messages = "\n".join(sources.messages)
    assert "archive: no answer; trying the next source" in messages
    assert "from the wheel recbole==1.2.1" in messages


@pytest.mark.parametrize("damage", ["a web page", "wrong offset", "no ratings"])
def test_wheel_is_used_when_the_archive_is_not_an_archive(sources, damage):
    offset = bytearray(zipped({"ml-100k/u.data": DATA}))
    offset[-3] = 255  # the list of files is said to start far behind the end
    answers = {
        "a web page": b"<html>please log in</html>",
        "wrong offset": bytes(offset),
        "no ratings": zipped({"ml-100k/README": b"terms"}),
    }
    sources.archive(answers[damage])
    sources.wheel(WHEEL)
    assert triples(read_ratings(fetch(NAME, say=sources.messages.append))) == RATINGS


def test_good_copy_is_kept_and_damaged_one_replaced(sources):
    sources.wheel(WHEEL)
    fetch(NAME, say=sources.messages.append)
    sources.wheel(DownloadError("offline"))
    assert fetch(NAME, say=sources.messages.append) == sources.installed
    assert any("already" in message for message in sources.messages)
    with pytest.raises(DataError, match="could not be fetched"):
        fetch(NAME, again=True, say=sources.messages.append)
    assert locate(NAME) == sources.installed
    (sources.installed / "u.data").write_bytes(DATA[:-5])
    with pytest.raises(DataError, match=r"expected SHA-256 .*; `robustbandits data fetch"):
        locate(NAME)
    sources.wheel(WHEEL)
    fetch(NAME, say=sources.messages.append)
    assert (sources.installed / "u.data").read_bytes() == DATA
    assert sources.file_names() == [NAME, f"{NAME}/u.data"]


def test_wrong_ratings_are_refused_and_nothing_is_written(sources):
    sources.archive(zipped({"ml-100k/u.data": DATA + b"0\t50\t5\t881250949\n"}))
    expected = DATASETS[NAME].sha256
    with pytest.raises(DataError, match=rf"u.data from https.*expected SHA-256 {expected}, found"):
        fetch(NAME, say=sources.messages.append)
    assert sources.file_names() == []


def test_when_no_source_can_be_reached_one_message_says_what_to_do(sources):
    with pytest.raises(DataError) as caught:
        get_dataset("movielens-100k")
    message = str(caught.value)
    for words in ("archive: no answer", "pip: no answer", "--from PATH", "ROBUSTBANDITS_MOVIELENS"):
        assert words in message
    assert not (sources.folder / "data").exists()


def test_ratings_are_written_last_so_a_crash_leaves_no_half_data_set(sources, monkeypatch):
    sources.archive(zipped({"ml-100k/u.data": DATA, "ml-100k/u.item": b"2|Tea|x\n"}))
    written = []

    def fail_at_the_second(path, data):
        written.append(path.name)
        if len(written) == 2:
            raise OSError(28, "disk full")

    monkeypatch.setattr(fetch_module, "write_whole", fail_at_the_second)
    with pytest.raises(OSError, match=r"cannot write to .*: disk full; set ROBUSTBANDITS_DATA to"):
        fetch(NAME, say=sources.messages.append)
    assert written == ["u.item", "u.data"]
    assert locate(NAME) is None


def test_changing_or_cutting_off_any_byte_of_an_archive_is_harmless_or_refused(tmp_path):
    whole = zipped({"ml-100k/u.data": DATA})
    packed = tmp_path / "ml-100k.zip"
    refused = 0
    for k in range(len(whole)):
        for data in (whole[:k] + bytes([whole[k] ^ 255]) + whole[k + 1 :], whole[:k]):
            packed.write_bytes(data)
            try:
                assert _download.read_members(packed, ("u.data",), "it") == {"u.data": DATA}
            except DataError:
                refused += 1
    assert refused > len(whole)  # all that are cut off, and many of the others


def test_zip_bomb_is_refused(sources, monkeypatch):
    monkeypatch.setattr(_download, "LARGEST_FILE", 1 << 20)
    packed = sources.folder / "ml-100k.zip"
    packed.write_bytes(zipped({"u.data": bytes(5 << 20)}))
    assert packed.stat().st_size < 10_000
    with pytest.raises(DataError, match="has more than 1 MB"):
        fetch(NAME, packed, say=sources.messages.append)
    assert sources.file_names() == []


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_is_refused(sources, compression):
    packed = sources.folder / "ml-100k.zip"
    with zipfile.ZipFile(packed, "w", compression) as archive:
        archive.writestr("ml-100k/u.data", DATA)
    with pytest.raises(DataError, match=r"ml-100k/u.data has an unusual compression: unpack it"):
        fetch(NAME, packed, say=sources.messages.append)


def test_names_in_archives_never_become_paths(sources):
    packed = sources.folder / "evil.zip"
    packed.write_bytes(zipped({"../../u.data": DATA, "/README": b"x", "../evil.sh": b"x"}))
    fetch(NAME, packed, say=sources.messages.append)
    assert sources.file_names() == [NAME, f"{NAME}/README", f"{NAME}/u.data"]
    assert sorted(path.name for path in sources.folder.iterdir()) == ["data", "evil.zip"]
    packed.write_bytes(zipped({"readme.txt": b"x"}))
    with pytest.raises(DataError, match=r"holds no u.data"):
        fetch(NAME, packed, say=sources.messages.append)


def test_missing_paths_and_unknown_names_are_refused(sources):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        fetch(NAME, sources.folder / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"holds no u.data"):
        fetch(NAME, sources.folder)
    with pytest.raises(ValueError, match="no data set 'jester'; known data sets: movielens-100k"):
        fetch("jester")
    with pytest.raises(DataError, match="cannot be fetched: set ROBUSTBANDITS_NETFLIX"):
        fetch("netflix")


def test_bad_copy_of_the_user_is_named_with_the_remedy(sources, monkeypatch):
    sources.installed.mkdir(parents=True)
    (sources.installed / "u.data").write_bytes(DATA[:-5])
    monkeypatch.setenv(MOVIELENS_100K.variable, str(sources.installed / "u.data"))
    with pytest.raises(DataError, match="set ROBUSTBANDITS_MOVIELENS to a good copy, or unset it"):
        get_dataset("movielens-100k")
    monkeypatch.setenv(MOVIELENS_100K.variable, str(sources.folder / "data"))
    (sources.installed / "u.data").unlink()
    with pytest.raises(FileNotFoundError, match=r"holds no u.data.*; set ROBUSTBANDITS_MOVIELENS"):
        get_dataset("movielens-100k")


def test_netflix_is_found_by_variable_or_in_the_data_directory(sources, monkeypatch):
    assert locate("netflix") is None
    installed = data_dir() / "netflix"
    installed.mkdir(parents=True)
    assert locate("netflix") is None
    (installed / "combined_data_1.txt").write_text("1:\n1,1,2005-09-06\n")
    assert locate("netflix") == installed
    monkeypatch.setenv("ROBUSTBANDITS_NETFLIX", str(sources.folder))
    assert locate("netflix") == sources.folder


def test_size_is_checked_where_there_is_no_checksum(sources):
    path = sources.folder / "ratings.dat"
    path.write_text("1::2::3::4\n")
    with pytest.raises(DataError, match=r"expected 1,000,209 ratings.* found 1 ratings, 1 users"):
        fetch("movielens-1m", path, say=sources.messages.append)


@pytest.mark.parametrize(
    ("name", "file"),
    [(NAME, "ml-100k/u.data"), ("movielens-latest-small", "ml-latest-small/ratings.csv")],
)
def test_samples_have_the_checksums_of_the_catalogue(name, file):
    verify(DATASETS[name], sample(file))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("ml-100k", "offline"), ("netflix/utd_subset", "may not be redistributed")],
)
def test_test_without_its_sample_is_skipped_or_fails(name, reason, monkeypatch, tmp_path):
    monkeypatch.setattr(shared_data, "SAMPLES", tmp_path)
    monkeypatch.setattr(shared_data, "_fetch_once", lambda name: "offline")
    monkeypatch.delenv("ROBUSTBANDITS_DATA_REQUIRED", raising=False)
    with pytest.raises(pytest.skip.Exception, match=reason):
        sample(name)
    monkeypatch.setenv("ROBUSTBANDITS_DATA_REQUIRED", "1")
    with pytest.raises(pytest.fail.Exception, match=reason):
        sample(name)
