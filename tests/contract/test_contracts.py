"""Every policy, attack and environment that the package exports keeps its contract."""

import pytest

import robustbandits as rb
from catalogue import compile_few, example, policy, simulation_for
from property.laws import COMPILED_LATER, FOR_FIXED_ARMS
from ratings.little_factors import little_factors
from robustbandits.checks import check_attack, check_environment, check_policy
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments.registry import kinds
from robustbandits.game.recipe import Recipe
from robustbandits.ratings import factor_cache
from shared_data import sample


@pytest.mark.parametrize("name", compile_few(rb.policies.__all__, ["LinUCB", "RobustBandit"]))
def test_policy_keeps_its_contract(name):
    recipe = policy(name)
    check_policy(recipe, simulation_for(recipe))


NOW = [name for name in kinds("attacks") if name not in COMPILED_LATER]


@pytest.mark.parametrize("name", compile_few(kinds("attacks"), NOW))
def test_attack_keeps_its_contract(name):
    fixed = rb.environments.Simulation(arms=6, dim=3, contexts="fixed")
    environment = fixed if name in FOR_FIXED_ARMS else None
    check_attack(example(getattr(rb.attacks, name)), environment)


def recipes_of(package):
    """Return the names of the recipes that a package exports, besides functions and errors."""
    exported = ((name, getattr(package, name)) for name in package.__all__)
    return [n for n, kind in exported if isinstance(kind, type) and issubclass(kind, Recipe)]


def environment(name, folder):
    """Make an environment that needs no network."""
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
        pytest.skip("factorizes 100,000 ratings")
    check_environment(environment(name, tmp_path))
