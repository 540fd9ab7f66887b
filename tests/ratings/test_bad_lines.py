"""A file that cannot be read is refused with file, line, what was expected and what was found."""

import gzip
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ratings.fake_sources import zipped
from ratings.rating_samples import FILES, blocks, triples
from robustbandits.environments import DataError, read_ratings
from robustbandits.ratings import _lines

GOOD = "1\t2\t3\t4\n"
BLOCK = "7:\n1,3,2005-09-06\n"
TABLE = "userId,movieId,rating\n1,2,3.5\n"
WHOLE = "must be a whole number from 0 to 2147483647, got"
STARS = "the rating must be a whole number from 1 to 5, got"
HALVES = "the rating must be a multiple of 0.5 from 0.5 to 5, got"
BAD_LINES = {
    "letters": ("u.data", GOOD + "x\t2\t3\t4\n", 2, f"the user id {WHOLE} 'x'"),
    "no id": ("u.data", GOOD + "\t2\t3\t4\n", 2, f"the user id {WHOLE} ''"),
    "large id": ("u.data", GOOD + "2147483648\t2\t3\t4\n", 2, f"{WHOLE} '2147483648'"),
    "huge id": ("u.data", GOOD + "9" * 30 + "\t2\t3\t4\n", 2, f"the user id {WHOLE} '999"),
    "short": ("u.data", GOOD + "\n2\t2\t3\n", 3, r"expected 4 fields .*, got 3: '2\\t2\\t3'"),
    "long": ("u.data", GOOD + "2\t2\t3\t4\t5\n", 2, "expected 4 fields .*, got 5"),
    "six stars": ("u.data", GOOD + "2\t2\t6\t4\n", 2, f"{STARS} '6'"),
    "word": ("u.data", GOOD + "2\t2\tgood\t4\n", 2, f"{STARS} 'good'"),
    "empty field": ("u.data", GOOD + "2\t2\t\t4\n", 2, f"{STARS} ''"),
    "quarter": ("ratings.csv", TABLE + "2,2,3.25\n", 3, f"{HALVES} '3.25'"),
    "no half": ("ratings.csv", TABLE + "2,2,0.0\n", 3, f"{HALVES} '0.0'"),
    "open quote": ("ratings.csv", TABLE + '"2,2,1\n', 3, "unexpected end of data"),
    "one colon": ("ratings.dat", "1::2::3::4\n2:2::3::4\n", 2, "expected 4 fields"),
    "three colons": ("ratings.dat", "1::2::3::4\n2:::2::3::4\n", 2, f"{WHOLE} ':2'"),
    "date": ("mv_1.txt", BLOCK + "2,3,2005-9-06\n", 3, "written as 2005-09-06, got '2005-9-06'"),
    "no date": ("mv_1.txt", BLOCK + "2,3\n", 3, "expected 3 fields"),
    "month": ("mv_1.txt", BLOCK + "2,3,2005-13-06\n", 3, "written as 2005-09-06, got '2005-13-06'"),
    "cut off": ("mv_1.txt", BLOCK + "2,3,2005-0", 3, "got '2005-0'; the file may be cut off"),
    "bad movie": ("mv_1.txt", BLOCK + "8:9\n", 3, "expected 3 fields .*'8:9'"),
    "windows": ("mv_1.txt", BLOCK.replace("\n", "\r\n") + "2,9,2005-09-06\r\n", 3, "got '9'$"),
    "stray return": ("u.data", GOOD + "2\t2\t3\t4\r5\n", 3, "expected 4 fields .*, got 1: '5'"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_bad_line_is_named_with_its_reason(tmp_path, case):
    name, text, line, reason = BAD_LINES[case]
    path = tmp_path / name
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=rf"{name}, line {line}: .*{reason}"):
        read_ratings(path)


def test_line_number_counts_all_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(_lines, "BLOCK_BYTES", 64)
    path = tmp_path / "u.data"
    path.write_text("".join(f"{k}\t1\t3\t4\n" for k in range(1, 500)) + "500\t1\t9\t4\n")
    with pytest.raises(
        DataError, match=r"line 500: the rating must be a whole number from 1 to 5, got '9'"
    ):
        read_ratings(path)
    path.write_text("1\t1\t3\t" + "4" * 200 + "\n" + GOOD * 50)
    with pytest.raises(DataError, match=r"u.data cannot be read: .*block size"):
        read_ratings(path)


def test_second_file_is_named_when_it_is_the_bad_one(tmp_path):
    (tmp_path / "combined_data_1.txt").write_text(BLOCK)
    second = tmp_path / "combined_data_2.txt"
    second.write_text("5,3,2005-09-06\n8:\n")
    with pytest.raises(DataError, match=r"combined_data_2.txt, line 1: expected a line with a mov"):
        read_ratings(tmp_path)
    second.write_text("")
    with pytest.raises(DataError, match=r"combined_data_2.txt holds no ratings"):
        read_ratings(tmp_path)


def expected_of(text):
    """Read u.data or blocks with regular expressions; return the ratings, or the bad line."""
    ratings, movie = [], None
    for number, line in enumerate(text.split("\n"), 1):
        flat = re.fullmatch(r"(\d{1,9})\t(\d{1,9})\t([1-5])(?:\.0*)?\t[^\t]*", line)
        rated = re.fullmatch(r"(\d{1,9}),([1-5])(?:\.0*)?,2005-09-06", line)
        if re.fullmatch(r"\d{1,9}:", line) and not text.startswith("1\t"):
            movie = int(line[:-1])
        elif flat and text.startswith("1\t"):
            ratings.append((int(flat[1]), int(flat[2]), int(flat[3])))
        elif rated and movie is not None:
            ratings.append((int(rated[1]), movie, int(rated[2])))
        elif line:
            return number
    return ratings


FIELD = st.sampled_from(["1", "7", "30", "12345", "5.0", "6", "", "x", "-1", "3.5", "2005-09-06"])
LINE = st.one_of(
    st.lists(FIELD, max_size=5).map("\t".join),
    st.lists(FIELD, max_size=4).map(",".join),
    st.sampled_from(["", "9:", "9:9", ":", "9::", "5,3,2005-09-06", "4,5,2005-09-06"]),
    st.tuples(st.integers(10, 99), st.integers(1, 5)).map(lambda t: f"{t[0]}\t{t[1]}\t{t[1]}\t0"),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["1\t2\t3\t4", "7:\n1,3,2005-09-06"]), st.lists(LINE, max_size=8))
