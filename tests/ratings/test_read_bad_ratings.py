"""What cannot be read is refused, with file, line and reason."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from ratings.rating_samples import FILES, blocks
from robustbandits.environments import DataError, read_ratings
from robustbandits.ratings import _stream

GOOD = "1\t2\t3\t4\n"
BLOCK = "7:\n1,3,2005-09-06\n"
TABLE = "userId,movieId,rating\n1,2,3.5\n"
BAD_LINES = {
    "letters": ("u.data", GOOD + "x\t2\t3\t4\n", 2, r"user id must be a whole number.*'x'"),
    "item": ("u.data", GOOD + "1\tx\t3\t4\n", 2, r"item id must be a whole number.*'x'"),
    "negative id": ("u.data", GOOD + "-1\t2\t3\t4\n", 2, r"user id must be.*'-1'"),
    "leading zero": ("u.data", GOOD + "01\t2\t3\t4\n", 2, r"leading zeros, got '01'"),
    "glued": ("u.data", GOOD + "1x\t2\t3\t4\n", 2, r"user id must be.*'1x'"),
    "large id": ("u.data", GOOD + "2147483648\t2\t3\t4\n", 2, r"at most 2147483647"),
    "huge id": ("u.data", GOOD + "9" * 30 + "\t2\t3\t4\n", 2, r"at most 2147483647"),
    "short": ("u.data", GOOD * 1 + "\n2\t2\t3\n", 3, r"must have 4 fields.*'2\\t2\\t3'"),
    "long": ("u.data", GOOD + "2\t2\t3\t4\t5\n", 2, r"must have 4 fields"),
    "six stars": ("u.data", GOOD + "2\t2\t6\t4\n", 2, r"between 1 and 5, got 6"),
    "no stars": ("u.data", GOOD + "2\t2\t0\t4\n", 2, r"between 1 and 5, got 0"),
    "many stars": ("u.data", GOOD + "2\t2\t300\t4\n", 2, r"between 1 and 5, got 300"),
    "word": ("u.data", GOOD + "2\t2\tgood\t4\n", 2, r"whole number of stars, got 'good'"),
    "negative": ("u.data", GOOD + "2\t2\t-3\t4\n", 2, r"whole number of stars, got '-3'"),
    "half": ("u.data", GOOD + "2\t2\t3.5\t4\n", 2, r"whole number of stars, got '3.5'"),
    "empty field": ("u.data", GOOD + "2\t2\t\t4\n", 2, r"whole number of stars, got ''"),
    "quarter": ("ratings.csv", TABLE + "2,2,3.25\n", 3, r"half stars, got '3.25'"),
    "no half": ("ratings.csv", TABLE + "2,2,0.0\n", 3, r"between 0.5 and 5, got 0.0"),
    "one colon": ("ratings.dat", "1::2::3::4\n2:2::3::4\n", 2, r"user id must be|must have"),
    "date": ("mv_1.txt", BLOCK + "2,3,2005-9-06\n", 3, r"written as 2005-09-06, got '2005-9-06'"),
    "no date": ("mv_1.txt", BLOCK + "2,3\n", 3, r"must have 3 fields"),
    "user only": ("mv_1.txt", BLOCK + "2\n", 3, r"must have 3 fields"),
    "cut off": ("mv_1.txt", BLOCK + "2,3,2005-0", 3, r"got '2005-0'; the file may be cut off"),
    "bad head": ("mv_1.txt", BLOCK + "8:9\n", 3, r"8:9"),
    "windows": ("mv_1.txt", BLOCK.replace("\n", "\r\n") + "2,9,2005-09-06\r\n", 3, r"got 9$"),
    "stray return": ("u.data", GOOD + "2\t2\t3\t4\r5\n", 2, r"cannot be read|must"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_bad_line_is_named_with_its_reason(tmp_path, case):
    name, text, line, reason = BAD_LINES[case]
    path = tmp_path / name
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=rf"{name}, line {line}: .*{reason}"):
        read_ratings(path)


def test_line_number_counts_all_pieces_of_the_text(tmp_path, monkeypatch):
    monkeypatch.setattr(_stream, "TEXT_BYTES", 64)
    path = tmp_path / "u.data"
    path.write_text("".join(f"{k}\t1\t3\t4\n" for k in range(1, 500)) + "500\t1\t9\t4\n")
    with pytest.raises(DataError, match=r"line 500: the rating must be between 1 and 5, got 9"):
        read_ratings(path)
    path.write_text("1\t1\t3\t" + "4" * 100 + "\n")
    with pytest.raises(DataError, match=r"line 1: longer than 63 bytes"):
        read_ratings(path)


def test_second_file_is_named_when_it_is_the_bad_one(tmp_path):
    (tmp_path / "combined_data_1.txt").write_text(BLOCK)
    second = tmp_path / "combined_data_2.txt"
    second.write_text("5,3,2005-09-06\n")
    with pytest.raises(DataError, match=r"combined_data_2.txt, line 1: a rating before any movie"):
        read_ratings(tmp_path)
    second.write_text("")
    with pytest.raises(DataError, match=r"combined_data_2.txt holds no ratings: empty"):
        read_ratings(tmp_path)


def zipped():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("u.data", FILES["u.data"])
    return data.getvalue()


USELESS = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "zip": (zipped(), "is a zip archive: unpack it first"),
    "gzip": (gzip.compress(b"1,2,3\n"), "is a gzip archive"),
    "binary": (b"1,2,3\n\0\0", "is not text"),
    "prose": (b"once upon a time\n", "in no known format: it starts 'once upon a time'"),
    "probe": (b"1:\n30878\n2647871\n", "lists users only"),
    "qualifying": (b"1:\n1046323,2005-12-19\n", "lists users and dates"),
    "header only": (b"userId,movieId,rating\n", "holds no ratings"),
    "movie only": (b"1:\n", "holds no ratings"),
    "old Mac": (b"userId,movieId,rating\r1,2,3\r", "line ends of old Macs: save it with"),
    "old Mac numbers": (b"1,2,3\r4,5,1\r", "line ends of old Macs"),
    "twice": (b"user,user_id,item,rating\n1,1,1,1\n", "in no known format"),
}


@pytest.mark.parametrize("case", USELESS)
def test_file_without_ratings_says_so(tmp_path, case):
    data, reason = USELESS[case]
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    with pytest.raises(DataError, match=reason):
        read_ratings(path)


def test_folders_without_ratings_say_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_ratings(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no ratings; known are"):
        read_ratings(tmp_path)
    (tmp_path / "training_set.tar").write_bytes(b"x")
    with pytest.raises(DataError, match=r"only packed: unpack training_set.tar first"):
        read_ratings(tmp_path)
    (tmp_path / "u.data").write_text(FILES["u.data"])
    (tmp_path / "mv_0000001.txt").write_text(blocks([(1, 1, 1)]))
    with pytest.raises(DataError, match=r"several sets of ratings: name one of u.data, mv_"):
        read_ratings(tmp_path)


def test_unknown_policy_for_duplicates_is_refused(tmp_path):
    with pytest.raises(ValueError, match="duplicates must be one of"):
        read_ratings(tmp_path, duplicates="mean")
