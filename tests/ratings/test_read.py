"""Every format gives the same table, however the file is cut into blocks and lines are ended."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ratings.rating_samples import FILES, RATINGS, blocks, lines, triples, write_training_set
from robustbandits.environments import read_ratings
from robustbandits.ratings import _columns, _lines, table
from shared_data import sample


def write(folder, name, text, encoding="ascii"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("finished", [True, False], ids=["newline", "no last newline"])
def test_each_format_gives_the_same_ratings(tmp_path, name, end, finished):
    text = FILES[name].replace("\n", end)
    path = write(tmp_path, name, text if finished else text.removesuffix(end))
    assert triples(read_ratings(path)) == RATINGS
    assert triples(read_ratings(tmp_path)) == RATINGS


def test_byte_order_mark_and_blank_lines_do_not_count(tmp_path):
    header, *rest = FILES["ratings.csv"].splitlines()
    text = "\ufeff\n" + header + "\n\n" + "\n\n".join(rest) + "\n\n"
    assert triples(read_ratings(write(tmp_path, "a.csv", text, "utf-8"))) == RATINGS
    plain = write(tmp_path, "b.data", "\ufeff\n" + FILES["u.data"], "utf-8")
    assert triples(read_ratings(plain)) == RATINGS
    movies = write(tmp_path, "c.txt", "\n\n" + blocks(RATINGS, "\n\n\n"))
    assert triples(read_ratings(movies)) == RATINGS


def test_quoted_fields_are_read_in_a_table_with_a_header(tmp_path):
    text = 'userId,movieId,rating,comment\n"7","2",5,"good, ""very"" good\nindeed"\n7,11,4,\n'
    assert triples(read_ratings(write(tmp_path, "a.csv", text))) == [(7, 2, 5), (7, 11, 4)]


def test_netflix_folders(tmp_path):
    write_training_set(tmp_path / "download" / "training_set")
    for path in ("download/training_set", "download"):
        assert triples(read_ratings(tmp_path / path)) == RATINGS
    several = tmp_path / "kaggle"
    several.mkdir()
    write(several, "combined_data_1.txt", blocks(RATINGS[:3]).removesuffix("\n"))
    write(several, "combined_data_2.txt", blocks(RATINGS[3:], "\r\n"))
    write(several, "movie_titles.csv", "2,1999,Yes, No\n11,NULL,Caf\xe9\n", "latin-1")
    table = read_ratings(several)
    assert triples(table) == RATINGS
    assert table.titles == {2: "Yes, No", 11: "Café"}
    assert [table.title(k) for k in range(3)] == ["Yes, No", "Café", "17770"]
    assert read_ratings(several, titles=False).titles is None


def test_folder_is_recognized_by_content_when_no_name_is_known(tmp_path):
    write(tmp_path, "description.txt", "what this is\n")
    write(tmp_path, "my_part.csv", FILES["flat.csv"])
    assert triples(read_ratings(tmp_path)) == RATINGS
    assert read_ratings(tmp_path).name == tmp_path.name
    assert read_ratings(tmp_path / "my_part.csv").name == "my_part"


def test_half_stars_take_one_byte(tmp_path):
    text = "userId,movieId,rating\n1,1,0.5\n1,2,4.50\n2,1,5\n"
    table = read_ratings(write(tmp_path, "ratings.csv", text))
    assert table.ratings.tolist() == [0.5, 4.5, 5.0]
    assert table.ratings.dtype == np.float32
    assert table.nbytes == 7 * 3


def test_huge_ids_need_no_huge_lookup_table(tmp_path):
    text = "2147483647\t5\t1\t0\n7\t2147483646\t2\t0\n2147483647\t2147483646\t3\t0\n"
    table = read_ratings(write(tmp_path, "u.data", text))
    assert table.user_ids.tolist() == [7, 2147483647]
    assert triples(table) == [(2147483647, 5, 1), (7, 2147483646, 2), (2147483647, 2147483646, 3)]


@pytest.mark.parametrize("keep", ["first", "last"])
def test_duplicates_are_refused_or_resolved(tmp_path, keep):
    path = write(tmp_path, "u.data", "1\t9\t2\t0\n2\t9\t3\t0\n1\t9\t5\t0\n1\t8\t4\t0\n1\t9\t1\t0\n")
    with pytest.raises(ValueError, match=r"user 1 rated item 9 more than once, and 2 ratings"):
        read_ratings(path)
    kept = {"first": [(1, 9, 2), (2, 9, 3), (1, 8, 4)], "last": [(2, 9, 3), (1, 8, 4), (1, 9, 1)]}
    assert triples(read_ratings(path, duplicates=keep)) == kept[keep]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3)), min_size=1, max_size=60),
    st.sampled_from(["first", "last"]),
    st.sampled_from([1, 2**31 // 60]),
)
def test_each_pair_is_kept_once(tmp_path_factory, pairs, keep, spread):
    ratings = [(user * spread, item, 1 + k % 5) for k, (user, item) in enumerate(pairs)]
    path = write(tmp_path_factory.mktemp("pairs"), "u.data", lines(ratings, "{u}\t{i}\t{r}\t1"))
    ordered = ratings if keep == "first" else ratings[::-1]
    positions = {row[:2]: k for k, row in reversed(list(enumerate(ordered)))}
    expected = [ordered[k] for k in sorted(positions.values())]
    found = triples(read_ratings(path, duplicates=keep))
    assert found == (expected if keep == "first" else expected[::-1])


def test_progress_ends_at_the_last_byte(tmp_path):
    write_training_set(tmp_path / "training_set")
    seen = []
    read_ratings(tmp_path, progress=lambda done, total: seen.append((done, total)))
    size = sum(file.stat().st_size for file in (tmp_path / "training_set").iterdir())
    assert seen[-1] == (size, size)
    assert len(seen) == 3


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 40)), min_size=1, unique=True
    ),
    block_bytes=st.integers(64, 200),
    name=st.sampled_from(["u.data", "ratings.dat", "flat.csv", "combined"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_blocks_may_be_of_any_size(tmp_path_factory, pairs, block_bytes, name, end):
    patterns = {"u.data": "{u}\t{i}\t{r}\t1", "ratings.dat": "{u}::{i}::{r}::1"}
    ratings = [(user, item, 1 + (user + item) % 5) for user, item in pairs]
    if name == "combined":
        ratings.sort(key=lambda row: row[1])
        text = blocks(ratings, end)
    else:
        text = lines(ratings, patterns.get(name, "{i},{u},{r}.0"), end)
    path = write(tmp_path_factory.mktemp("cut"), name, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_lines, "BLOCK_BYTES", block_bytes)
        patch.setattr(table, "CHUNK", 3)
        patch.setattr(_columns, "LOOKUP_IDS", 1000)
        found = read_ratings(path)
    assert triples(found) == ratings
    assert found.user_ids.tolist() == sorted({user for user, _ in pairs})
    assert found.item_ids.tolist() == sorted({item for _, item in pairs})


def test_movielens_100k_sample():
    table = read_ratings(sample("ml-100k"))
    assert (len(table), table.shape, table.name) == (100_000, (943, 1682), "movielens-100k")
    assert np.bincount(table.ratings).tolist() == [0, 6110, 11370, 27145, 34174, 21201]
    assert len(table.titles) == 1682
    assert table.titles[1].startswith("Toy Story")
    by_numpy = np.loadtxt(sample("ml-100k/u.data"), dtype=np.int64)[:, :3]
    assert triples(table) == [tuple(row) for row in by_numpy.tolist()]
    assert table.fingerprint.startswith("e0b88e3525bb36d3")


def test_movielens_latest_small_sample():
    table = read_ratings(sample("ml-latest-small"))
    assert (len(table), table.shape) == (100_836, (610, 9724))
    assert table.name == "movielens-latest-small"
    assert set(np.unique(table.ratings)) == {k / 2 for k in range(1, 11)}
    assert table.titles[11] == "American President, The (1995)"
    assert table.nbytes == 7 * len(table)
    assert table.fingerprint.startswith("ee4587d9d1fadf04")


def test_netflix_samples():
    one = read_ratings(sample("netflix/format_samples/mv_0000001.txt"))
    assert (len(one), one.item_ids.tolist(), one.title(0)) == (547, [1], "Dinosaur Planet")
    assert round(one.ratings.mean(), 6) == 3.749543
    kaggle = read_ratings(sample("netflix/format_samples/combined_data_4_head.txt"))
    assert (len(kaggle), kaggle.item_ids.tolist()) == (10_068, list(range(13368, 13379)))
    flat = read_ratings(sample("netflix/utd_subset"))
    assert (len(flat), flat.shape, flat.nbytes) == (533_918, (28_978, 1_715), 7 * 533_918)


def test_formats_have_the_same_fingerprint(tmp_path):
    table = read_ratings(write(tmp_path, "u.data", FILES["u.data"]))
    assert table.item_counts.tolist() == [3, 1, 1]
    assert table.user_counts.tolist() == [2, 2, 1]
    again = read_ratings(write(tmp_path, "flat.csv", FILES["flat.csv"]))
    assert table.fingerprint == again.fingerprint
    changed = FILES["u.data"].replace("\t5\t", "\t4\t")
    assert read_ratings(write(tmp_path, "u.data", changed)).fingerprint != table.fingerprint


def test_missing_pyarrow_is_named_with_the_command_that_installs_it(tmp_path):
    path = write(tmp_path, "u.data", FILES["u.data"])
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import robustbandits as rb\n"
        "rb.environments.synthetic_ratings(0.001)  # needs no pyarrow\n"
        f"rb.environments.read_ratings({str(path)!r})"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "reading ratings needs pyarrow: pip install 'robustbandits[data]'" in result.stderr
