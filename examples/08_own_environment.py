"""An environment of your own: a news feed whose readers change their interests over time."""

from dataclasses import dataclass

import numpy as np

import robustbandits as rb
from robustbandits import extend


@dataclass(frozen=True, kw_only=True)
class NewsFeed(extend.CheckedRecipe):
    """New articles in every round; what readers like turns in a circle during the game."""

    articles: extend.Count = 10
    topics: extend.Count = 4  # at least 2
    turns: extend.NonNegative = 1.0

    def start(self, rounds, seed):
        return NewsFeedNature(self, rounds, seed)


class NewsFeedNature:
    """Draws articles, click rates and noise."""

    def __init__(self, recipe, rounds, seed):
        # Policies see [features, 1] / √2, so that their length is 1. The 1 is the intercept.
        sizes = {"arms": recipe.articles, "dim": recipe.topics + 1, "rounds": rounds}
        self.problem = extend.Problem(**sizes, noise=0.1, intercept=True)
        readers, self.articles, self.noise = map(np.random.default_rng, extend.child_seeds(seed, 3))
        # What readers like at first, and after a quarter of a turn: two orthogonal directions.
        self.interests = np.linalg.qr(readers.standard_normal((recipe.topics, 2)))[0].T
        self.angle = 2 * np.pi * recipe.turns / rounds  # in each round
        self.drawn = 0

    def draw(self, count):
        angles = self.angle * np.arange(self.drawn, self.drawn + count)
        self.drawn += count
        interest = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ self.interests
        features = self.articles.standard_normal((count, self.problem.dim - 1, self.problem.arms))
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        click_rates = (1 + (interest[:, :, np.newaxis] * features).sum(axis=1)) / 2
        contexts = np.concatenate([features, np.ones((count, 1, self.problem.arms))], axis=1)
        noise = self.problem.noise * self.noise.standard_normal(count)
        return extend.make_rounds(contexts / np.sqrt(2), click_rates, noise)


SPEC = """
rounds = 20_000
seeds = 3
[environments.News]
kind = "__main__:NewsFeed"  # "mymodule:NewsFeed" if the class is in mymodule.py
turns = [0, 2]
[policies.LinUCB]
[policies.SlidingWindowLinUCB]
window = 1000
"""

if __name__ == "__main__":
    extend.check_environment(NewsFeed())
    spec = rb.experiments.parse_spec(SPEC, allow_import=True)  # it imports the module of a kind
    print(summary := rb.Results(rb.experiments.run(spec).ledgers()).summary())
    regret = {(row.environment, row.policy): row.regret for row in summary.rows}
    assert regret["News(turns=0)", "LinUCB"] < regret["News(turns=0)", "SlidingWindowLinUCB"]
    assert regret["News(turns=2)", "LinUCB"] > 10 * regret["News(turns=2)", "SlidingWindowLinUCB"]
