"""Policies of other libraries play our games. Each test uses the real library."""

import copy

import numpy as np
import pytest

import robustbandits as rb
from experiments.lab import bits
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import child_seeds, make_rounds

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("default")]

FRESH = rb.environments.Simulation(arms=4, dim=3)
FIXED = rb.environments.Simulation(arms=4, dim=3, contexts="fixed")
ROUNDS = 300


class SharedNature:
    """Every arm shows the same context, and has a θ of its own."""

    def __init__(self, rounds, seed):
        first, second = (np.random.default_rng(child) for child in child_seeds(seed, 2))
        self.thetas = np.eye(3)
        self.contexts, self.noise = first, second
        self.problem = Problem(arms=3, dim=3, rounds=rounds, noise=0.05)

    def draw(self, count):
        rows = np.eye(3)[self.contexts.integers(3, size=count)]
        contexts = np.repeat(rows[:, :, np.newaxis], 3, axis=2)
        return make_rounds(contexts, rows @ self.thetas, 0.05 * self.noise.normal(size=count))


class SharedContexts(Recipe):
    def start(self, rounds, seed):
        return SharedNature(rounds, seed)


def simulate(policy, environment=FRESH, attack=None, rounds=ROUNDS, seed=0):
    return rb.simulate(
        environment=environment, policy=policy, attack=attack, rounds=rounds, seed=seed
    )


def random_regret(environment, rounds=ROUNDS):
    """Return the regret of uniformly random arms."""

    class Random:
        def __init__(self, seed):
            self.rng = np.random.default_rng(seed)

        def choose(self, contexts):
            return int(self.rng.integers(len(contexts)))

        def learn(self, contexts, arm, reward):
            pass

    return simulate(Random, environment, rounds=rounds).final_regret


#: Name, parameters, and the layouts with which it must learn: in rounds with fresh contexts that
#: share one θ, with fixed arms, and with a shared context.
CASES = [
    ("mabwiser:LinUCB", {"alpha": 0.3}, "joint", FRESH),
    ("mabwiser:LinUCB", {"alpha": 0.3}, "per-arm", SharedContexts()),
    ("mabwiser:LinUCB", {"alpha": 0.3}, "flat", FIXED),
    ("mabwiser:LinUCB", {"alpha": 0.3}, "shared", SharedContexts()),
    ("mabwiser:LinTS", {"alpha": 0.1}, "shared", SharedContexts()),
    ("mabwiser:UCB1", {"alpha": 0.3}, "per-arm", FIXED),
    ("contextualbandits:LinUCB", {"alpha": 0.3, "beta_prior": None}, "per-arm", SharedContexts()),
    ("contextualbandits:LinUCB", {"alpha": 1.0, "beta_prior": None}, "flat", FIXED),
    ("contextualbandits:LinUCB", {"alpha": 0.3, "beta_prior": None}, "shared", SharedContexts()),
    ("vowpalwabbit:cb_explore_adf", {"epsilon": 0.05}, "joint", FRESH),
    ("vowpalwabbit:cb_explore_adf", {"epsilon": 0.05}, "flat", FIXED),
    (
        "vowpalwabbit:cb_explore_adf",
        {"epsilon": 0.05, "learning_rate": 2.0},
        "shared",
        SharedContexts(),
    ),
    ("river:LinUCBDisjoint", {}, "shared", SharedContexts()),
    ("river:LinUCBDisjoint", {}, "flat", FIXED),
    ("river:UCB", {"delta": 0.5}, "shared", FIXED),
    ("coba:LinUCBLearner", {"alpha": 0.3, "features": ["a"]}, "joint", FRESH),
    ("coba:LinUCBLearner", {"alpha": 0.3, "features": ["ax"]}, "shared", SharedContexts()),
    ("coba:BanditUCBLearner", {}, "flat", FIXED),
    ("bayesianbandits:ThompsonSampling", {}, "shared", SharedContexts()),
    ("bayesianbandits:UpperConfidenceBound", {}, "flat", FIXED),
]


