"""Every policy serves in an agent too: rewards late or lost, files, the same bits as in a game."""

import numpy as np
import pytest

import robustbandits as rb
from catalogue import EVERY, place_for, policy
from robustbandits.game.match import NATURE, stream

ROUNDS = 300

# It says that nobody tells it anything; it plays all the same.
pytestmark = pytest.mark.filterwarnings("ignore:OracleLinUCB is a reference")


def block_for(recipe):
    return place_for(recipe).start(ROUNDS, stream(3, NATURE)).draw(ROUNDS)


def agent_for(recipe, block):
    _, dim, arms = block.contexts.shape
    return rb.Agent(recipe, arms=arms, dim=dim, rounds=ROUNDS, seed=3, reward_range=(-5.0, 5.0))


def play(agent, block, start, stop):
    arms = []
    for t in range(start, stop):
        decision = agent.choose(block.contexts[t].T)
        agent.learn(decision, block.means[t, decision.arm] + block.noise[t])
        arms.append(decision.arm)
    return arms


@pytest.mark.parametrize("name", EVERY)
def test_agent_plays_the_arms_of_the_game(name):
    recipe = policy(name)
    agent, block = agent_for(recipe, block_for(recipe)), block_for(recipe)
    arms = play(agent, block, 0, ROUNDS)
    game = rb.simulate(environment=place_for(recipe), policy=recipe, rounds=ROUNDS, seed=3)
    assert np.bincount(arms, minlength=5).tolist() == game.pulls.tolist()


@pytest.mark.parametrize("name", EVERY)
def test_agent_goes_on_from_its_file_as_if_nothing_had_happened(name, tmp_path):
    recipe = policy(name)
    block = block_for(recipe)
    agent = agent_for(recipe, block)
    play(agent, block, 0, 150)
    waiting = agent.choose(block.contexts[150].T)
    agent.save(tmp_path / "agent.rb")
    again = rb.Agent.load(tmp_path / "agent.rb")
    for one in (agent, again):
        one.learn(waiting.id, 0.5)
    assert play(again, block, 151, ROUNDS) == play(agent, block, 151, ROUNDS)


@pytest.mark.parametrize("name", EVERY)
def test_agent_takes_rewards_late_and_does_without_some(name):
    recipe = policy(name)
    block = block_for(recipe)
    agent = agent_for(recipe, block)
    waiting = []
    for t in range(ROUNDS):
        decision = agent.choose(block.contexts[t].T)
        assert 0 <= decision.arm < 5
        assert np.isfinite(decision.scores).all()
        if t % 7:  # every seventh reward is lost
            waiting.append((decision.id, block.means[t, decision.arm] + block.noise[t]))
        if len(waiting) == 10:
            for number, reward in reversed(waiting):
                agent.learn(number, reward)
            waiting.clear()


@pytest.mark.parametrize("name", EVERY)
def test_agent_with_one_arm_plays_it(name):
    recipe = policy(name)
    block = place_for(recipe, arms=1).start(60, stream(3, NATURE)).draw(60)
    assert set(play(agent_for(recipe, block), block, 0, 60)) == {0}
