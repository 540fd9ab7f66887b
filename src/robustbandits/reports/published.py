"""The paper's own results, read off its Figure 1."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources


@cache
def published_regrets() -> dict[tuple[str, str, str], float]:
    """Return final regrets at T = 10⁶; good to 1 % of a panel's axis."""
    text = resources.files("robustbandits.reports").joinpath("figure1.csv").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        (row["environment"], row["attack"], row["policy"]): float(row["regret"])
        for row in csv.DictReader(lines)
    }