@pytest.mark.parametrize(
    ("name", "parameters", "layout", "environment"),
    CASES,
    ids=[f"{name}-{layout}-{type(environment).__name__}" for name, _, layout, environment in CASES],
)
def test_a_policy_of_a_library_learns_and_every_game_is_its_own(
    library, name, parameters, layout, environment
):
    library(name.split(":")[0])
    policy = rb.adapters.named(name, layout=layout, **parameters)
    first, again = (simulate(policy, environment) for _ in range(2))
    assert bits([first]) == bits([again])
    assert first.final_regret < 0.6 * random_regret(environment)
    assert first.policy.startswith(name)


@pytest.mark.parametrize(
    ("name", "environment"), [("LinUCB", SharedContexts()), ("EpsilonGreedy", FIXED)]
)
def test_a_policy_of_open_bandit_pipeline_learns(name, environment):
    # It is not in the extra: its dependencies do not install with Python 3.11.
    pytest.importorskip("obp.policy", reason="obp is not installed", exc_type=ImportError)
    sizes = {"dim": 3, "epsilon": 0.3} if name == "LinUCB" else {"epsilon": 0.1}
    ledger = simulate(rb.adapters.named(f"obp:{name}", **sizes), environment)
    assert ledger.final_regret < 0.6 * random_regret(environment)


def mabwiser_linucb(library, alpha=1.0, arms=1):
    mab = library("mabwiser.mab")
    return mab.MAB(list(range(arms)), mab.LearningPolicy.LinUCB(alpha=alpha, l2_lambda=0.1))


class OneTheta:
    """LinUCB with one θ and a constant radius, by NumPy; it begins with arm 0 like the adapter."""

    def __init__(self, dim, alpha=1.0):
        self.gram, self.moment, self.alpha = 0.1 * np.eye(dim), np.zeros(dim), alpha

    def choose(self, contexts):
        if not self.moment.any():
            return 0
        inverse = np.linalg.inv(self.gram)
        widths = np.sqrt(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
        return int(np.argmax(contexts @ inverse @ self.moment + self.alpha * widths))

    def learn(self, contexts, arm, reward):
        self.gram += np.outer(contexts[arm], contexts[arm])
        self.moment += reward * contexts[arm]


def test_mabwiser_with_one_model_plays_the_game_of_linucb(library):
    attack = rb.attacks.Garcelon(5.0)
    adapter = rb.adapters.MABWiser(mabwiser_linucb(library), layout="joint")
    theirs, plain = (simulate(policy, attack=attack) for policy in (adapter, OneTheta))
    assert theirs.policy == "MABWiser LinUCB"
    assert theirs.spent > 0.0
    assert bits([theirs])[0][3:] == bits([plain])[0][3:]


def test_mabwiser_with_a_model_for_each_arm_sees_the_context_of_each_arm(library):
    adapter = rb.adapters.MABWiser(mabwiser_linucb(library, arms=2), layout="per-arm")
    contexts = np.array([[1.0, 0.0], [0.0, 1.0]])
    for arm, reward in ((0, 0.2), (1, 0.9)) * 20:
        adapter.learn(contexts, arm, reward)
    assert adapter.choose(contexts) == 1
    assert adapter.mab.predict_expectations(contexts)[1][1] > 0.8


def test_real_linucb_of_mabwiser_is_hijacked_on_fixed_arms_by_a_small_budget(library):
    adapter = rb.adapters.MABWiser(mabwiser_linucb(library, alpha=0.1), layout="joint")
    clean, attacked = (
        simulate(copy.deepcopy(adapter), FIXED, attack, rounds=1000)
        for attack in (None, rb.attacks.Garcelon(20.0, top="best"))
    )
    assert attacked.spent <= 20.0
    assert attacked.final_regret > 2 * clean.final_regret


def test_vowpal_wabbit_withstands_a_peek(library):
    library("vowpalwabbit")
    attack = rb.attacks.ContextDilation(20.0)
    assert simulate(rb.adapters.VowpalWabbit(), attack=attack).spent > 0.0


def test_an_object_made_for_other_arms_is_refused(library):
    adapter = rb.adapters.MABWiser(mabwiser_linucb(library, arms=3))
    with pytest.raises(ValueError, match="MABWiser object has 3 arms, but a round has 4"):
        simulate(adapter)
