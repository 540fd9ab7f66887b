"""Tidy rows for pandas, Polars and Arrow: the same numbers in each."""

import dataclasses
import math
import sys

import numpy as np
import pytest

import robustbandits as rb
from metrics.sample_ledgers import sample_ledger
from reports.sample_experiments import played_experiment
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.swept_parameters import swept_parameters

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
    assert list(columns) == [*HEADS, "attack.budget"]
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


@pytest.mark.parametrize("method", METHODS)
def test_swept_parameters_have_columns(method):
    policies = {
        "low": rb.policies.CautiousLinUCB(tolerance=1),
        "high": rb.policies.CautiousLinUCB(tolerance=7.5, radius="det"),
        "plain": rb.policies.LinUCB(),
    }
    results = rb.compare(
        environments=[rb.environments.Simulation(arms=n, dim=2) for n in (2, 3)],
        attacks={
            "none": rb.attacks.NoAttack(),
            **{str(b): rb.attacks.Garcelon(b) for b in (1.0, math.inf)},
        },
        policies=policies,
        rounds=1,
        seeds=1,
        progress=False,
    )
    columns = as_lists(getattr(results, method)())
    swept = ["policy.radius", "environment.arms", "attack.budget", "policy.tolerance"]
    assert [head for head in columns if head not in HEADS] == swept
    rows = zip(
        columns["policy"], columns["policy.tolerance"], columns["policy.radius"], strict=True
    )
    tolerances, radii = {}, {}
    for policy, tolerance, radius in rows:
        tolerances[policy], radii[policy] = tolerance, radius
    assert (tolerances["low"], tolerances["high"]) == (1.0, 7.5)
    assert radii["high"] == "det"
    gap = math.isnan if method == "to_pandas" else lambda value: value is None
    assert gap(tolerances["plain"])
    budgets = set(zip(columns["attack"], columns["attack.budget"], strict=True))
    assert budgets == {("none", 0.0), ("1.0", 1.0), ("inf", math.inf)}
    assert set(columns["environment.arms"]) == {2, 3}
    assert all(type(arms) is int for arms in columns["environment.arms"])


def test_what_is_not_swept_has_no_column():
    spec = Spec(
        name="s", environments=[rb.environments.Simulation()], policies=[rb.policies.LinUCB()]
    )
    assert swept_parameters(spec) == {
        "environment": {"Simulation": {}},
        "attack": {"NoAttack": {}},
        "policy": {"LinUCB": {}},
    }


@pytest.mark.parametrize("method", METHODS)
def test_swept_values_may_be_true_large_or_text(method):
    ledgers = [sample_ledger([1.0], labels=("e", "a", policy)) for policy in "pq"]
    values = {"flag": (True, False), "large": (2**70, 1), "list": ("[1, 2]", "none")}
    by_label = {
        label: {name: pair[k] for name, pair in values.items()} for k, label in enumerate("pq")
    }
    columns = as_lists(getattr(rb.Results(ledgers, {"policy": by_label}), method)())
    assert columns["policy.flag"] == [True, False]
    assert columns["policy.large"] == [str(2**70), "1"]
    assert columns["policy.list"] == ["[1, 2]", "none"]
