"""A number of arms that changes from round to round."""

from __future__ import annotations

import numpy as np
import pytest

import robustbandits as rb
from agent.files import pack, unpack
from agent.outsider import Rota
from agent.players import RECIPES, bits, contexts_of, hire, veteran
from robustbandits.agent.file import SnapshotError
from robustbandits.experiments.registry import kinds, sample_policy
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


FIRST = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def test_policies_of_a_catalogue_are_those_whose_setting_it_is():
    found = {name for name, kind in kinds("policies").items() if kind.facts.setting == "fixed arms"}
    assert found == set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_policy_of_a_catalogue_refuses_contexts_that_change(name):
    agent = rb.Agent(sample_policy(name), arms=3, dim=2, rounds=1000, seed=0)
    first = FIRST
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


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_catalogue_is_remembered_by_a_file(name, tmp_path):
    agent = rb.Agent(sample_policy(name), arms=3, dim=2, rounds=1000, seed=0)
    agent.save(tmp_path / "new.rb")
    agent.learn(agent.choose(FIRST), 0.5)
    agent.save(tmp_path / "old.rb")
    loaded = rb.Agent.load(tmp_path / "old.rb")
    with pytest.raises(UnsupportedProblem, match="row 0 has changed"):
        loaded.choose(FIRST[::-1])
    assert loaded.choose(FIRST).arm == agent.choose(FIRST).arm
    rb.Agent.load(tmp_path / "new.rb").choose(FIRST[::-1])  # had seen none


def test_a_catalogue_in_a_file_is_checked(tmp_path):
    path = tmp_path / "agent.rb"
    agent = rb.Agent(sample_policy("RobustPhasedElimination"), arms=3, dim=2, rounds=1000, seed=0)
    agent.choose(FIRST)
    agent.save(path)
    header, arrays = unpack(path.read_bytes())
    for wrong, complaint in (
        (FIRST[:2], r"catalogue must have shape \(3, 2\), got \(2, 2\)"),
        (FIRST.T, r"catalogue must have shape \(3, 2\), got \(2, 3\)"),
        (2.0 * FIRST, "row 0 has length"),
    ):
        path.write_bytes(pack(header, arrays | {"catalogue": wrong}))
        with pytest.raises(SnapshotError, match=complaint):
            rb.Agent.load(path)
    del arrays["catalogue"]  # as files of old: the next contexts are the catalogue
    path.write_bytes(pack(header, arrays))
    rb.Agent.load(path).choose(FIRST[::-1])


def test_a_policy_without_a_catalogue_has_none_in_its_file(tmp_path):
    path = tmp_path / "agent.rb"
    agent = rb.Agent(rb.policies.LinUCB(), arms=3, dim=2, seed=0)
    agent.choose(FIRST)
    agent.save(path)
    header, arrays = unpack(path.read_bytes())
    assert "catalogue" not in arrays
    path.write_bytes(pack(header, arrays | {"catalogue": FIRST}))
    with pytest.raises(SnapshotError, match="catalogue"):
        rb.Agent.load(path)
