"""Play policies for fixed arms on rewards that turn against them halfway."""

import numpy as np

import robustbandits as rb
from robustbandits.game.match import POLICY, stream


def hire(recipe, *, arms=6, rounds=600, seed=0):
    """Return an agent that takes any moderate reward."""
    return rb.Agent(
        recipe, arms=arms, dim=1, rounds=rounds, seed=seed, reward_range=(-100.0, 100.0)
    )


def rewards_of(rounds, arms, *, seed=0, noise=0.1, turn=0.5):
    """Rewards (rounds, arms); after a while the best arm becomes the worst, and so on."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.9, 0.1, arms)
    table = np.where(np.arange(rounds)[:, None] < turn * rounds, means, means[::-1])
    return table + noise * rng.standard_normal((rounds, 1))


def arms_of(agent, rewards, watch=None):
    """Play all rounds and return the arms; ``watch(t)`` is called after each."""
    contexts = np.zeros((rewards.shape[1], 1))
    chosen = []
    for t, row in enumerate(rewards):
        decision = agent.choose(contexts)
        agent.learn(decision, row[decision.arm])
        chosen.append(decision.arm)
        if watch is not None:
            watch(t)
    return chosen


def arms_of_twin(make, rewards, *, rounds, seed=0, **options):
    """Play all rounds with a twin; return it and its arms."""
    rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
    twin = make(rewards.shape[1], rounds, rng, **options)
    chosen = []
    for row in rewards:
        arm = twin.choose()
        twin.learn(arm, row[arm])
        chosen.append(arm)
    return twin, chosen
