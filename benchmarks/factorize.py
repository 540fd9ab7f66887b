"""Measure CCD++: seconds per outer iteration, memory, and a comparison with other libraries.

``python benchmarks/factorize.py --ratings 10000000`` draws that many ratings with Netflix's shape
(``--ratings 100480507`` is its full size). The other libraries (cornac, scikit-surprise) are
measured if they are installed. They build their data sets from Python tuples, so the comparison
uses one million ratings.

LIBPMF itself cannot be installed from a package index. An outer iteration costs O(ratings x rank x
sweeps) there (Yu et al. 2012) and here. On another machine, with another synthetic set of 9.36
million ratings, its C++ code took 3.3 s for two outer iterations on one thread.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import robustbandits as rb
from robustbandits._cores import available_cores
from robustbandits.ratings._ccd import Descent
from robustbandits.ratings.datasets import NETFLIX
from robustbandits.ratings.factorize import first_factors

RANK = 10


def peak_gigabytes() -> float:
    """Return the peak memory of this process; macOS reports bytes, other systems kilobytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and its CPU seconds, which other programs on the machine disturb little."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def descend(table: Any, weight: float, outer: int, workers: int) -> dict[str, Any]:
    """Return seconds for sorting and for each outer iteration, wall-clock and CPU."""
    start = first_factors(table.shape[0], RANK, "libpmf")
    descent, sorting = timed(lambda: Descent(table, start, weight))
    wall, cpu = [time.perf_counter()], [time.process_time()]
    steps = [0]

    def advance() -> None:
        steps[0] += 1
        if steps[0] % RANK == 0:
            wall.append(time.perf_counter())
            cpu.append(time.process_time())

    fit = descent.run(outer, 5, workers, advance)
    return {
        "workers": workers,
        "regularization": weight,
        "sorting_cpu_seconds": round(sorting, 2),
        "outer_seconds": [round(float(x), 2) for x in np.diff(wall)],
        "seconds_per_outer": round((wall[-1] - wall[0]) / outer, 2),
        "cpu_seconds_per_outer": round((cpu[-1] - cpu[0]) / outer, 2),
        "train_rmse": round(fit.train_rmse, 6),
    }


def train_rmse(table: Any, users: Any, items: Any) -> float:
    guesses = np.zeros(len(table))
    for k in range(users.shape[1]):
        guesses += users[table.users, k] * items[table.items, k]
    return float(np.sqrt(np.mean((table.ratings - guesses) ** 2)))


def cornac_peer(table: Any) -> tuple[float, float]:
    from cornac.data import Dataset
    from cornac.models import MF

    columns = (table.users.tolist(), table.items.tolist(), table.ratings.astype(float).tolist())
    data = Dataset.from_uir(list(zip(*columns, strict=True)))
    model = MF(k=RANK, max_iter=20, use_bias=False, seed=0, num_threads=1)
    _, seconds = timed(lambda: model.fit(data))
    users = np.zeros((table.shape[0], RANK))
    items = np.zeros((table.shape[1], RANK))
    users[list(data.uid_map)] = model.u_factors[list(data.uid_map.values())]
    items[list(data.iid_map)] = model.i_factors[list(data.iid_map.values())]
    return seconds, train_rmse(table, users, items)


def surprise_peer(table: Any) -> tuple[float, float]:
    from surprise import SVD, Dataset, Reader

    columns = (table.users.tolist(), table.items.tolist(), table.ratings.astype(float).tolist())
    data = Dataset(Reader(rating_scale=(1, 5)))
    rows = [(*row, None) for row in zip(*columns, strict=True)]
    train = data.construct_trainset(rows)
    model = SVD(n_factors=RANK, n_epochs=20, biased=False, init_mean=0.1, random_state=0)
    _, seconds = timed(lambda: model.fit(train))
    users = np.zeros((table.shape[0], RANK))
    items = np.zeros((table.shape[1], RANK))
    for inner in train.all_users():
        users[train.to_raw_uid(inner)] = model.pu[inner]
    for inner in train.all_items():
        items[train.to_raw_iid(inner)] = model.qi[inner]
    return seconds, train_rmse(table, users, items)


def peers() -> dict[str, Any]:
    """Return CPU seconds and training error of each library: one thread, one million ratings."""
    table = rb.environments.synthetic_ratings(0.01)
    ours, seconds = timed(lambda: rb.environments.factorize(table, workers=1, cache=False))
    found: dict[str, Any] = {"ratings": len(table)}
    found["ours, 5 outer"] = {"cpu_seconds": round(seconds, 2), "rmse": round(ours.train_rmse, 4)}
    others = {"cornac MF, 20 epochs": cornac_peer, "surprise SVD, 20 epochs": surprise_peer}
    for name, fit in others.items():
        try:
            seconds, rmse = fit(table)
        except ImportError:
            found[name] = "not installed"
        else:
            found[name] = {"cpu_seconds": round(seconds, 2), "rmse": round(rmse, 4)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure CCD++.")
    limit = f"at most {NETFLIX.ratings:,}"
    parser.add_argument("--ratings", type=int, default=10_000_000, help=limit)
    parser.add_argument("--outer", type=int, default=5)
    parser.add_argument("--regularization", type=float, default=0.05)
    parser.add_argument("--workers", type=int, nargs="*", default=sorted({1, available_cores()}))
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    small_table = rb.environments.synthetic_ratings(0.001)
    descend(small_table, 0.05, 1, 2)  # compile
    share = min(options.ratings / NETFLIX.ratings, 1.0)
    table, drawing = timed(lambda: rb.environments.synthetic_ratings(share))
    users, items = table.shape
    found: dict[str, Any] = {
        "ratings": len(table),
        "users": users,
        "items": items,
        "drawing_cpu_seconds": round(drawing, 2),
        "peak_gb_after_drawing": round(peak_gigabytes(), 2),
        "runs": [],
    }
    for workers in options.workers:
        found["runs"].append(descend(table, options.regularization, options.outer, workers))
        found["peak_gb"] = round(peak_gigabytes(), 2)
        found["peak_bytes_per_rating"] = round(peak_gigabytes() * 1e9 / len(table), 1)
    if not options.no_peers:
        found["peers"] = peers()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
