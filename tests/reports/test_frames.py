"""Tidy rows for pandas, Polars and Arrow: the same numbers in each."""

import dataclasses
import sys

import numpy as np
import pytest

import robustbandits as rb
from metrics.made import made
from reports.played import played

NUMBERS = ["seed", "round", "regret", "reward", "spent", "attacked_rounds"]
HEADS = ["environment", "attack", "policy", *NUMBERS]
WAYS = ["to_pandas", "to_polars", "to_arrow"]


@pytest.fixture(scope="module")
def results():
    return rb.Results.from_experiment(played())


def as_lists(table):
    """Return the columns of any of the three as plain lists."""
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    return {key: table[key].to_list() for key in table.columns}


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_those_of_the_ledgers(results, way):
    columns = as_lists(getattr(results, way)())
    assert list(columns) == HEADS
    for head in HEADS:
        expected = [value for one in results.ledgers for value in np.asarray(one.rows()[head])]
        assert columns[head] == expected


@pytest.mark.parametrize("way", WAYS)
def test_no_games_give_a_table_without_rows(way):
    columns = as_lists(getattr(rb.Results([]), way)())
    assert list(columns) == HEADS
    assert not any(columns.values())


@pytest.mark.parametrize("way", WAYS)
def test_games_of_different_lengths_go_together(way):
    short, long = made([1.0], seed=1), made([1.0, 2.0], seed=2**62, who=("e", "a", "ö"))
    columns = as_lists(getattr(rb.Results([short, long]), way)())
    assert columns["seed"] == [1, 2**62, 2**62]
    assert columns["policy"] == ["policy", "ö", "ö"]


def test_seed_of_any_size_survives_pandas():
    table = rb.Results([made([1.0], seed=2**80)]).to_pandas()
    assert table["seed"].tolist() == [2**80]


def test_arrow_holds_each_name_once(results):
    column = results.to_arrow()["attack"].combine_chunks()
    assert len(column.dictionary) == 4


def test_groups_of_pandas_agree_with_the_summary(results):
    table = results.to_pandas()
    last = table[table["round"] == 200].groupby(["attack", "policy"])["regret"].mean()
    for row in results.summary().rows:
        assert last[row.attack, row.policy] == pytest.approx(row.regret)


def test_table_does_not_change_when_a_ledger_does():
    ledger = made([1.0, 2.0])
    table = rb.Results([ledger, dataclasses.replace(ledger, seed=1)]).to_pandas()
    ledger.regret[0] = 99.0
    assert table["regret"].tolist() == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("way", "library", "extra"),
    [
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
        ("to_arrow", "pyarrow", "lab"),
    ],
)
def test_missing_library_is_named_with_the_remedy(results, monkeypatch, way, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install 'robustbandits\[{extra}\]'"):
        getattr(results, way)()
