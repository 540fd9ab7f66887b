"""Tidy columns: one row for each recorded round of each game, for pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustbandits._extras import missing_package
from robustbandits.game.ledger import Integers, Ledger

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

NAMES = ("environment", "attack", "policy")


class LabelColumn(NamedTuple):
    """A column of labels: each different label once, and the index of the label of each row."""

    names: list[str]
    codes: np.ndarray[Any, np.dtype[np.int32]]


class Columns(NamedTuple):
    """All columns: labels, and numbers as whole arrays."""

    labels: dict[str, LabelColumn]
    numbers: dict[str, np.ndarray[Any, Any]]


def tidy_columns(ledgers: Sequence[Ledger]) -> Columns:
    """Return environment, attack, policy, seed, round, regret, reward, spent, attacked_rounds."""
    sizes = np.array([len(ledger.rounds) for ledger in ledgers], dtype=np.int64)
    labels = {key: _labels([getattr(ledger, key) for ledger in ledgers], sizes) for key in NAMES}
    seeds = np.array([ledger.seed for ledger in ledgers], dtype=_seed_type(ledgers))
    numbers = {
        "seed": np.repeat(seeds, sizes),
        "round": _joined(ledgers, lambda ledger: ledger.rounds, np.int64),
        "regret": _joined(ledgers, lambda ledger: ledger.regret, np.float64),
        "reward": _joined(ledgers, lambda ledger: ledger.reward, np.float64),
        "spent": _joined(ledgers, lambda ledger: ledger.spent_so_far, np.float64),
        "attacked_rounds": _joined(ledgers, lambda ledger: ledger.attacked_so_far, np.int64),
    }
    return Columns(labels, numbers)


def to_pandas(ledgers: Sequence[Ledger]) -> pandas.DataFrame:
    """Return tidy rows as a pandas data frame; names are strings."""
    try:
        import pandas
    except ImportError:
        raise missing_package("to_pandas needs", "pandas", "pandas") from None
    labels, numbers = tidy_columns(ledgers)
    # Index a short array of pandas' own strings, because making millions of strings is slow.
    words = {
        key: pandas.Series(column.names, dtype="str").take(column.codes).reset_index(drop=True)
        for key, column in labels.items()
    }
    return pandas.DataFrame({**words, **numbers})


def to_polars(ledgers: Sequence[Ledger]) -> polars.DataFrame:
    """Return tidy rows as a Polars data frame; names are strings."""
    try:
        import polars
    except ImportError:
        raise missing_package("to_polars needs", "Polars", "polars") from None
    labels, numbers = tidy_columns(ledgers)
    words = {
        key: polars.Series(key, column.names, dtype=polars.String).gather(column.codes)
        for key, column in labels.items()
    }
    return polars.DataFrame({**words, **numbers})


def to_arrow(ledgers: Sequence[Ledger]) -> pyarrow.Table:
    """Return tidy rows as an Arrow table; names are dictionary-encoded, numbers are not copied."""
    try:
        import pyarrow
    except ImportError:
        raise missing_package("to_arrow needs", "pyarrow", "lab") from None
    labels, numbers = tidy_columns(ledgers)
    words = {
        key: pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(column.codes), pyarrow.array(column.names, type=pyarrow.string())
        )
        for key, column in labels.items()
    }
    return pyarrow.table(
        {**words, **{key: pyarrow.array(values) for key, values in numbers.items()}}
    )


def _labels(names: Sequence[str], sizes: Integers) -> LabelColumn:
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    by_game = np.array([codes[name] for name in names], dtype=np.int32)
    return LabelColumn(list(codes), np.repeat(by_game, sizes))


def _joined(ledgers: Sequence[Ledger], part: Callable[[Ledger], Any], kind: Any) -> Any:
    parts = [part(ledger) for ledger in ledgers]
    return np.concatenate([*parts, np.empty(0, dtype=kind)]).astype(kind, copy=False)


def _seed_type(ledgers: Sequence[Ledger]) -> Any:
    """Return a type that holds every seed; Python's integers have no largest value."""
    largest = max((ledger.seed for ledger in ledgers), default=0)
    return np.int64 if largest < 2**63 else object
