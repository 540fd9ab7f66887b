"""A bandit made from your own ratings in one call, and what an attack does to it."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import robustbandits as rb


def write_sales(path):
    """Write a small shop's ratings: who bought what, and how many stars it got."""
    rng = np.random.default_rng(0)
    taste, appeal = rng.uniform(0.5, 1.5, size=(300, 3)), rng.uniform(0.3, 1.6, size=(80, 3))
    with path.open("w", encoding="utf-8") as file:
        print("userId,movieId,rating", file=file)
        for customer in range(300):
            for item in rng.choice(80, size=25, replace=False):
                stars = taste[customer] @ appeal[item] + rng.normal(0, 0.5)
                print(customer, item, np.clip(np.rint(2 * stars) / 2, 0.5, 5), sep=",", file=file)


# To use your own file, or that of MovieLens: python examples/06_own_ratings.py ratings.csv
path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "sales.csv"
if len(sys.argv) == 1:
    write_sales(path)

# Any CSV file, given the names of three columns. Items with fewer than 20 ratings are left out.
shop = rb.environments.Ratings.from_csv(
    path, user="userId", item="movieId", rating="rating", rank=3, min_ratings=20
)

nature = shop.start(rounds=1, seed=np.random.SeedSequence(0))
means = nature.draw(1).means[0]
print(f"{nature.problem.arms} items to choose from, drawn for seed 0; their mean rewards:")
print(np.sort(means)[::-1].round(2))
assert 0.0 <= means.min() < means.max() <= 1.0

# The same 20 items in every round, as in a shop window. A budget of 20 corrupted reward units:
results = rb.compare(
    environments={"my shop": shop},
    attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(20.0)],
    policies=[rb.policies.LinUCB(), rb.policies.CautiousLinUCB(60.0), rb.policies.BOBNoRestart()],
    rounds=20_000,
    seeds=5,
)
print(results.summary())

# The attack hijacks LinUCB; it hardly changes the regret of the two robust policies.
regret = {(row.attack, row.policy): row.regret for row in results.summary().rows}
if len(sys.argv) == 1:  # another file may be harder
    assert regret["Garcelon", "LinUCB"] > 20 * regret["NoAttack", "LinUCB"]
    for policy in ("CautiousLinUCB", "BOB-No-Restart"):
        assert regret["Garcelon", policy] < 1.2 * regret["NoAttack", policy]
