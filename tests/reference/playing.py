"""Play an agent through a simulation, and look at every bit it remembers."""

import numpy as np

import robustbandits as rb
from robustbandits.agent.file_contents import state_arrays
from robustbandits.game.match import NATURE, stream


def block_of(rounds, *, arms=20, dim=10, seed=0, **options):
    """Rounds of a simulation; contexts are (rounds, dim, arms)."""
    environment = rb.environments.Simulation(arms=arms, dim=dim, **options)
    return environment.start(rounds, stream(seed, NATURE)).draw(rounds)


def agent_for(recipe, block, *, seed=0, **options):
    """Return an agent for these rounds, which takes any moderate reward."""
    rounds, dim, arms = block.contexts.shape
    settings = {"rounds": rounds, "reward_range": (-100.0, 100.0), **options}
    return rb.Agent(recipe, arms=arms, dim=dim, seed=seed, **settings)


def play(agent, block, watch=None):
    """Play all rounds and return the arms; ``watch(t)`` is called after each."""
    chosen = []
    for t, (contexts, means, noise) in enumerate(
        zip(block.contexts, block.means, block.noise, strict=True)
    ):
        decision = agent.choose(contexts.T)
        agent.learn(decision, means[decision.arm] + noise)
        chosen.append(decision.arm)
        if watch is not None:
            watch(t)
    return chosen


def tell(agent, x, y):
    """Let an agent choose among one arm, and learn its reward: code that is compiled anyway."""
    agent.learn(agent.choose(x[None, :]), float(y))


def ridge_of(agent):
    """Return the agent's regression."""
    state = agent._state
    return state.ridge if hasattr(state, "ridge") else state.optimist.ridge


def same_bits(one, other):
    """Whether two states, or parts of states, hold exactly the same numbers."""
    ours, theirs = dict(state_arrays(one)), dict(state_arrays(other))
    return ours.keys() == theirs.keys() and all(
        np.array_equal(ours[name], theirs[name]) for name in ours
    )
