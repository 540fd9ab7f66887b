"""Everything the package exports keeps its contract; a broken one is caught."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from catalogue import EVERY, example, place_for, policy
from ratings.little_factors import little_factors
from robustbandits.checks import BrokenContract, check_attack, check_environment, check_policy
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import deal
from robustbandits.ratings import factor_cache
from shared_data import sample


@pytest.mark.parametrize("name", EVERY)
def test_policy_keeps_its_contract(name):
    recipe = policy(name)
    check_policy(recipe, place_for(recipe))


@pytest.mark.parametrize("name", rb.attacks.__all__)
def test_attack_keeps_its_contract(name):
    check_attack(example(getattr(rb.attacks, name)))


def recipes_of(package):
    """Names that a package exports as recipes; it may export functions and errors too."""
    exported = ((name, getattr(package, name)) for name in package.__all__)
    return [n for n, kind in exported if isinstance(kind, type) and issubclass(kind, Recipe)]


def environment(name, folder):
    """Make an environment that needs no network: ratings are drawn, or the tester's own copy."""
    if name == "Ratings":
        little_factors().save(folder / "factors.npz")
        return rb.environments.Ratings(factors=folder / "factors.npz", users=50)
    if name == "Netflix":
        return rb.environments.Netflix.synthetic(scale=0.001)
    if name == "MovieLens":
        return rb.environments.MovieLens(path=sample("ml-100k"))
    return example(getattr(rb.environments, name))


@pytest.mark.parametrize("name", recipes_of(rb.environments))
def test_environment_keeps_its_contract(name, tmp_path, monkeypatch):
    monkeypatch.setattr(factor_cache, "cache_folder", lambda: tmp_path / "cache")
    if name in ("Netflix", "MovieLens") and not jit_is_on:
        pytest.skip("factorises 100,000 ratings")
    check_environment(environment(name, tmp_path))


class ForgetfulState(NamedTuple):
    count: np.ndarray

    def choose(self, contexts, rng, memo):
        self.count[0] += 1
        return 0

    def learn(self, arm, context, reward, memo, rng):
        pass

    def score(self, contexts, memo, means, bonuses):
        means[:] = 0.0
        bonuses[:] = 0.0


@dataclass(frozen=True, kw_only=True)
class Impure(Recipe):
    def start(self, problem: Problem):
        return ForgetfulState(np.zeros(1))


def test_impure_policy_is_caught():
    with pytest.raises(BrokenContract, match=r"choose changed the state"):
        check_policy(Impure())


class VerboseState(NamedTuple):
    """Writes into its memo where that has ended."""

    nothing: np.ndarray

    @kernel
    def choose(self, contexts, rng, memo):
        memo[6] = 1.0
        return 0

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        pass

    @kernel
    def score(self, contexts, memo, means, bonuses):
        for a in range(means.shape[0]):
            means[a] = 0.0
            bonuses[a] = 0.0


@dataclass(frozen=True, kw_only=True)
class Verbose(Recipe):
    def start(self, problem: Problem):
        return VerboseState(np.zeros(1))


def test_policy_that_writes_beyond_its_memo_is_caught():
    with pytest.raises(BrokenContract, match="writes beyond the end of its memo"):
        check_policy(Verbose())


@dataclass(frozen=True, kw_only=True)
class Boastful(Recipe):
    """Says that no context is longer than 1, and deals longer ones."""

    def start(self, rounds, seed):
        return BoastfulNature(rounds, np.random.default_rng(seed))


class BoastfulNature:
    def __init__(self, rounds, rng):
        self.problem = Problem(arms=2, dim=2, rounds=rounds)
        self.rng = rng

    def draw(self, count):
        noise = self.rng.standard_normal(count)
        return deal(np.ones((count, 2, 2)), np.zeros((count, 2)), noise)


def test_environment_beyond_its_bound_is_caught():
    with pytest.raises(BrokenContract, match="exceeds its own bound"):
        check_environment(Boastful())
