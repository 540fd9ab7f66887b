"""Titles in the files of each data set."""

import pytest

from robustbandits.ratings.read import read_ratings
from robustbandits.ratings.titles import read_titles
from shared_data import sample

FILES = {
    "u.item": b"1|Toy Story (1995)|01-Jan-1995||x|0\n2|Mis\xe9rables, Les (1995)|y||z|1\n",
    "movies.dat": b"1::Toy Story (1995)::Comedy\r\n2::Mis\xe9rables, Les (1995)::Drama\r\n",
    "movies.csv": 'movieId,title,genres\n1,Toy Story (1995),A\n2,"Misérables, Les (1995)",B\n',
    "movie_titles.txt": b"1,1995,Toy Story (1995)\n2,NULL,Mis\xe9rables, Les (1995)\n",
    "ml-100k.item": "item_id:token\tmovie_title:token_seq\tclass\n1\tToy Story (1995)\tA\n"
    "2\tMisérables, Les (1995)\tB\n",
}


@pytest.mark.parametrize("name", FILES)
def test_titles_with_commas_and_accents(tmp_path, name):
    text = FILES[name]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert read_titles(tmp_path / name) == {1: "Toy Story (1995)", 2: "Misérables, Les (1995)"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("movie_titles.csv", '"2,1985,The ""Love, Too"" Cut"'),
        ("movies.csv", '2,"The ""Love, Too"" Cut",x'),
    ],
)
def test_quoted_quotes(tmp_path, name, line):
    (tmp_path / name).write_text(f"{line}\nnot a title\n")
    assert read_titles(tmp_path / name) == {2: 'The "Love, Too" Cut'}


def test_titles_are_beside_the_ratings_or_beside_the_training_set(tmp_path):
    inside, other = tmp_path / "training_set", tmp_path / "mine"
    for folder in (inside, other):
        folder.mkdir()
        (folder / "mv_0000001.txt").write_text("1:\n5,3,2005-09-06\n")
    (tmp_path / "movie_titles.txt").write_text("1,2003,Dinosaur Planet\n")
    assert read_ratings(inside).title(0) == "Dinosaur Planet"
    assert read_ratings(other).titles is None


def test_both_netflix_samples_agree():
    text = read_titles(sample("netflix/format_samples/movie_titles.txt"))
    table = read_titles(sample("netflix/format_samples/movie_titles.csv"))
    assert len(text) == 17_770
    assert text[1] == "Dinosaur Planet"
    assert text == table
