"""A live agent that meets the rounds of a simulated game is that game's policy, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    POLICIES,
    WILD,
    Noter,
    bits_of,
    deal_rounds,
    played,
    same_bits,
    trace_rounds,
)
from robustbandits.game.rounds import Rounds

ROUNDS = 250
SEED = 11


def agent_for(problem: Any, policy: Any) -> rb.Agent:
    return rb.Agent(
        policy,
        arms=problem.arms,
        dim=problem.dim,
        rounds=problem.rounds,
        seed=SEED,
        reward_range=(-5.0, 5.0),
    )


def live(agent: rb.Agent, block: Rounds, start: int = 0, stop: int = ROUNDS) -> list[int]:
    """Let an agent live through the rounds; return the arms it chose."""
    arms = []
    for t in range(start, stop):
        decision = agent.choose(block.contexts[t].T)
        agent.learn(decision, block.means[t, decision.arm] + block.noise[t])
        arms.append(decision.arm)
    return arms


@pytest.mark.parametrize("policy", POLICIES)
def test_an_agent_chooses_and_learns_as_in_the_simulated_game(policy):
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    agent = agent_for(problem, POLICIES[policy])
    arms = live(agent, block)
    game = played(problem, block, rb.attacks.NoAttack(), POLICIES[policy], SEED)
    lost = block.best - block.means[np.arange(ROUNDS), arms]
    assert same_bits(np.cumsum(lost), game.book.columns[:, 0].copy())
    assert np.bincount(arms, minlength=problem.arms).tolist() == game.book.pulls.tolist()
    assert bits_of(agent._state) == bits_of(game.policy)
    assert agent._rng.bit_generator.state == game.policy_rng.bit_generator.state


def test_an_agent_that_is_lied_to_is_the_policy_of_the_attacked_game():
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    attack = rb.attacks.Garcelon(8.0)
    game = trace_rounds(problem, block, attack, rb.policies.LinUCB(), SEED)
    agent = agent_for(problem, rb.policies.LinUCB())
    for t in range(ROUNDS):
        decision = agent.choose(game.shown[t].T)
        assert decision.arm == game.arms[t]
        agent.learn(decision.id, game.seen[t])
    assert bits_of(agent._state) == bits_of(game.inner)


@pytest.mark.parametrize("policy", POLICIES)
def test_an_agent_saved_and_loaded_midway_ends_as_the_simulated_game(policy, tmp_path):
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    agent = agent_for(problem, POLICIES[policy])
    live(agent, block, 0, 100)
    agent.save(tmp_path / "agent.rb")
    agent = rb.Agent.load(tmp_path / "agent.rb")
    live(agent, block, 100, ROUNDS)
    game = played(problem, block, rb.attacks.NoAttack(), POLICIES[policy], SEED)
    assert bits_of(agent._state) == bits_of(game.policy)


@pytest.mark.parametrize("policy", POLICIES)
def test_an_agent_asked_for_scores_in_between_chooses_the_same(policy):
    problem, block = deal_rounds(WILD, 40, SEED)
    quiet, asked = (agent_for(problem, POLICIES[policy]) for _ in range(2))
    for t in range(40):
        asked.scores(block.contexts[t].T)
        assert live(quiet, block, t, t + 1) == live(asked, block, t, t + 1)
    assert bits_of(quiet._state) == bits_of(asked._state)


def test_a_policy_that_leaves_notes_now_and_then_finds_the_same_ones():
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    agent = agent_for(problem, Noter())
    live(agent, block)
    game = played(problem, block, rb.attacks.NoAttack(), Noter(), SEED)
    assert bits_of(agent._state) == bits_of(game.policy)
