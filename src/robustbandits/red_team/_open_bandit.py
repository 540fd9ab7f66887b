"""The files of the Open Bandit Dataset, with one context for each item.

The context of an item has the user's affinity to it, the features of the item, and a constant.
``item_context.csv`` holds the features: the first is a number, the others are names of categories.
Without that file, the item's own index stands for its features. Features of the user alone are the
same for all items, so a linear model cannot use them; the position on the page is not used.

References
----------
Saito, Aihara, Matsutani, Narita (2021), "Open Bandit Dataset and Pipeline".
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from robustbandits.kernels.linalg import Floats
from robustbandits.ratings.errors import DataError
from robustbandits.red_team._log_rows import Rows

#: Arm, reward and probability.
COLUMNS = ("item_id", "click", "propensity_score")
ITEMS = "item_context.csv"
#: The data set has fewer items; a larger number is a mistake in the file.
MAX_ITEMS = 1000

_AFFINITY = re.compile(r"user-item_affinity_(\d{1,9})")
_FEATURE = re.compile(r"item_feature_(\d{1,9})")


class OpenBanditLayout:
    """How contexts are made from the columns of a file."""

    def __init__(self, file: Rows):
        found = {int(match[1]): match[0] for name in file.names if (match := _AFFINITY.match(name))}
        if sorted(found) != list(range(len(found))) or not 0 < len(found) <= MAX_ITEMS:
            raise DataError(
                f"{file.path} must have a column user-item_affinity_A for each item A, from 0 and "
                f"without gaps, at most {MAX_ITEMS}; it has {len(found)}"
            )
        self.columns = [found[item] for item in range(len(found))]
        self._items = _item_features(file, len(found))
        self.shape = (len(found), self._items.shape[1] + 2)

    def contexts(self, file: Rows, batch: Any, first: int) -> Floats:
        """Return affinity, features of the item, and a constant, (rows, items, dim)."""
        contexts = np.ones((len(batch), *self.shape))
        for item, name in enumerate(self.columns):
            contexts[:, item, 0] = file.numbers(batch, name, first)
        contexts[:, :, 1:-1] = self._items
        return contexts


def _item_features(log: Rows, items: int) -> Floats:
    """Return the features of the items (items, features)."""
    path = log.path.parent / ITEMS
    if not path.exists():
        return np.eye(items)
    file = Rows(path)
    names = sorted((name for name in file.names if _FEATURE.fullmatch(name)), key=_number)
    if "item_id" not in file.names or not names:
        raise DataError(
            f"{path} must have the columns item_id and item_feature_0, item_feature_1, ...; got "
            f"{', '.join(file.names[:12])}"
        )
    rows: dict[int, tuple[float, list[str]]] = {}
    read = 0
    for batch in file.batches(["item_id", *names], text=tuple(names[1:])):
        ids = file.numbers(batch, "item_id", read)
        expected = f"an item from 0 to {items - 1}, as in {log.path.name}"
        known = (ids >= 0.0) & (ids < items) & (ids == np.floor(ids))
        file.require(known, ids, "item_id", read, expected)
        numbers = file.numbers(batch, names[0], read)
        texts = zip(*(batch.column(name).to_pylist() for name in names[1:]), strict=True)
        categories = list(texts) if len(names) > 1 else [()] * len(batch)
        for item, number, words in zip(ids, numbers, categories, strict=True):
            rows[int(item)] = (float(number), [str(word) for word in words])
        read += len(batch)
    missing = sorted(set(range(items)) - set(rows))
    if missing:
        raise DataError(f"{path}, column 'item_id': item {missing[0]} is missing; add its row")
    return _encode([rows[item] for item in range(items)])


def _number(name: str) -> int:
    return int(name.rpartition("_")[2])


def _encode(rows: list[tuple[float, list[str]]]) -> Floats:
    """Return the number, divided by the largest, and for each category 0 or 1."""
    numbers = np.array([number for number, _ in rows])
    columns = [numbers / max(1.0, float(np.abs(numbers).max()))]
    for words in zip(*(words for _, words in rows), strict=True):
        columns += [np.array([word == name for word in words]) for name in sorted(set(words))]
    return np.stack(columns, axis=1).astype(np.float64)
