"""Tidy columns: one row for each recorded round of each game, for pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustbandits._extras import missing_package
from robustbandits.experiments.swept_parameters import Parameters
from robustbandits.game.ledger import Integers, Ledger

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

NAMES = ("environment", "attack", "policy")


class LabelColumn(NamedTuple):
    """A column of texts: each different text once, and the index of the text of each row."""

    names: list[str | None]  # None if a recipe does not have the parameter
    codes: np.ndarray[Any, np.dtype[np.int32]]


class Columns(NamedTuple):
    """All columns: labels and other texts, and numbers as whole arrays.

    Floats of a swept parameter are NaN where a recipe does not have it.
    """

    labels: dict[str, LabelColumn]
    numbers: dict[str, np.ndarray[Any, Any]]


def tidy_columns(ledgers: Sequence[Ledger], parameters: Parameters | None = None) -> Columns:
    """Return environment, attack, policy, seed, round, regret, reward, spent, attacked_rounds.

    Each swept parameter has a column as well, such as ``attack.budget``.
    """
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
    for role, by_label in (parameters or {}).items():
        for name in dict.fromkeys(name for values in by_label.values() for name in values):
            found = [by_label.get(getattr(ledger, role), {}).get(name) for ledger in ledgers]
            column = _parameter(found)
            if column is None:
                texts = [None if value is None else str(value) for value in found]
                labels[f"{role}.{name}"] = _labels(texts, sizes)
            else:
                numbers[f"{role}.{name}"] = np.repeat(column, sizes)
    return Columns(labels, numbers)


def to_pandas(ledgers: Sequence[Ledger], parameters: Parameters | None = None) -> pandas.DataFrame:
    """Return tidy rows as a pandas data frame; names are strings."""
    try:
        import pandas
    except ImportError:
        raise missing_package("to_pandas needs", "pandas", "pandas") from None
    labels, numbers = tidy_columns(ledgers, parameters)
    # Index a short array of pandas' own strings, because making millions of strings is slow.
    words = {
        key: pandas.Series(column.names, dtype="str").take(column.codes).reset_index(drop=True)
        for key, column in labels.items()
    }
    return pandas.DataFrame({**words, **numbers})


def to_polars(ledgers: Sequence[Ledger], parameters: Parameters | None = None) -> polars.DataFrame:
    """Return tidy rows as a Polars data frame; names are strings."""
    try:
        import polars
    except ImportError:
        raise missing_package("to_polars needs", "Polars", "polars") from None
    labels, numbers = tidy_columns(ledgers, parameters)
    words = {
        key: polars.Series(key, column.names, dtype=polars.String).gather(column.codes)
        for key, column in labels.items()
    }
    frame = polars.DataFrame({**words, **numbers})
    return frame.with_columns(polars.col(_swept(numbers)).fill_nan(None))


def to_arrow(ledgers: Sequence[Ledger], parameters: Parameters | None = None) -> pyarrow.Table:
    """Return tidy rows as an Arrow table; names are dictionary-encoded, numbers are not copied."""
    try:
        import pyarrow
    except ImportError:
        raise missing_package("to_arrow needs", "pyarrow", "lab") from None
    labels, numbers = tidy_columns(ledgers, parameters)
    words = {
        key: pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(column.codes), pyarrow.array(column.names, type=pyarrow.string())
        )
        for key, column in labels.items()
    }
    swept = _swept(numbers)
    columns = {
        key: pyarrow.array(values, from_pandas=key in swept)  # from_pandas: NaN becomes null
        for key, values in numbers.items()
    }
    return pyarrow.table({**words, **columns})


def _swept(numbers: Mapping[str, Any]) -> list[str]:
    """Return the columns of swept parameters that may have gaps."""
    return [key for key, values in numbers.items() if "." in key and values.dtype == np.float64]


def _parameter(values: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Return the values of a parameter, one per game, as an array; None if not numbers."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values)
    if any(type(value) is int and abs(value) >= 2**63 for value in values):
        return None
    if kinds == {int}:
        return np.array(values, dtype=np.int64)
    if kinds & {int, float} and kinds <= {int, float, type(None)}:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return None


def _labels(names: Sequence[str | None], sizes: Integers) -> LabelColumn:
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
