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


def test_an_agent_with_a_scaler_observes_features_as_they_are():
    sample = [[25.0, 19.9], [61.0, 250.0], [40.0, 75.0]]
    scaler = rb.features.Scaler(intercept=True).fit(sample)
    chose, observed = (
        rb.Agent(rb.policies.LinUCB(), arms=3, scaler=scaler, seed=0) for _ in range(2)
    )
    decision = chose.choose(sample)
    chose.learn(decision, 0.5)
    observed.observe(sample, decision.arm, 0.5)
    assert observed.scores(sample).means.tolist() == chose.scores(sample).means.tolist()
