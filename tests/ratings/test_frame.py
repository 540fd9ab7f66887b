"""Ratings from data frames, and lines or rows that are left out and counted."""

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.environments import DataError, read_csv_ratings, read_frame_ratings, read_ratings

COLUMNS = {"user": "who", "item": "what", "rating": "stars"}
ROWS = {
    "who": ["ann", "bob", "ann", "cyd"],
    "what": [7, 7, 9, 8],
    "stars": [4.5, 3.0, 1.0, 2.5],
}


def frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    return {"dictionary": ROWS, "pandas": pandas.DataFrame(ROWS), "polars": polars.DataFrame(ROWS)}


@pytest.mark.parametrize("kind", ["dictionary", "pandas", "polars"])
def test_a_frame_gives_the_same_table_as_a_file(kind, tmp_path):
    path = tmp_path / "ratings.csv"
    lines = zip(*ROWS.values(), strict=True)
    path.write_text("who,what,stars\n" + "".join(f"{u},{i},{r}\n" for u, i, r in lines))
    from_file = read_csv_ratings(path, **COLUMNS)
    from_frame = read_frame_ratings(frames()[kind], **COLUMNS)
    for name in ("users", "items", "ratings", "user_ids", "item_ids"):
        np.testing.assert_array_equal(getattr(from_frame, name), getattr(from_file, name))


def test_a_frame_can_be_played():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    pairs = rng.permutation(30 * 40)[:600]
    ratings = rng.integers(1, 6, 600)
    frame = pandas.DataFrame({"who": pairs // 40, "what": pairs % 40, "stars": ratings})
    shop = rb.environments.Ratings.from_frame(frame, **COLUMNS, arms=5, users=10, rank=2)
    ledger = rb.simulate(environment=shop, policy=rb.policies.LinUCB(), rounds=50)
    assert ledger.rounds[-1] == 50


def test_missing_values_are_refused_or_left_out_and_counted():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    frame.loc[1, "stars"] = np.nan
    frame.loc[2, "who"] = None
    with pytest.raises(DataError, match="2 rows have no user, no item, or no finite rating"):
        read_frame_ratings(frame, **COLUMNS)
    with pytest.warns(UserWarning, match="left out: 2 rows"):
        table = read_frame_ratings(frame, **COLUMNS, on_error="skip")
    assert (len(table), table.skipped) == (2, 2)
    assert "2 left out" in repr(table)


def test_whole_numbers_that_pandas_made_floats_stay_whole_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"who": [1.0, np.nan, 3.0], "what": [1, 2, 3], "stars": [1, 2, 3]})
    with pytest.warns(UserWarning, match="left out: 1 rows"):
        table = read_frame_ratings(frame, **COLUMNS, on_error="skip")
    assert table.user_ids.tolist() == [1, 3]


def test_errors_of_a_frame_name_the_column():
    with pytest.raises(DataError, match=r"no column 'who'; its columns are \['a'\]"):
        read_frame_ratings({"a": [1]}, user="who", item="a", rating="a")
    with pytest.raises(DataError, match="column 'stars' must hold numbers"):
        read_frame_ratings({**ROWS, "stars": ["x"] * 4}, **COLUMNS)
    with pytest.raises(DataError, match="rated item 7 more than once"):
        read_frame_ratings({**ROWS, "who": ["ann"] * 4}, **COLUMNS)


def test_a_frame_instead_of_a_path_is_refused_with_the_remedy():
    for read in (read_ratings, lambda frame: read_csv_ratings(frame, **COLUMNS)):
        with pytest.raises(TypeError, match="got dict: for a data frame use read_frame_ratings"):
            read(ROWS)


BAD = {
    "u.data": ("1\t2\t3\t4\nx\t2\t3\t4\n2\t2\t9\t4\n3\t2\t5\t4\n", [3, 5]),
    "ratings.csv": ("userId,movieId,rating\n1,2,3.5\n2,2\n3,2,4\n5,2,nan\n", [3.5, 4.0]),
    "ratings.dat": ("1::2::3::4\n2:2::3::4\n3::2::5::4\n9::2::6::4\n", [3.0, 5.0]),
    "mv_1.txt": ("7:\n1,3,2005-09-06\n2,3\n8:\n2,5,2005-09-06\n3,4,1\n", [3, 5]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_lines_are_left_out_and_counted_if_that_is_wanted(name, tmp_path):
    text, ratings = BAD[name]
    path = tmp_path / name
    path.write_text(text)
    with pytest.warns(UserWarning, match=rf"left out 2 lines that cannot be read; .*{name}, line"):
        table = read_ratings(path, on_error="skip")
    assert table.ratings.tolist() == ratings
    assert table.skipped == 2
    if name == "mv_1.txt":
        assert table.item_ids.tolist() == [7, 8]


def test_an_open_quote_loses_what_follows_it_and_no_more(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text('who,what,stars\nann,1,2\ncyd,1,4\n"bob,1,3\n')
    with pytest.warns(UserWarning, match="left out 1 line that"):
        table = read_csv_ratings(path, **COLUMNS, on_error="skip")
    assert table.user_ids.tolist() == ["ann", "cyd"]


def test_a_file_without_bad_lines_is_read_without_a_warning(tmp_path, recwarn):
    path = tmp_path / "u.data"
    path.write_text("1\t2\t3\t4\n")
    assert read_ratings(path, on_error="skip").skipped == 0
    assert not recwarn.list


def test_a_file_with_only_bad_lines_is_refused(tmp_path):
    path = tmp_path / "u.data"
    path.write_text("1\t2\t9\t4\n")
    with pytest.raises(DataError, match="holds no ratings"):
        read_ratings(path, on_error="skip")
