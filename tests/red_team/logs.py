"""Small logs, and files that hold them."""

import numpy as np

import robustbandits as rb


def catalogue_log(rows=300, seed=0, clicks=False):
    """Return a log of four fixed arms, chosen uniformly at random; arm 0 is the best."""
    rng = np.random.default_rng(seed)
    contexts = np.zeros((rows, 4, 4))
    contexts[:] = np.eye(4)
    means = np.array([0.7, 0.5, 0.4, 0.3])
    arms = rng.integers(4, size=rows)
    rewards = np.clip(means[arms] + 0.05 * rng.standard_normal(rows), 0.0, 1.0)
    if clicks:
        rewards = (rng.random(rows) < means[arms]).astype(float)
    return rb.Log(contexts, arms, rewards, np.full(rows, 0.25), "catalogue")


def table_of(log):
    """Return the columns context_A_F, arm, reward and probability of a log, by name."""
    _, arms, dim = log.contexts.shape
    columns = {"arm": log.arms, "reward": log.rewards, "probability": log.probabilities}
    for arm in range(arms):
        for feature in range(dim):
            columns[f"context_{arm}_{feature}"] = log.contexts[:, arm, feature]
    return columns


def write_csv(path, columns):
    """Write columns as text, with every digit of a number."""
    lines = [",".join(columns)]
    for row in zip(*columns.values(), strict=True):
        lines.append(",".join(v if isinstance(v, str) else repr(np.asarray(v).item()) for v in row))
    path.write_text("\n".join(lines) + "\n")
    return path


def write_parquet(path, columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
    return path


def write_open_bandit(folder, rows=60, items=3, seed=0):
    """Write synthetic files with the columns of the Open Bandit Dataset; return the log's path."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(items, size=rows)
    columns = {
        "": np.arange(rows),
        "timestamp": ["2019-11-24 00:00:00.000000+00:00"] * rows,
        "item_id": chosen,
        "position": rng.integers(1, 4, size=rows),
        "click": (rng.random(rows) < 0.2 + 0.3 * (chosen == 1)).astype(int),
        "propensity_score": np.full(rows, 1.0 / items),
        "user_feature_0": ["81ce123cbb5bd8ce818f60fb3586bba5"] * rows,
    }
    for item in range(items):
        columns[f"user-item_affinity_{item}"] = rng.integers(0, 3, size=rows).astype(float)
    features = {
        "item_id": np.arange(items),
        "item_feature_0": np.linspace(-0.5, 0.5, items),
        "item_feature_1": [f"a{item % 2}" for item in range(items)],
        "item_feature_2": ["b"] * items,
        "item_feature_3": [f"c{item}" for item in range(items)],
    }
    write_csv(folder / "item_context.csv", features)
    return write_csv(folder / "random.csv", columns)
