"""Agents learn from choices that something else made."""

import numpy as np
import pytest

import robustbandits as rb

CONTEXTS = np.array([[1.0, 0.0], [0.0, 1.0]])


def test_an_agent_learns_the_reward_of_an_arm_that_it_did_not_choose():
    agent = rb.Agent(rb.policies.LinUCB(), arms=2, dim=2, seed=0)
    for _ in range(50):
        agent.observe(CONTEXTS, 1, 0.8)
    assert agent.scores(CONTEXTS).means == pytest.approx([0.0, 50 * 0.8 / 50.1])
    assert agent.pending == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CONTEXTS, 2, 0.5), "arm must be < 2, the number of contexts; got 2"),
        ((CONTEXTS, -1, 0.5), "arm must be >= 0, got -1"),
        ((CONTEXTS, 0, 99.0), "reward"),
        ((CONTEXTS[:, :1], 0, 0.5), "contexts must have shape"),
    ],
)
def test_wrong_observations_are_refused_and_change_nothing(arguments, message):
    agent = rb.Agent(rb.policies.LinUCB(), arms=2, dim=2, seed=0)
    with pytest.raises(ValueError, match=message):
        agent.observe(*arguments)
    assert repr(agent).endswith("decisions=0, pending=0)")
