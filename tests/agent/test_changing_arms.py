"""Policies that accept any number of arms, those with a fixed number, and those of a catalogue."""

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import (
    RECIPES,
    contents,
    draw_contexts,
    file_of,
    make_agent,
    reload,
    trained_agent,
)
from agent.files import pack, unpack
from agent.third_party import CatalogueRoundRobin, RoundRobin
from robustbandits.agent import SnapshotError
from robustbandits.experiments.registry import kinds
from robustbandits.game.problem import UnsupportedProblem

ANY_ARMS = [name for name, recipe in RECIPES.items() if not getattr(recipe, "fixed_arms", False)]


def play(agent, sizes):
    """Play a round for each number of arms."""
    rng = np.random.default_rng(7)
    for arms in sizes:
        decision = agent.choose(draw_contexts(rng, arms))
        assert 0 <= decision.arm < arms
        assert len(decision.scores) == arms
        agent.learn(decision, float(rng.uniform(0, 1)))


@pytest.mark.parametrize("name", ANY_ARMS)
def test_the_number_of_arms_may_change_in_every_round_also_after_loading(name, tmp_path):
    agent = trained_agent(name)
    loaded = reload(agent, tmp_path / "agent.rb")
    for player in (agent, loaded):
        play(player, [500, 1, 2, 9])
    assert contents(loaded) == contents(agent)


@pytest.mark.parametrize("arms", [1, 3, 5])
def test_a_policy_with_fixed_arms_refuses_another_number(arms):
    agent = make_agent(RoundRobin())
    before = contents(agent)
    message = rf"contexts must have 4 rows, because RoundRobin plays 4 fixed arms; got {arms}"
    with pytest.raises(ValueError, match=message):
        agent.choose(draw_contexts(np.random.default_rng(0), arms))
    assert contents(agent) == before


FIRST = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def catalogue_agent():
    return rb.Agent(CatalogueRoundRobin(), arms=3, dim=2, rounds=1000, seed=0)


def test_the_policies_with_fixed_contexts_are_those_whose_facts_say_so():
    policies = kinds("policies").items()
    flagged = {name for name, kind in policies if getattr(kind, "fixed_contexts", False)}
    assert flagged == {name for name, kind in policies if kind.facts.setting == "fixed arms"}
    assert flagged


def test_a_catalogue_policy_refuses_contexts_that_change():
    agent = catalogue_agent()
    agent.learn(agent.choose(FIRST), 0.5)
    before = contents(agent)
    changed = FIRST.copy()
    changed[1] *= 0.5
    for method in (agent.choose, agent.scores):
        with pytest.raises(UnsupportedProblem, match=r"row 1 has changed: .* such as LinUCB"):
            method(changed)
    with pytest.raises(ValueError, match="contexts must have 3 rows"):
        agent.choose(FIRST[:2])
    assert contents(agent) == before
    agent.learn(agent.choose(FIRST.tolist()), 0.5)


def test_a_file_remembers_the_catalogue(tmp_path):
    agent = catalogue_agent()
    reload(agent, tmp_path / "new.rb", CatalogueRoundRobin).choose(FIRST[::-1])  # no catalogue yet
    agent.learn(agent.choose(FIRST), 0.5)
    loaded = reload(agent, tmp_path / "old.rb", CatalogueRoundRobin)
    with pytest.raises(UnsupportedProblem, match="row 0 has changed"):
        loaded.choose(FIRST[::-1])
    assert loaded.choose(FIRST).arm == agent.choose(FIRST).arm


def test_a_bad_catalogue_in_a_file_is_refused(tmp_path):
    path = tmp_path / "agent.rb"
    agent = catalogue_agent()
    agent.choose(FIRST)
    header, arrays = unpack(file_of(agent))
    for wrong, message in (
        (FIRST[:2], r"catalogue must have shape \(3, 2\), got \(2, 2\)"),
        (FIRST.T, r"catalogue must have shape \(3, 2\), got \(2, 3\)"),
        (2.0 * FIRST, "row 0 has length"),
    ):
        path.write_bytes(pack(header, arrays | {"catalogue": wrong}))
        with pytest.raises(SnapshotError, match=message):
            rb.Agent.load(path, policy=CatalogueRoundRobin)
    del arrays["catalogue"]  # old files have none: the next contexts are the catalogue
    path.write_bytes(pack(header, arrays))
    rb.Agent.load(path, policy=CatalogueRoundRobin).choose(FIRST[::-1])


def test_the_file_of_another_policy_has_no_catalogue(tmp_path):
    path = tmp_path / "agent.rb"
    agent = rb.Agent(rb.policies.LinUCB(), arms=3, dim=2, seed=0)
    agent.choose(FIRST)
    header, arrays = unpack(file_of(agent))
    assert "catalogue" not in arrays
    path.write_bytes(pack(header, arrays | {"catalogue": FIRST}))
    with pytest.raises(SnapshotError, match="catalogue"):
        rb.Agent.load(path)
