"""factorize: ratings to factors with CCD++, for which the paper used LIBPMF."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from robustbandits._cores import available_cores
from robustbandits.game import require
from robustbandits.kernels.linalg import Floats
from robustbandits.ratings import factor_cache
from robustbandits.ratings._ccd import Descent
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.table import RatingTable


def factorize(
    table: RatingTable,
    rank: int = 10,
    regularization: float = 0.1,
    outer: int = 5,
    inner: int = 5,
    init: str | int = "libpmf",
    *,
    workers: int | None = None,
    progress: bool | None = None,
    cache: bool = True,
) -> Factors:
    """Factorize ratings without a mean and biases: ``r ≈ users[u] · items[i]``.

    Minimises ``Σ (r - w·h)² + regularization · (Σ n_u |w_u|² + Σ n_i |h_i|²)``, where ``n_u`` and
    ``n_i`` are the numbers of ratings, by cyclic coordinate descent, one rank-one term at a time.

    Defaults, start and stopping rule are those of LIBPMF 1.41, which the authors ran with
    ``regularization=0.05``. On MovieLens 100K it has LIBPMF's training error to the seven digits
    known (0.7646173), and its factors are within 1e-5 of the same algorithm with LIBPMF's float64
    residuals; ours are float32, to save memory. The result has the same bits for any number of
    workers and any order of the ratings.

    Parameters
    ----------
    table
        The ratings; :func:`read_ratings` reads them.
    rank
        Length of each vector.
    regularization
        Weight of the squared norms, > 0. If it is so large that whole factors become zero, a
        warning says so.
    outer, inner
        Number of iterations over all terms, and largest number of sweeps per term and iteration.
    init
        ``"libpmf"``: users start at a tenth of ``drand48`` numbers with seed 0, items at zero.
        A whole number: a NumPy stream with that seed instead.
    workers
        Number of threads; None uses every core.
    progress
        Whether to show a progress bar; None shows one on a terminal.
    cache
        Whether to keep the result on disk, and to take it from there the next time.

    References
    ----------
    Yu, Hsieh, Si, Dhillon (2012), Scalable coordinate descent approaches to parallel matrix
    factorization for recommender systems. LIBPMF is by the same authors.
    """
    parameters: dict[str, Any] = {
        "rank": require.count("rank", rank),
        "regularization": require.positive("regularization", regularization),
        "outer": require.count("outer", outer),
        "inner": require.count("inner", inner),
        "init": require.one_of("init", init, ["libpmf"])
        if isinstance(init, str)
        else require.count("init", init, 0),
    }
    threads = available_cores() if workers is None else require.count("workers", workers)
    if not isinstance(table, RatingTable):
        raise TypeError(f"table must be a RatingTable, use read_ratings(path); got {table!r}")
    path = factor_cache.path_of(table, parameters) if cache else None
    factors = factor_cache.load(path) if path else None
    if factors is None:
        with _bar(progress, parameters["outer"] * parameters["rank"]) as advance:
            factors = _fit(table, parameters, threads, advance)
        if path:
            factor_cache.save(path, factors)
    if factors.effective_rank < factors.rank:
        warnings.warn(
            f"only {factors.effective_rank} of {factors.rank} factors are in use: with "
            f"regularization={factors.regularization:g} these ratings do not support more; "
            f"lower regularization, or ask for rank={factors.effective_rank}",
            RuntimeWarning,
            stacklevel=2,
        )
    return factors


def first_factors(users: int, rank: int, init: str | int) -> Floats:
    """Return the users' factors to start from, one row for each factor."""
    if isinstance(init, str):
        numbers = drand48(0, users * rank)
    else:
        numbers = np.random.default_rng(init).random(users * rank)
    return np.ascontiguousarray(0.1 * numbers.reshape(users, rank).T)


def drand48(seed: int, count: int) -> Floats:
    """Return the first numbers in [0, 1) of C's ``drand48`` after ``srand48(seed)``, bit for bit.

    The next number of the stream is ``a·x + c`` modulo 2⁴⁸. The number ``n`` steps later has the
    same form with other ``a`` and ``c``, so the filled part of the array is doubled repeatedly.
    """
    modulus = 1 << 48
    a, c = 0x5DEECE66D, 0xB
    start = ((seed % (1 << 32)) << 16) + 0x330E
    numbers = np.empty(max(count, 1), dtype=np.uint64)
    numbers[0] = (a * start + c) % modulus
    known = 1
    while known < count:
        more = min(known, count - known)
        # Wraps around at 2⁶⁴, which leaves the lower 48 bits right.
        following = numbers[:more] * np.uint64(a) + np.uint64(c)
        numbers[known : known + more] = following & np.uint64(modulus - 1)
        a, c = a * a % modulus, (a * c + c) % modulus
        known += more
    return numbers[:count] / float(modulus)


def _fit(
    table: RatingTable, parameters: dict[str, Any], workers: int, advance: Callable[[], None]
) -> Factors:
    start = first_factors(table.shape[0], parameters["rank"], parameters["init"])
    descent = Descent(table, start, parameters["regularization"])
    fit = descent.run(parameters["outer"], parameters["inner"], workers, advance)
    return Factors(
        users=fit.users,
        items=fit.items,
        train_rmse=fit.train_rmse,
        regularization=parameters["regularization"],
        user_counts=np.diff(descent.users.starts),
        item_counts=np.diff(descent.items.starts),
        item_ids=table.item_ids,
        name=table.name,
    )


@contextmanager
def _bar(visible: bool | None, steps: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on stderr; if ``visible`` is None, only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    shown = console.is_terminal if visible is None else visible
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not shown) as bar:
        task = bar.add_task("factorizing", total=steps)
        yield lambda: bar.advance(task)
