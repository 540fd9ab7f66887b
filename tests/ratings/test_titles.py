"""Titles as each data set writes them."""

import pytest

from robustbandits.ratings.errors import DataError
from robustbandits.ratings.read import read_ratings
from robustbandits.ratings.titles import read_titles
from shared_data import sample

WRITTEN = {
    "u.item": b"1|Toy Story (1995)|01-Jan-1995||x|0\n2|Mis\xe9rables, Les (1995)|y||z|1\n",
    "movies.dat": b"1::Toy Story (1995)::Comedy\r\n2::Mis\xe9rables, Les (1995)::Drama\r\n",
    "movies.csv": 'movieId,title,genres\n1,Toy Story (1995),A\n2,"Misérables, Les (1995)",B\n',
    "movie_titles.txt": b"1,1995,Toy Story (1995)\n2,NULL,Mis\xe9rables, Les (1995)\n",
    "ml-100k.item": "item_id:token\tmovie_title:token_seq\tclass\n1\tToy Story (1995)\tA\n"
    "2\tMisérables, Les (1995)\tB\n",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_titles_with_commas_and_accents(tmp_path, name):
    text = WRITTEN[name]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert read_titles(tmp_path / name) == {1: "Toy Story (1995)", 2: "Misérables, Les (1995)"}


def test_spreadsheet_quotes_are_undone(tmp_path):
    path = tmp_path / "movie_titles.csv"
    path.write_text('1,1985,Plain\n"2,1985,Brazil: The ""Love, Too"" Version"\n')
    assert read_titles(path) == {1: "Plain", 2: 'Brazil: The "Love, Too" Version'}


def test_latin_1_control_letters_end_no_line(tmp_path):
    path = tmp_path / "movie_titles.txt"
    path.write_bytes(b"1,1985,Wait\x85 what\n")
    assert read_titles(path) == {1: "Wait\x85 what"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,1985,A\nx,1985,B\n", r"line 2: the id must be a whole number, got 'x'"),
        ("1,1985,A\n2,1985\n", r"line 2: 2 fields, no title"),
        ("", "holds no titles"),
        ("movieId,title,genres\n1,A,x\ny,B,z\n", r"line 3: the id must be a whole number"),
        ("movieId,title,genres\n1,A,x\n2,B\rC,z\n", r"titles, line 3: new-line character"),
    ],
)
def test_bad_titles_are_refused(tmp_path, text, reason):
    (tmp_path / "titles").write_text(text, newline="")
    with pytest.raises(DataError, match=reason):
        read_titles(tmp_path / "titles")


def test_titles_lie_beside_the_ratings_or_beside_the_training_set(tmp_path):
    inside = tmp_path / "training_set"
    other = tmp_path / "mine"
    for folder in (inside, other):
        folder.mkdir()
        (folder / "mv_0000001.txt").write_text("1:\n5,3,2005-09-06\n")
    (tmp_path / "movie_titles.txt").write_text("1,2003,Dinosaur Planet\n")
    assert read_ratings(inside).title(0) == "Dinosaur Planet"
    assert read_ratings(other).titles is None  # whatever lies above is somebody else's


def test_unreadable_titles_can_be_left_out(tmp_path):
    (tmp_path / "u.data").write_text("1\t2\t3\t4\n")
    (tmp_path / "movies.csv").write_text("my films\n")
    with pytest.raises(DataError, match=r"movies.csv, line 1: .*; mend or move that file, or pass"):
        read_ratings(tmp_path)
    assert len(read_ratings(tmp_path, titles=False)) == 1


def test_both_netflix_samples_agree():
    text = read_titles(sample("netflix/format_samples/movie_titles.txt"))
    table = read_titles(sample("netflix/format_samples/movie_titles.csv"))
    assert len(text) == len(table) == 17_770
    assert text[1] == "Dinosaur Planet"
    assert {k for k in text if text[k] != table[k]} == set()
