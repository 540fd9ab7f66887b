"""A live agent: rewards come late and out of order, and the agent survives a restart."""

import tempfile
from pathlib import Path

import numpy as np

import robustbandits as rb

world = np.random.default_rng(0)
taste = world.uniform(-0.3, 0.3, size=5)  # what the audience likes; the agent does not know
agent = rb.Agent(rb.policies.BOBNoRestart(), arms=10, dim=5, rounds=10_000, seed=0)
file = Path(tempfile.mkdtemp()) / "agent.rb"

waiting = []
for _ in range(2000):
    articles = world.uniform(-0.4, 0.4, size=(world.integers(5, 15), 5))  # not always as many
    decision = agent.choose(articles)
    click_rate = 0.5 + articles[decision.arm] @ taste
    waiting.append((decision.id, world.random() < click_rate))
    if len(waiting) > 50:  # a reward arrives, not always the oldest
        agent.learn(*waiting.pop(int(world.integers(len(waiting)))))

agent.save(file)  # decisions that still wait are saved too
agent = rb.Agent.load(file)
for decision_id, click in waiting:
    agent.learn(decision_id, click)

print("still waiting:", agent.pending)
assert agent.pending == 0

# Of 1,000 new articles, those that the agent estimates to be the best really are clicked more.
articles = world.uniform(-0.4, 0.4, size=(1000, 5))
click_rates = 0.5 + articles @ taste
favorites = np.argsort(agent.scores(articles).means)[-100:]
mean, mean_of_favorites = click_rates.mean(), click_rates[favorites].mean()
print(f"click rate of all: {mean:.2f}; of the agent's 100 favorites: {mean_of_favorites:.2f}")
assert mean_of_favorites > mean + 0.1
