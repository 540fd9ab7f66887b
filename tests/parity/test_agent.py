"""An agent that is shown the rounds of a simulated game has the bits of the game's policy."""

from typing import Any

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import contents, reload
from agent.files import unpack
from property.laws import (
    POLICIES,
    WILD,
    Noter,
    arrays_of,
    deal_rounds,
    played,
    same_bits,
    trace_rounds,
)
from robustbandits.game.rounds import Rounds

ROUNDS = 250
SEED = 11


def agent_for(problem: Any, policy: Any) -> rb.Agent:
    sizes = {"arms": problem.arms, "dim": problem.dim, "rounds": problem.rounds}
    return rb.Agent(policy, **sizes, seed=SEED, reward_range=(-5.0, 5.0))


def play(agent: rb.Agent, block: Rounds, start: int = 0, stop: int = ROUNDS) -> list[int]:
    """Let an agent play rounds; return the chosen arms."""
    arms = []
    for t in range(start, stop):
        decision = agent.choose(block.contexts[t].T)
        agent.learn(decision, block.means[t, decision.arm] + block.noise[t])
        arms.append(decision.arm)
    return arms


def has_state(agent: rb.Agent, state: Any) -> bool:
    """Whether the file of an agent holds exactly the numbers of a state."""
    saved = unpack(contents(agent))[1]
    return all(same_bits(saved[path], array.astype(float)) for path, array in arrays_of(state))


@pytest.mark.parametrize("policy", POLICIES)
def test_an_agent_has_the_bits_of_the_game_also_after_loading(policy, tmp_path):
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    agent = agent_for(problem, POLICIES[policy])
    arms = play(agent, block, 0, 100)
    agent = reload(agent, tmp_path / "agent.rb")
    arms += play(agent, block, 100, ROUNDS)
    game = played(problem, block, rb.attacks.NoAttack(), POLICIES[policy], SEED)
    lost = block.best - block.means[np.arange(ROUNDS), arms]
    assert same_bits(np.cumsum(lost), game.book.columns[:, 0].copy())
    assert np.bincount(arms, minlength=problem.arms).tolist() == game.book.pulls.tolist()
    assert has_state(agent, game.policy)
    stream = game.policy_rng.bit_generator.state["state"]["state"]
    assert int(unpack(contents(agent))[0]["stream"]["state"], 16) == stream


def test_an_agent_that_sees_attacked_rewards_has_the_bits_of_the_attacked_game():
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    game = trace_rounds(problem, block, rb.attacks.Garcelon(8.0), rb.policies.LinUCB(), SEED)
    agent = agent_for(problem, rb.policies.LinUCB())
    for t in range(ROUNDS):
        decision = agent.choose(game.shown[t].T)
        assert decision.arm == game.arms[t]
        agent.learn(decision.id, game.seen[t])
    assert has_state(agent, game.inner)


@pytest.mark.parametrize("policy", POLICIES)
def test_asking_for_scores_does_not_change_later_choices(policy):
    problem, block = deal_rounds(WILD, 40, SEED)
    quiet, asked = (agent_for(problem, POLICIES[policy]) for _ in range(2))
    for t in range(40):
        asked.scores(block.contexts[t].T)
        assert play(quiet, block, t, t + 1) == play(asked, block, t, t + 1)
    assert contents(quiet) == contents(asked)


def test_an_agent_and_a_game_give_the_memo_back_in_the_same_rounds():
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    agent = agent_for(problem, Noter())
    play(agent, block)
    game = played(problem, block, rb.attacks.NoAttack(), Noter(), SEED)
    assert agent.scores(np.zeros((1, problem.dim))).means[0] == game.policy.counts[1]
