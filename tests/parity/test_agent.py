"""Every policy in an agent: the bits of a simulated game, late and missing rewards, one arm."""

from typing import Any

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import file_of, reload
from agent.files import unpack
from catalogue import EVERY, policy, simulation_for
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

pytestmark = pytest.mark.filterwarnings("ignore:OracleLinUCB is a reference")


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
    saved = unpack(file_of(agent))[1]
    return all(same_bits(saved[path], array.astype(float)) for path, array in arrays_of(state))


@pytest.mark.parametrize("name", EVERY)
def test_an_agent_has_the_bits_of_the_game_also_after_loading(name, tmp_path):
    recipe = POLICIES.get(name) or policy(name)
    problem, block = deal_rounds(simulation_for(recipe, noise=0.25), ROUNDS, SEED)
    agent = agent_for(problem, recipe)
    arms = play(agent, block, 0, 100)
    pending = agent.choose(block.contexts[100].T)
    agent = reload(agent, tmp_path / "agent.rb")
    arms.append(pending.arm)
    agent.learn(pending.id, block.means[100, pending.arm] + block.noise[100])
    arms += play(agent, block, 101, ROUNDS)
    game = played(problem, block, rb.attacks.NoAttack(), recipe, SEED)
    lost = block.best - block.means[np.arange(ROUNDS), arms]
    assert same_bits(np.cumsum(lost), game.book.columns[:, 0].copy())
    assert np.bincount(arms, minlength=problem.arms).tolist() == game.book.pulls.tolist()
    assert has_state(agent, game.policy)
    stream = game.policy_rng.bit_generator.state["state"]["state"]
    assert int(unpack(file_of(agent))[0]["stream"]["state"], 16) == stream


@pytest.mark.parametrize("name", EVERY)
def test_an_agent_accepts_late_and_missing_rewards(name):
    problem, block = deal_rounds(simulation_for(policy(name)), ROUNDS, SEED)
    agent, pending = agent_for(problem, policy(name)), []
    for t in range(ROUNDS):
        decision = agent.choose(block.contexts[t].T)
        assert 0 <= decision.arm < 5
        assert np.isfinite(decision.scores).all()
        if t % 7:  # every seventh reward is missing
            pending.append((decision.id, block.means[t, decision.arm] + block.noise[t]))
        if len(pending) == 10:
            for number, reward in reversed(pending):
                agent.learn(number, reward)
            pending.clear()


@pytest.mark.parametrize("name", EVERY)
def test_an_agent_with_one_arm_plays_it(name):
    problem, block = deal_rounds(simulation_for(policy(name), arms=1), 60, SEED)
    assert set(play(agent_for(problem, policy(name)), block, 0, 60)) == {0}


def test_an_agent_that_sees_attacked_rewards_has_the_bits_of_the_attacked_game():
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    game = trace_rounds(problem, block, rb.attacks.Garcelon(8.0), rb.policies.LinUCB(), SEED)
    agent = agent_for(problem, rb.policies.LinUCB())
    for t in range(ROUNDS):
        decision = agent.choose(game.shown[t].T)
        assert decision.arm == game.arms[t]
        agent.learn(decision.id, game.seen[t])
    assert has_state(agent, game.inner)


def test_an_agent_and_a_game_give_the_memo_back_in_the_same_rounds():
    problem, block = deal_rounds(WILD, ROUNDS, SEED)
    agent = agent_for(problem, Noter())
    play(agent, block)
    game = played(problem, block, rb.attacks.NoAttack(), Noter(), SEED)
    assert agent.scores(np.zeros((1, problem.dim))).means[0] == game.policy.counts[1]