def test_reader_agrees_with_regular_expressions(tmp_path_factory, first, rest):
    text = "\n".join([first, *rest])
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_text(text, encoding="ascii")
    expected = expected_of(text)
    if isinstance(expected, int):
        with pytest.raises(DataError, match=rf"file, line {expected}: "):
            read_ratings(path, duplicates="last")
    else:
        table = read_ratings(path, duplicates="first")
        assert triples(table) == list({row[:2]: row for row in expected[::-1]}.values())[::-1]


USELESS = {
    "empty": (b"", "is empty"),
    "zip": (zipped({"u.data": FILES["u.data"]}), "if it is an archive, unpack it first"),
    "gzip": (gzip.compress(b"1,2,3\n"), "is not text"),
    "prose": (b"once upon a time\n", "has an unknown format: it starts 'once upon a time'"),
    "probe": (b"1:\n30878\n2647871\n", "has an unknown format"),
    "header only": (b"userId,movieId,rating\n", "holds no ratings"),
    "twice": (b"user,user_id,item,rating\n1,1,1,1\n", "has an unknown format"),
}


@pytest.mark.parametrize("case", USELESS)
def test_file_without_ratings_is_refused(tmp_path, case):
    data, reason = USELESS[case]
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(DataError, match=reason):
        read_ratings(tmp_path / "file")


def test_folder_without_ratings_or_with_several_sets_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_ratings(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no ratings; known formats are"):
        read_ratings(tmp_path)
    (tmp_path / "training_set.tar").write_bytes(b"x")
    with pytest.raises(DataError, match=r"only an archive: unpack training_set.tar first"):
        read_ratings(tmp_path)
    (tmp_path / "u.data").write_text(FILES["u.data"])
    (tmp_path / "mv_0000001.txt").write_text(blocks([(1, 1, 1)]))
    with pytest.raises(DataError, match=r"several sets of ratings: pass the path of one of u.data"):
        read_ratings(tmp_path)
