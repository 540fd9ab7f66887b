"""Agent files of older versions of a policy keep what was learned, where that is possible."""

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import contents, draw_contexts, file_of, make_agent
from agent.files import pack, unpack
from catalogue import policy
from robustbandits.agent import SnapshotError
from robustbandits.compiled.jit import jit_is_on

pytestmark = [pytest.mark.slow] if jit_is_on else []  # much to compile

SHOWN = draw_contexts(np.random.default_rng(5))


def trained(name):
    """Return an agent with a fixed catalogue that has learned, and has a pending decision."""
    agent = make_agent(policy(name))
    for reward in np.random.default_rng(6).uniform(0, 1, 50):
        agent.learn(agent.choose(SHOWN), reward)
    agent.choose(SHOWN)
    return agent


def as_version_1(agent, arrays_of=dict):
    """Return the agent's file as version 1 of its policy would have written it."""
    header, arrays = unpack(file_of(agent))
    del header["policy"]["class version"]
    return pack(header, arrays_of(arrays))


def multi_layer_arrays(arrays):
    """Return arrays without running bounds and sets."""
    left_out = ("state.bounds.highs", "state.bounds.lows", "state.listed")
    arrays["pending"][:, 3] = 0.0  # the layer that chose
    return {
        name.replace("state.posteriors.", "state."): array
        for name, array in arrays.items()
        if name not in left_out
    }


def test_cobe_continues_as_it_was(tmp_path):
    agent = trained("COBE")
    (tmp_path / "agent.rb").write_bytes(as_version_1(agent))
    assert contents(rb.Agent.load(tmp_path / "agent.rb")) == contents(agent)


def test_multi_layer_gp_ucb_keeps_its_rewards(tmp_path):
    agent = trained("MultiLayerGPUCB")
    (tmp_path / "agent.rb").write_bytes(as_version_1(agent, multi_layer_arrays))
    loaded = rb.Agent.load(tmp_path / "agent.rb")
    scores, expected = loaded.scores(SHOWN), agent.scores(SHOWN)
    np.testing.assert_array_equal(scores.means, expected.means)
    np.testing.assert_array_equal(scores.bonuses, expected.bonuses)
    assert unpack(file_of(loaded))[1]["pending"].tolist() == (
        unpack(file_of(agent))[1]["pending"].tolist()
    )
    for reward in np.random.default_rng(7).uniform(0, 1, 200):
        loaded.learn(loaded.choose(SHOWN), reward)
    _, arrays = unpack(file_of(loaded))
    assert np.abs(arrays["state.bounds.highs"][0]).max() < 1e3  # bounds have begun again


def test_robust_regression_ucb_continues_as_it_was(tmp_path):
    def without_errors(arrays):
        return {name: array for name, array in arrays.items() if not name.endswith("_error")}

    agent = trained("RobustRegressionUCB")
    (tmp_path / "agent.rb").write_bytes(as_version_1(agent, without_errors))
    assert contents(rb.Agent.load(tmp_path / "agent.rb")) == contents(agent)


@pytest.mark.parametrize("name", ["BOB", "FastSlowGPUCB"])
def test_a_policy_that_cannot_continue_refuses_the_file(name, tmp_path):
    (tmp_path / "agent.rb").write_bytes(as_version_1(trained(name)))
    with pytest.raises(SnapshotError, match=f"expected version 2 of {name}, got version 1"):
        rb.Agent.load(tmp_path / "agent.rb")


def test_an_agent_with_a_ridge_that_is_refused_today_keeps_its_rewards(tmp_path):
    agent = rb.Agent(rb.policies.LinUCB(), arms=2, dim=2, rounds=1000, context_bound=10.0)
    for reward in (0.2, 0.9):
        agent.learn(agent.choose([[3.0, 4.0], [6.0, 1.0]]), reward)
    header, arrays = unpack(file_of(agent))
    header["problem"]["rounds"] = None
    (tmp_path / "old.rb").write_bytes(pack(header, arrays))
    with pytest.raises(ValueError, match=r"ridge must be at least 0\.25"):
        rb.Agent(rb.policies.LinUCB(), arms=2, dim=2, context_bound=10.0)
    with pytest.warns(RuntimeWarning, match=r"ridge must be at least 0\.25"):
        loaded = rb.Agent.load(tmp_path / "old.rb")
    contexts = [[3.0, 4.0], [6.0, 1.0]]
    assert loaded.scores(contexts).means.tolist() == agent.scores(contexts).means.tolist()
