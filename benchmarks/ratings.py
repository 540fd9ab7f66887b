"""Measure how fast ratings are read, and how much memory that takes.

Ratings with Netflix's shape are written to a temporary folder in several formats. For comparison,
pandas reads the flat CSV, if it is installed. Times are CPU seconds, the best of several runs.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import robustbandits as rb

USERS, PER_MOVIE = 480_189, 5_000


def write_files(folder: Path, ratings: int) -> dict[str, Path]:
    """Write the same ratings in each format: Netflix (one file, many files), flat CSV, "::"."""
    rng = np.random.default_rng(0)
    paths = {"combined": folder / "combined_data_1.txt", "flat": folder / "flat.csv"}
    paths |= {"training_set": folder / "training_set", "colons": folder / "ratings.dat"}
    paths["training_set"].mkdir()
    ids = np.sort(rng.choice(2_649_429, USERS, replace=False)) + 1
    for movie in range(1, max(1, ratings // PER_MOVIE) + 1):
        users = ids[rng.choice(USERS, PER_MOVIE, replace=False)].tolist()
        rows = list(zip(users, rng.integers(1, 6, PER_MOVIE).tolist(), strict=True))
        block = f"{movie}:\n" + "".join(f"{u},{r},2005-09-06\n" for u, r in rows)
        (paths["training_set"] / f"mv_{movie:07}.txt").write_text(block)
        for name, text in {
            "combined": block,
            "flat": "".join(f"{movie},{u},{r},2005-09-06\n" for u, r in rows),
            "colons": "".join(f"{u}::{movie}::{r}::978300760\n" for u, r in rows),
        }.items():
            with paths[name].open("a") as file:
                file.write(text)
    return paths


def best_seconds(job: Callable[[], Any], repeats: int) -> float:
    """Return the best CPU seconds of several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def pandas_reader(path: Path) -> Callable[[], Any] | None:
    try:
        import pandas
    except ImportError:
        return None
    types = {0: np.int32, 1: np.int32, 2: np.int8}
    return lambda: pandas.read_csv(path, header=None, usecols=[0, 1, 2], dtype=types)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="folder for ratings.json")
    options = parser.parse_args()
    read = rb.environments.read_ratings
    found: dict[str, Any] = {"million ratings a CPU second": {}}
    rates = found["million ratings a CPU second"]
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder), options.ratings)
        read(paths["training_set"] / "mv_0000001.txt")  # imports pyarrow
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        table = read(paths["flat"])
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found["ratings"] = len(table)
        found["bytes kept a rating"] = table.nbytes / len(table)
        found["peak bytes a rating while reading"] = (after - before) * 1024 / len(table)
        for name, path in paths.items():
            seconds = best_seconds(lambda path=path: read(path), options.repeats)
            rates[name] = len(table) / seconds / 1e6
        read_with_pandas = pandas_reader(paths["flat"])
        if read_with_pandas is not None:
            seconds = best_seconds(read_with_pandas, options.repeats)
            rates["pandas, flat"] = len(table) / seconds / 1e6
    print(json.dumps(found, indent=2))
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "ratings.json").write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
