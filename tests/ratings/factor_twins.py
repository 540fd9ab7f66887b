"""Slow, simple factorizations, written from the paper, and small tables to test them on."""

import numpy as np

from robustbandits.ratings._ccd import Descent
from robustbandits.ratings.factorize import first_factors
from robustbandits.ratings.table import RatingTable


def table_of(users, items, ratings, shape, name="small"):
    return RatingTable(
        np.asarray(users),
        np.asarray(items),
        np.asarray(ratings),
        np.arange(shape[0]) + 100,
        np.arange(shape[1]) + 500,
        name=name,
    )


def random_table(seed, shape=(12, 9), density=0.5, *, empty_user=None, empty_item=None):
    """Return a table: each pair is rated with some probability, 1 to 5 stars, in random order."""
    rng = np.random.default_rng(seed)
    rated = rng.random(shape) < density
    rated[0, 0] = True
    if empty_user is not None:
        rated[empty_user] = False
    if empty_item is not None:
        rated[:, empty_item] = False
    users, items = np.nonzero(rated)
    order = rng.permutation(len(users))
    ratings = rng.integers(1, 6, len(users)).astype(np.uint8)
    return table_of(users[order], items[order], ratings, shape)


def descend(table, rank=3, regularization=0.1, outer=5, inner=5, workers=1, kind=np.float64):
    """Run CCD++ without cache and warnings, with residuals of any kind."""
    start = first_factors(table.shape[0], rank, "libpmf")
    return Descent(table, start, regularization, kind=kind).run(outer, inner, workers, lambda: None)


def objective(table, users, items, regularization):
    errors = table.ratings - np.sum(users[table.users] * items[table.items], axis=1)
    norms = np.sum(users**2, axis=1) @ table.user_counts
    norms += np.sum(items**2, axis=1) @ table.item_counts
    return errors @ errors + regularization * norms


def gradient(table, users, items, regularization):
    """Half the gradient of the objective."""
    errors = table.ratings - np.sum(users[table.users] * items[table.items], axis=1)
    by_user = regularization * table.user_counts[:, None] * users
    by_item = regularization * table.item_counts[:, None] * items
    np.subtract.at(by_user, table.users, errors[:, None] * items[table.items])
    np.subtract.at(by_item, table.items, errors[:, None] * users[table.users])
    return by_user, by_item


def ccd_twin(table, start, regularization, outer, inner):
    """CCD++ with LIBPMF's stopping rule; one number at a time, residuals from the ratings."""
    users, items = start.T.copy(), np.zeros((table.shape[1], len(start)))
    for iteration in range(outer):
        best, idle = 0.0, 0
        for t in range(len(start)):
            if idle == 5:
                break
            others = [k for k in range(len(start)) if k != t]
            rest = np.asarray(table.ratings, dtype=float) - np.sum(
                users[table.users][:, others] * items[table.items][:, others], axis=1
            )
            for visit in range(inner):
                fall = _solve(items, users, t, table.items, table.users, rest, regularization)
                fall += _solve(users, items, t, table.users, table.items, rest, regularization)
                if fall < 1e-3 * best:
                    idle += visit == 0
                    break
                if (iteration, t, visit) != (0, 0, 0):
                    best = max(best, fall)
    return users, items


def _solve(ours, theirs, t, rows, columns, rest, regularization):
    """Solve for column ``t`` of ``ours``; return by how much the objective fell."""
    x = theirs[columns, t]
    counts = np.bincount(rows, minlength=len(ours))
    product = np.bincount(rows, weights=x * rest, minlength=len(ours))
    square = np.bincount(rows, weights=x * x, minlength=len(ours)) + regularization * counts
    best = np.divide(product, square, out=np.zeros(len(ours)), where=counts > 0)
    fall = np.sum(square * (best - ours[:, t]) ** 2)
    ours[:, t] = best
    return fall


def als_twin(table, start, regularization, iterations):
    """Alternating least squares on the same objective: whole vectors at once."""
    users, items = start.T.copy(), np.zeros((table.shape[1], len(start)))
    for _ in range(iterations):
        _least_squares(items, users, table.items, table.users, table.ratings, regularization)
        _least_squares(users, items, table.users, table.items, table.ratings, regularization)
    return users, items


def _least_squares(ours, theirs, rows, columns, ratings, regularization):
    for row in range(len(ours)):
        rated = rows == row
        x = theirs[columns[rated]]
        if len(x):
            gram = x.T @ x + regularization * len(x) * np.eye(x.shape[1])
            ours[row] = np.linalg.solve(gram, x.T @ ratings[rated])
        else:
            ours[row] = 0.0
