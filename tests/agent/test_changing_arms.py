"""A number of arms that changes from round to round."""

from __future__ import annotations

import numpy as np
import pytest

import robustbandits as rb
from agent.outsider import Rota
from agent.players import RECIPES, bits, contexts_of, hire, veteran
from robustbandits.experiments.catalogue import kinds
from robustbandits.experiments.samples import sample_policy
from robustbandits.game.problem import UnsupportedProblem

SHARED = [name for name, recipe in RECIPES.items() if not getattr(recipe, "fixed_arms", False)]


def play(agent, sizes):
    dice = np.random.default_rng(7)
    for arms in sizes:
        decision = agent.choose(contexts_of(dice, arms))
        assert 0 <= decision.arm < arms
        assert len(decision.scores) == arms
        agent.learn(decision, float(dice.uniform(0, 1)))


@pytest.mark.parametrize("name", SHARED)
def test_any_number_of_arms_is_welcome_in_any_round(name):
    agent = hire(name)
    play(agent, [1, 2, 500, 4, 1, 500, 3])
    assert np.isfinite(agent.scores(np.eye(3)).scores).all()


@pytest.mark.parametrize("name", SHARED)
def test_any_number_of_arms_is_welcome_after_loading(name, tmp_path):
    agent = veteran(name)
    agent.save(tmp_path / "agent.rb")
    loaded = rb.Agent.load(tmp_path / "agent.rb")
    for player in (agent, loaded):
        play(player, [500, 1, 2, 9])
    assert bits(loaded) == bits(agent)


def test_best_of_many_arms_is_found():
    agent, contexts = veteran("Greedy"), contexts_of(np.random.default_rng(8), 500)
    means = contexts @ agent.scores(np.eye(3)).means
    assert agent.choose(contexts).arm == np.argmax(means)


@pytest.mark.parametrize("arms", [1, 3, 5])
def test_a_policy_of_fixed_arms_says_how_many_it_plays(arms):
    agent = hire(Rota())
    before = bits(agent)
    with pytest.raises(ValueError, match=rf"contexts .* 4 arms that Rota plays; got {arms}"):
        agent.choose(contexts_of(np.random.default_rng(0), arms))
    assert bits(agent) == before


CATALOGUE = [
    name for name, kind in kinds("policies").items() if getattr(kind, "fixed_contexts", False)
]


def test_policies_of_a_catalogue_are_those_whose_setting_it_is():
    found = {name for name, kind in kinds("policies").items() if kind.facts.setting == "fixed arms"}
    assert found == set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_policy_of_a_catalogue_refuses_contexts_that_change(name):
    agent = rb.Agent(sample_policy(name), arms=3, dim=2, rounds=1000, seed=0)
    first = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    agent.learn(agent.choose(first), 0.5)
    before = bits(agent)
    changed = first.copy()
    changed[1] *= 0.5
    for ask in (agent.choose, agent.scores):
        with pytest.raises(UnsupportedProblem, match=r"row 1 has changed.*CautiousLinUCB"):
            ask(changed)
    with pytest.raises(ValueError, match="row for each of the 3 arms"):
        agent.choose(first[:2])
    assert bits(agent) == before
    agent.learn(agent.choose(first.tolist()), 0.5)
