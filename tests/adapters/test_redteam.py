"""Policies made with real libraries are hijacked on fixed arms."""

import numpy as np
import pytest

import robustbandits as rb

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("default")]

#: The budget that is enough against every policy of this file.
BUDGET = 60.0
SETTINGS = {
    "environment": rb.environments.Simulation(arms=5, dim=3, contexts="fixed"),
    "attacks": "Garcelon",
    "budgets": [BUDGET],
    "rounds": 600,
    "seeds": 3,
    "yardsticks": [],
    "minutes": 10.0,
}


def test_a_mabwiser_policy_is_hijacked(library):
    library("mabwiser")
    report = rb.redteam("mabwiser:LinUCB(alpha=1.0)", **SETTINGS)
    assert report.target == "mabwiser:LinUCB(alpha=1.0)"
    assert report.budget_to_hijack <= BUDGET
    assert report.rounds == 600


def test_a_vowpal_wabbit_policy_is_hijacked(library):
    library("vowpalwabbit")
    report = rb.redteam("vowpalwabbit:cb_explore_adf(epsilon=0.05)", **{**SETTINGS, "rounds": 1000})
    assert report.budget_to_hijack <= BUDGET
    assert report.details.clean_regret < 0.5 * report.details.regret


def test_a_policy_made_of_a_scikit_learn_model_is_hijacked(library):
    linear_model = library("sklearn.linear_model")

    class Recommender:
        """A model that is fitted again after every 10 rewards, and random exploration."""

        def __init__(self, seed):
            self.model = linear_model.Ridge(alpha=0.1)
            self.rng = np.random.default_rng(seed)
            self.contexts, self.rewards = [], []

        def choose(self, contexts):
            if len(self.rewards) < 10 or self.rng.random() < 0.05:
                return int(self.rng.integers(len(contexts)))
            return int(np.argmax(self.model.predict(contexts)))

        def learn(self, contexts, arm, reward):
            self.contexts.append(contexts[arm])
            self.rewards.append(reward)
            if len(self.rewards) % 10 == 0:
                self.model.fit(self.contexts, self.rewards)

    report = rb.redteam(Recommender, **SETTINGS)
    assert report.budget_to_hijack <= BUDGET
    assert report.details.clean_regret < 0.5 * report.details.regret
