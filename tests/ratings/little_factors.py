"""Small factors for tests: ratings of a few dozen items, all positive."""

import numpy as np

from robustbandits.ratings.factors import Factors


def little_factors(
    users: int = 60, items: int = 40, rank: int = 3, *, seed: int = 0, name: str = "little"
) -> Factors:
    rng = np.random.default_rng(seed)
    return Factors(
        users=rng.uniform(0.4, 1.4, (users, rank)),
        items=rng.uniform(0.1, 1.6, (items, rank)),
        train_rmse=0.5,
        regularization=0.1,
        user_counts=np.full(users, items),
        item_counts=np.arange(1, items + 1),
        item_ids=np.arange(100, 100 + items),
        name=name,
    )
