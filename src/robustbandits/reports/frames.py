"""Tidy columns: one row for each recorded round of each game, for pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustbandits.game.ledger import Integers, Ledger

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

NAMES = ("environment", "attack", "policy")


class Labels(NamedTuple):
    """A column of names: each different name once, and which one each row has."""

    names: list[str]
    codes: np.ndarray[Any, np.dtype[np.int32]]


class Columns(NamedTuple):
    """All columns: names apart from numbers, which are whole arrays."""

    labels: dict[str, Labels]
    numbers: dict[str, np.ndarray[Any, Any]]


def tidy_columns(ledgers: Sequence[Ledger]) -> Columns:
    """Return environment, attack, policy, seed, round, regret, reward, spent, attacked_rounds."""
    sizes = np.array([len(one.rounds) for one in ledgers], dtype=np.int64)
    labels = {key: _labels([getattr(one, key) for one in ledgers], sizes) for key in NAMES}
    seeds = np.array([one.seed for one in ledgers], dtype=_seed_type(ledgers))
    numbers = {
        "seed": np.repeat(seeds, sizes),
        "round": _joined(ledgers, lambda one: one.rounds, np.int64),
        "regret": _joined(ledgers, lambda one: one.regret, np.float64),
        "reward": _joined(ledgers, lambda one: one.reward, np.float64),
        "spent": _joined(ledgers, lambda one: one.spent_so_far, np.float64),
        "attacked_rounds": _joined(ledgers, lambda one: one.attacked_so_far, np.int64),
    }
    return Columns(labels, numbers)


def to_pandas(ledgers: Sequence[Ledger]) -> pandas.DataFrame:
    """Return tidy rows as a pandas data frame; names are strings."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs pandas: pip install 'robustbandits[pandas]'") from None
    labels, numbers = tidy_columns(ledgers)
    # Taken from a short array of pandas' own strings: millions of rows in a moment.
    words = {
        key: pandas.Series(one.names, dtype="str").take(one.codes).reset_index(drop=True)
        for key, one in labels.items()
    }
    return pandas.DataFrame({**words, **numbers})


def to_polars(ledgers: Sequence[Ledger]) -> polars.DataFrame:
    """Return tidy rows as a Polars data frame; names are strings."""
    try:
        import polars
    except ImportError:
        raise ImportError("to_polars needs Polars: pip install 'robustbandits[polars]'") from None
    labels, numbers = tidy_columns(ledgers)
    words = {
        key: polars.Series(key, one.names, dtype=polars.String).gather(one.codes)
        for key, one in labels.items()
    }
    return polars.DataFrame({**words, **numbers})


def to_arrow(ledgers: Sequence[Ledger]) -> pyarrow.Table:
    """Return tidy rows as an Arrow table; names are dictionary-encoded, numbers are not copied."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError("to_arrow needs pyarrow: pip install 'robustbandits[lab]'") from None
    labels, numbers = tidy_columns(ledgers)
    words = {
        key: pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(one.codes), pyarrow.array(one.names, type=pyarrow.string())
        )
        for key, one in labels.items()
    }
    return pyarrow.table({**words, **{key: pyarrow.array(one) for key, one in numbers.items()}})


def _labels(names: Sequence[str], sizes: Integers) -> Labels:
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([places[name] for name in names], dtype=np.int32)
    return Labels(list(places), np.repeat(codes, sizes))


def _joined(ledgers: Sequence[Ledger], part: Callable[[Ledger], Any], kind: Any) -> Any:
    parts = [part(one) for one in ledgers]
    return np.concatenate([*parts, np.empty(0, dtype=kind)]).astype(kind, copy=False)


def _seed_type(ledgers: Sequence[Ledger]) -> Any:
    """Return the type that holds every seed: they may be whole numbers of any size."""
    largest = max((one.seed for one in ledgers), default=0)
    return np.int64 if largest < 2**63 else object
