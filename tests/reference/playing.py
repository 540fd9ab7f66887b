"""Play agents through blocks of rounds, compare them with their twins, and look at their states.

Tests that need what an agent remembers use the functions here; no other file touches an agent's
private attributes.
"""

import inspect

import numpy as np

import robustbandits as rb
from reference.twins import Bounds
from robustbandits.agent.file_contents import state_arrays
from robustbandits.game.match import NATURE, POLICY, stream
from robustbandits.game.rounds import Rounds


def block_of(rounds, *, arms=20, dim=10, seed=0, **options):
    """Return rounds of a simulation; contexts are (rounds, dim, arms)."""
    environment = rb.environments.Simulation(arms=arms, dim=dim, **options)
    return environment.start(rounds, stream(seed, NATURE)).draw(rounds)


def turning_block(rounds, arms, *, seed=0, noise=0.1, turn=0.5):
    """Return rounds without contexts; after a share ``turn`` the best arm becomes the worst."""
    means = np.linspace(0.9, 0.1, arms)
    table = np.where(np.arange(rounds)[:, None] < turn * rounds, means, means[::-1])
    return block_of_means(table, noise * np.random.default_rng(seed).standard_normal(rounds))


def block_of_means(means, noise=None):
    """Return rounds without contexts that have these mean rewards (rounds, arms)."""
    rounds, arms = means.shape
    noise = np.zeros(rounds) if noise is None else noise
    return Rounds(np.zeros((rounds, 1, arms)), means, means.max(axis=1), noise)


def agent_for(recipe, block, *, seed=0, **options):
    """Return an agent for these rounds that accepts any moderate reward."""
    rounds, dim, arms = block.contexts.shape
    settings = {"rounds": rounds, "reward_range": (-100.0, 100.0), **options}
    return rb.Agent(recipe, arms=arms, dim=dim, seed=seed, **settings)


def answer(agent, block, t):
    """Play round ``t`` and return the arm."""
    decision = agent.choose(block.contexts[t].T)
    agent.learn(decision, block.means[t, decision.arm] + block.noise[t])
    return decision.arm


def play(agent, block, watch=None):
    """Play all rounds and return the arms; call ``watch(t)`` after each."""
    chosen = []
    for t in range(len(block.noise)):
        chosen.append(answer(agent, block, t))
        if watch is not None:
            watch(t)
    return chosen


def tell(agent, x, y):
    """Let an agent choose from a single arm and learn its reward."""
    agent.learn(agent.choose(x[None, :]), float(y))


def state_of(agent):
    """Return what the agent's policy remembers."""
    return agent._state


def memo_of(agent, decision):
    """Return the memo of a decision that waits for its reward."""
    return agent._pending.entry(decision.number)[1]


def ridge_of(agent):
    """Return the agent's regression."""
    state = state_of(agent)
    return state.ridge if hasattr(state, "ridge") else state.optimist.ridge


def same_bits(left, right):
    """Return whether two states, or parts of states, hold exactly the same numbers."""
    ours, theirs = dict(state_arrays(left)), dict(state_arrays(right))
    return ours.keys() == theirs.keys() and all(
        np.array_equal(ours[name], theirs[name]) for name in ours
    )


def assert_same_play(block, recipe, other, **options):
    """Check that two policies choose the same arms and learn the same bits; return both agents."""
    agents = [agent_for(policy, block, **options) for policy in (recipe, other)]
    arms, other_arms = (play(agent, block) for agent in agents)
    assert arms == other_arms
    assert same_bits(*map(ridge_of, agents))
    return agents


def twin_for(twin_class, options, block, *, seed=0, bounds=(1.0, 1.0)):
    """Return the twin of an agent with the same seed."""
    rounds, dim, arms = block.contexts.shape
    rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
    return twin_class(Bounds(arms, dim, rounds, *bounds), rng, **options)


def assert_twins(recipe, twin_class, options, block, *, seed=0, bounds=(1.0, 1.0)):
    """Check that an agent and its twin choose the same arms in these rounds; return both.

    Contexts are multiplied by the context bound. A twin's ``learn`` takes what it needs of arm,
    context and reward.
    """
    scale, theta_bound = bounds
    agent = agent_for(recipe, block, seed=seed, context_bound=scale, theta_bound=theta_bound)
    twin = twin_for(twin_class, options, block, seed=seed, bounds=bounds)
    wanted = inspect.signature(twin.learn).parameters
    for t in range(len(block.noise)):
        contexts = np.ascontiguousarray(scale * block.contexts[t].T)
        decision = agent.choose(contexts)
        arm = decision.arm
        assert arm == twin.choose(contexts), f"different arms in round {t}"
        reward = block.means[t, arm] + block.noise[t]
        agent.learn(decision, reward)
        told = {"arm": arm, "context": contexts[arm], "reward": reward}
        twin.learn(*(told[name] for name in wanted))
    return agent, twin


def assert_twins_on_ball(recipe, twin_class, options, *, dim=3, rounds=300, seed=0):
    """Check that a twin finds every vector of an agent on a ball as good as the best.

    Before each choice the twin's random stream gets the state of the agent's, because only the
    agent draws when several vectors are equally good. The twins with EXP3 subtract the offset
    themselves: they pay EXP3 the whole reward.
    """
    nature = rb.environments.UnitBall(dim=dim).start(rounds, stream(seed, NATURE))
    offset, noise = nature.problem.offset, nature.draw(rounds).noise
    settings = {"rounds": rounds, "theta_bound": 0.5, "reward_range": (-100.0, 100.0)}
    agent = rb.Agent(recipe, arms="ball", dim=dim, offset=offset, seed=seed, **settings)
    twin = twin_class(Bounds(1, dim, rounds, 1.0, 0.5), np.random.default_rng(0), **options)
    pays_exp3 = hasattr(twin, "exp3")
    if pays_exp3:
        twin.ridge.offset = offset
    for t in range(rounds):
        twin.rng.bit_generator.state = agent._rng.bit_generator.state
        decision = agent.choose()
        assert twin.choose(decision.context[np.newaxis]) == 0
        reward = decision.context @ nature.theta + offset + noise[t]
        agent.learn(decision, reward)
        twin.learn(decision.context, reward if pays_exp3 else reward - offset)
    return agent, twin
