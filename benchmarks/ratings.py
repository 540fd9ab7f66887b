"""Measure how fast ratings are read, what they keep in memory, and what reading takes at most.

Ratings with Netflix' shape are written to a temporary folder in three formats. The peer is pandas,
where it is installed, on the flat CSV. Times are CPU seconds of one thread, the best of several.
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

USERS, MOVIES, PER_MOVIE = 480_189, 17_770, 5_000


def write_files(folder: Path, ratings: int) -> dict[str, Path]:
    """Write the same ratings movie by movie in one file, in many files, and as flat CSV."""
    rng = np.random.default_rng(0)
    paths = {"combined": folder / "combined_data_1.txt", "flat": folder / "flat.csv"}
    paths["training_set"] = folder / "training_set"
    paths["training_set"].mkdir()
    ids = np.sort(rng.choice(2_649_429, USERS, replace=False)) + 1
    with paths["combined"].open("w") as combined, paths["flat"].open("w") as flat:
        for movie in range(1, max(1, ratings // PER_MOVIE) + 1):
            users = ids[rng.choice(USERS, PER_MOVIE, replace=False)]
            stars = rng.integers(1, 6, PER_MOVIE)
            rows = [f"{u},{r},2005-09-06\n" for u, r in zip(users, stars, strict=True)]
            text = f"{movie}:\n" + "".join(rows)
            combined.write(text)
            (paths["training_set"] / f"mv_{movie:07}.txt").write_text(text)
            flat.write(
                "".join(f"{movie},{u},{r},2005-09-06\n" for u, r in zip(users, stars, strict=True))
            )
    return paths


def best_seconds(job: Callable[[], Any], repeats: int) -> float:
    """Best CPU seconds of several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def peer(path: Path) -> Callable[[], Any] | None:
    try:
        import pandas
    except ImportError:
        return None
    kinds = {0: np.int32, 1: np.int32, 2: np.int8}
    return lambda: pandas.read_csv(path, header=None, usecols=[0, 1, 2], dtype=kinds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="folder for ratings.json")
    options = parser.parse_args()
    found: dict[str, Any] = {"million ratings a CPU second": {}}
    rates = found["million ratings a CPU second"]
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder), options.ratings)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        table = rb.environments.read_ratings(paths["combined"])  # compiles, too
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found["ratings"] = len(table)
        found["bytes kept a rating"] = table.nbytes / len(table)
        found["peak bytes a rating while reading"] = (after - before) * 1024 / len(table)
        for name, path in paths.items():
            seconds = best_seconds(
                lambda path=path: rb.environments.read_ratings(path), options.repeats
            )
            rates[name] = len(table) / seconds / 1e6
        other = peer(paths["flat"])
        if other is not None:
            rates["pandas, flat"] = len(table) / best_seconds(other, options.repeats) / 1e6
    print(json.dumps(found, indent=2))
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "ratings.json").write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
