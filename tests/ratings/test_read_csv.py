"""Users' own files: any names, any ids, any ratings."""

from __future__ import annotations

import pytest

from ratings.rating_samples import triples
from robustbandits.environments import DataError, read_csv_ratings, read_ratings
from robustbandits.ratings import read_csv
from shared_data import needs_compiled_code, sample

NAMES = {"user": "who", "item": "what", "rating": "stars"}


def read(folder, text, encoding="utf-8", **options):
    path = folder / "orders.csv"
    path.write_bytes(text.encode(encoding))
    return read_csv_ratings(path, **NAMES, **options)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_any_delimiter_any_order_any_ids(tmp_path, mark):
    text = 'stars,note,what,who\n5,,"tea",ann\n3.7,"a ""b"" x",jam,bob\n-1e2,,tea,bob\n'
    table = read(tmp_path, text.replace(",", mark))
    assert table.user_ids.tolist() == ["ann", "bob"]
    assert table.item_ids.tolist() == ["jam", "tea"]
    assert [row[:2] for row in triples(table)] == [("ann", "tea"), ("bob", "jam"), ("bob", "tea")]
    assert table.ratings.tolist() == pytest.approx([5.0, 3.7, -100.0])
    assert (table.name, table.title(1)) == ("orders", "tea")


def test_delimiter_and_newline_inside_quotes(tmp_path):
    table = read(tmp_path, 'who,what,stars,note\n1,2,5,"nice\n3,4,5,really"\n3,4,2,""\n')
    assert triples(table) == [(1, 2, 5), (3, 4, 2)]


def test_whole_numbers_are_numbers_and_others_are_names(tmp_path):
    table = read(tmp_path, "who,what,stars\n10,007,1\n9,7,2\n9,70,3\n")
    assert table.user_ids.tolist() == [9, 10]
    assert table.item_ids.tolist() == ["007", "7", "70"]
    huge = read(tmp_path, "who,what,stars\n999999999999999999,-5,1\n0,--5,2\n")
    assert huge.user_ids.tolist() == [0, 999_999_999_999_999_999]
    assert huge.item_ids.tolist() == ["--5", "-5"]


def test_fast_and_slow_way_agree(tmp_path, monkeypatch):
    rows = [(k * 7919 % 1000, k % 13, (k % 9) / 2) for k in range(400)]
    text = "who,what,stars,when\n" + "".join(f"{u},{i},{r},x\n" for u, i, r in rows)
    fast = read(tmp_path, text)
    assert triples(fast) == rows

    def refuse(*arguments, **options):
        raise DataError("not today")

    monkeypatch.setattr(read_csv.RatingStream, "read", refuse)
    slow = read(tmp_path, text)
    assert triples(slow) == rows
    assert (slow.shape, slow.users.dtype, slow.items.dtype) == (fast.shape, "int32", "int16")


@needs_compiled_code
def test_sample_reads_as_the_format_does():
    names = {"user": "userId", "item": "movieId", "rating": "rating"}
    own = read_csv_ratings(sample("ml-latest-small/ratings.csv"), **names)
    assert own.fingerprint == read_ratings(sample("ml-latest-small")).fingerprint


BAD = {
    "column": ("who,what,score\n1,2,3\n", r"has no column 'stars'; its columns are 'who', 'what'"),
    "empty": ("", "is empty"),
    "header only": ("who,what,stars\n", "holds no ratings, only a header"),
    "fields": ("who,what,stars\n1,2,3\n\n1,3\n", r"orders.csv, line 4: 2 fields, the header has 3"),
    "word": ("who,what,stars\n1,2,3\n1,3,good\n", r"line 3: .*finite number, got 'good'"),
    "nan": ("who,what,stars\n1,2,nan\n", r"line 2: .*finite number, got 'nan'"),
    "blank": ("who,what,stars\n1,2,\n", r"line 2: .*finite number, got ''"),
    "underscore": ("who,what,stars\n1,2,1_0\n", r"line 2: .*finite number"),
    "no user": ("who,what,stars\n,2,1\n", r"line 2: the user is empty"),
    "no item": ("who,what,stars\n1,,1\n", r"line 2: the item is empty"),
    "twice named": ("who,who,what,stars\n1,1,2,1\n", r"must be three columns"),
    "open quote": ('who,what,stars\n1,"2,1\n', r"line 2: unexpected end of data"),
    "duplicate": ("who,what,stars\na,b,1\na,b,2\n", r"user a rated item b more than once"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_with_its_reason(tmp_path, case):
    text, reason = BAD[case]
    with pytest.raises(DataError, match=reason):
        read(tmp_path, text)


def test_latin_1_is_refused_and_duplicates_resolved(tmp_path):
    with pytest.raises(DataError, match="not UTF-8 text"):
        read(tmp_path, "who,what,stars\nJosé,2,3\n", "latin-1")
    table = read(tmp_path, "who,what,stars\na,b,1\na,b,2\n", duplicates="last")
    assert triples(table) == [("a", "b", 2)]
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_csv_ratings(tmp_path / "nowhere.csv", **NAMES)
    with pytest.raises(DataError, match="is a folder"):
        read_csv_ratings(tmp_path, **NAMES)
