"""Every policy works in an agent: rewards late or missing, files, the same choices as in a game."""

import numpy as np
import pytest

import robustbandits as rb
from catalogue import EVERY, policy, simulation_for
from robustbandits.game.match import NATURE, stream

ROUNDS = 300

pytestmark = pytest.mark.filterwarnings("ignore:OracleLinUCB is a reference")


def start(name, **settings):
    """Return an agent of a policy, and the rounds of a game."""
    recipe = policy(name)
    block = simulation_for(recipe, **settings).start(ROUNDS, stream(3, NATURE)).draw(ROUNDS)
    _, dim, arms = block.contexts.shape
    agent = rb.Agent(recipe, arms=arms, dim=dim, rounds=ROUNDS, seed=3, reward_range=(-5.0, 5.0))
    return agent, block


def play(agent, block, start, stop):
    """Play some rounds; return the chosen arms."""
    arms = []
    for t in range(start, stop):
        decision = agent.choose(block.contexts[t].T)
        agent.learn(decision, block.means[t, decision.arm] + block.noise[t])
        arms.append(decision.arm)
    return arms


@pytest.mark.parametrize("name", EVERY)
def test_an_agent_chooses_the_arms_of_the_game(name):
    agent, block = start(name)
    arms = play(agent, block, 0, ROUNDS)
    recipe = policy(name)
    game = rb.simulate(environment=simulation_for(recipe), policy=recipe, rounds=ROUNDS, seed=3)
    assert np.bincount(arms, minlength=5).tolist() == game.pulls.tolist()


@pytest.mark.parametrize("name", EVERY)
def test_a_loaded_agent_continues_with_the_same_choices(name, tmp_path):
    agent, block = start(name)
    play(agent, block, 0, 150)
    pending = agent.choose(block.contexts[150].T)
    agent.save(tmp_path / "agent.rb")
    loaded = rb.Agent.load(tmp_path / "agent.rb")
    for player in (agent, loaded):
        player.learn(pending.id, 0.5)
    assert play(loaded, block, 151, ROUNDS) == play(agent, block, 151, ROUNDS)


@pytest.mark.parametrize("name", EVERY)
def test_an_agent_accepts_late_and_missing_rewards(name):
    agent, block = start(name)
    pending = []
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
    agent, block = start(name, arms=1)
    assert set(play(agent, block, 0, 60)) == {0}
