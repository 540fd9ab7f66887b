"""Users' own CSV files: any column names, any ids, any ratings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.rating_samples import triples
from robustbandits.environments import DataError, read_csv_ratings, read_ratings
from robustbandits.ratings import _lines
from shared_data import sample

TEXTS = ["a", "07", "é", "x,y"]
NAMES = {"user": "who", "item": "what", "rating": "stars"}


def read(folder, text, written_as="utf-8", **options):
    path = folder / "orders.csv"
    path.write_bytes(text.encode(written_as))
    return read_csv_ratings(path, **NAMES, **options)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter_any_order_any_ids(tmp_path, delimiter):
    text = 'stars,note,what,who\n5,,"tea",ann\n3.7,"a ""b"" x",jam,bob\n-1e2,,tea,bob\n'
    table = read(tmp_path, text.replace(",", delimiter))
    assert table.user_ids.tolist() == ["ann", "bob"]
    assert table.item_ids.tolist() == ["jam", "tea"]
    assert [row[:2] for row in triples(table)] == [("ann", "tea"), ("bob", "jam"), ("bob", "tea")]
    assert table.ratings.tolist() == np.float32([5.0, 3.7, -100.0]).tolist()
    assert (table.name, table.title(1)) == ("orders", "tea")


def test_whole_numbers_are_numbers_and_other_ids_are_text(tmp_path):
    table = read(tmp_path, "who,what,stars\n10,007,1\n9,7,2\n9,70,3\n")
    assert table.user_ids.tolist() == [9, 10]
    assert table.item_ids.tolist() == ["007", "7", "70"]
    huge = read(tmp_path, "who,what,stars\n999999999999999999,-5,1\n0,--5,2\n")
    assert huge.user_ids.tolist() == [0, 999_999_999_999_999_999]
    assert huge.item_ids.tolist() == ["--5", "-5"]
    hexadecimal = read(tmp_path, "who,what,stars\n0x7,+1,1\n0x8, 1,2\n")
    assert hexadecimal.user_ids.tolist() == ["0x7", "0x8"]
    assert hexadecimal.item_ids.tolist() == [" 1", "+1"]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(-3, 2**33).map(str), st.sampled_from(TEXTS)),
            st.integers(0, 5),
        ),
        min_size=1,
        max_size=30,
        unique=True,
    )
)
def test_ids_that_turn_into_text_in_a_later_block(tmp_path_factory, pairs):
    rows = [(user, item, k % 9 / 2) for k, (user, item) in enumerate(pairs)]
    text = "who,what,stars\n" + "".join(f'"{u}",{i},{r}\n' for u, i, r in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_lines, "BLOCK_BYTES", 64)
        table = read(tmp_path_factory.mktemp("ids"), text)
    users = [user for user, _, _ in rows]
    convert = str if set(users) & set(TEXTS) else int
    assert table.user_ids.tolist() == sorted({convert(user) for user in users})
    assert triples(table) == [(convert(user), item, rating) for user, item, rating in rows]


@pytest.mark.parametrize(
    ("ratings", "kind", "size"),
    [("1 2 255", "uint8", 1), ("0.5 2 127.5", "float32", 1), ("0.5 2 255", "float32", 4)],
)
def test_ratings_take_one_byte_if_they_fit(tmp_path, ratings, kind, size):
    text = "".join(f"{k},1,{rating}\n" for k, rating in enumerate(ratings.split()))
    table = read(tmp_path, "who,what,stars\n" + text)
    assert table.ratings.tolist() == [float(rating) for rating in ratings.split()]
    assert (table.ratings.dtype, table.nbytes) == (kind, 3 * (4 + 2 + size))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
def test_other_encodings(tmp_path, encoding):
    text = "who,what,stars\nJosé,2,3\nZoë,2,4\n"
    table = read(tmp_path, text, encoding, encoding=encoding)
    assert triples(table) == [("José", 2, 3), ("Zoë", 2, 4)]


def test_sample_reads_as_the_recognized_format_does():
    names = {"user": "userId", "item": "movieId", "rating": "rating"}
    own = read_csv_ratings(sample("ml-latest-small/ratings.csv"), **names)
    assert own.fingerprint == read_ratings(sample("ml-latest-small")).fingerprint


FINITE = "finite number of 32 bits, got"
BAD = {
    "column": ("who,what,score\n1,2,3\n", "has no column 'stars'; its columns are 'who', 'what'"),
    "empty": ("", "is empty"),
    "header only": ("who,what,stars\n", "holds no ratings"),
    "fields": ("who,what,stars\n1,2,3\n\n1,3\n", "orders.csv, line 4: expected 3 fields .*got 2"),
    "word": ("who,what,stars\n1,2,3\n1,3,good\n", f"line 3: .*{FINITE} 'good'"),
    "nan": ("who,what,stars\n1,2,nan\n", f"line 2: .*{FINITE} 'nan'"),
    "blank": ("who,what,stars\n1,2,\n", f"line 2: .*{FINITE} ''"),
    "underscore": ("who,what,stars\n1,2,1_0\n", f"line 2: .*{FINITE} '1_0'"),
    "too large": ("who,what,stars\n1,2,1e39\n", f"line 2: .*{FINITE} '1e39'"),
    "no user": ("who,what,stars\n,2,1\n", "line 2: the user id must be .* not empty .*, got ''"),
    "no late item": (
        "who,what,stars\n1,a,1\n1,,1\n",
        "line 3: the item id must be .*, got ''",
    ),
    "twice named": ("who,who,what,stars\n1,1,2,1\n", "must be three columns"),
    "open quote": ('who,what,stars\n1,"2,1\n', "line 2: unexpected end of data"),
    "duplicate": ("who,what,stars\na,b,1\na,b,2\n", "user a rated item b more than once"),
    "late header": ("\n\nwho,what,stars\n\n1,2,x\n", f"line 5: .*{FINITE} 'x'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_with_its_reason(tmp_path, case):
    text, reason = BAD[case]
    with pytest.raises(DataError, match=reason):
        read(tmp_path, text)


def test_wrong_encoding_is_refused_with_its_line(tmp_path):
    with pytest.raises(
        DataError, match=r"line 3: the user id must be utf-8 text .*encoding=.*, got 'Jos"
    ):
        read(tmp_path, "who,what,stars\nAnn,2,3\nJosé,2,3\n", "latin-1")


def test_delimiter_and_newline_inside_quotes(tmp_path):
    table = read(tmp_path, 'who,what,stars,note\n1,2,5,"nice\n3,4,5,really"\n3,4,2,""\n')
    assert triples(table) == [(1, 2, 5), (3, 4, 2)]


def test_missing_file_and_folder_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_csv_ratings(tmp_path / "nowhere.csv", **NAMES)
    with pytest.raises(DataError, match="is a folder"):
        read_csv_ratings(tmp_path, **NAMES)
