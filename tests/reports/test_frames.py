"""Tidy rows for pandas, Polars and Arrow: the same numbers in each."""

import dataclasses
import sys

import numpy as np
import pytest

import robustbandits as rb
from metrics.sample_ledgers import sample_ledger
from reports.sample_experiments import played_experiment

NUMBERS = ["seed", "round", "regret", "reward", "spent", "attacked_rounds"]
HEADS = ["environment", "attack", "policy", *NUMBERS]
METHODS = ["to_pandas", "to_polars", "to_arrow"]


@pytest.fixture(scope="module")
def results():
    return rb.Results.from_experiment(played_experiment())


def as_lists(table):
    """Return the columns of any of the three as plain lists."""
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    return {key: table[key].to_list() for key in table.columns}


@pytest.mark.parametrize("method", METHODS)
def test_rows_are_those_of_the_ledgers(results, method):
    columns = as_lists(getattr(results, method)())
    assert list(columns) == HEADS
    for head in HEADS:
        expected = [value for game in results.ledgers for value in np.asarray(game.rows()[head])]
        assert columns[head] == expected


@pytest.mark.parametrize("method", METHODS)
def test_no_games_give_a_table_without_rows(method):
    columns = as_lists(getattr(rb.Results([]), method)())
    assert list(columns) == HEADS
    assert not any(columns.values())


@pytest.mark.parametrize("method", METHODS)
def test_games_may_have_different_lengths(method):
    short, long = (
        sample_ledger([1.0], seed=1),
        sample_ledger([1.0, 2.0], seed=2**62, labels=("e", "a", "ö")),
    )
    columns = as_lists(getattr(rb.Results([short, long]), method)())
    assert columns["seed"] == [1, 2**62, 2**62]
    assert columns["policy"] == ["policy", "ö", "ö"]


def test_pandas_takes_seeds_of_any_size():
    table = rb.Results([sample_ledger([1.0], seed=2**80)]).to_pandas()
    assert table["seed"].tolist() == [2**80]


def test_arrow_stores_each_label_once(results):
    column = results.to_arrow()["attack"].combine_chunks()
    assert len(column.dictionary) == 4


def test_table_does_not_change_when_a_ledger_does():
    ledger = sample_ledger([1.0, 2.0])
    table = rb.Results([ledger, dataclasses.replace(ledger, seed=1)]).to_pandas()
    ledger.regret[0] = 99.0
    assert table["regret"].tolist() == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("method", "library", "extra"),
    [
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
        ("to_arrow", "pyarrow", "lab"),
    ],
)
def test_missing_library_is_named_with_the_command_that_installs_it(
    results, monkeypatch, method, library, extra
):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install 'robustbandits\[{extra}\]'"):
        getattr(results, method)()
