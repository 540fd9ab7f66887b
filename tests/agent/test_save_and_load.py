"""A loaded agent goes on as if it had never stopped."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from agent.agents import (
    RECIPES,
    contents,
    draw_contexts,
    file_of,
    make_agent,
    reload,
    train,
    trained_agent,
)
from agent.files import pack, unpack
from agent.third_party import RoundRobin
from robustbandits.agent import SnapshotError
from robustbandits.agent.file_contents import state_arrays

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("choose"), st.integers(1, 6)),
        st.tuples(st.just("learn"), st.floats(0, 1)),
        st.tuples(st.just("learn late"), st.floats(0, 1)),
        st.tuples(st.just("reload"), st.none()),
    ),
    max_size=40,
)


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.filterwarnings("ignore:this agent has forgotten")
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(steps=STEPS, seed=st.integers(0, 1000))
def test_saving_at_any_moment_changes_nothing(name, steps, seed):
    agent, twin = (make_agent(name, seed=seed, pending=5) for _ in range(2))
    rng, pending = np.random.default_rng(seed), []
    with tempfile.TemporaryDirectory() as folder:
        for step, value in steps:
            if step == "choose":
                contexts = draw_contexts(rng, value)
                decision, expected = agent.choose(contexts), twin.choose(contexts)
                assert decision.arm == expected.arm
                assert decision.scores.tobytes() == expected.scores.tobytes()
                pending = [*pending, (decision.id, expected.id)][-5:]
            elif step == "reload":
                agent = reload(agent, Path(folder) / "agent.rb")
            elif pending:
                decision_id, expected_id = pending.pop(0 if step == "learn" else -1)
                agent.learn(decision_id, value)
                twin.learn(expected_id, value)
            assert contents(agent) == contents(twin)


@pytest.mark.filterwarnings("ignore:this agent has forgotten")
def test_loading_restores_the_settings(tmp_path):
    agent = make_agent(reward_range=(-2, 3.5), pending=7, context_bound=2.0, theta_bound=0.5)
    oldest, *_ = (agent.choose(np.eye(3)) for _ in range(10))
    loaded = reload(agent, tmp_path / "agent.rb")
    assert loaded.reward_range == (-2.0, 3.5)
    assert loaded.problem == agent.problem
    assert loaded.policy == agent.policy
    assert loaded.pending == 7
    decision = loaded.choose(np.eye(3))
    assert loaded.pending == 7
    with pytest.raises(KeyError, match="newest 7"):
        loaded.learn(oldest.id, 0.5)
    with pytest.raises(ValueError, match=r"between -2 and 3.5"):
        loaded.learn(decision, 4.0)


def test_pending_decisions_have_one_reward_after_loading(tmp_path):
    agent = make_agent()
    decision, rewarded = agent.choose(np.eye(3)), agent.choose(np.eye(3))
    agent.learn(rewarded, 0.2)
    loaded = reload(agent, tmp_path / "agent.rb")
    with pytest.raises(KeyError, match="already has its reward"):
        loaded.learn(rewarded.id, 0.2)
    loaded.learn(decision.id, 0.4)
    agent.learn(decision, 0.4)
    assert contents(loaded) == contents(agent)
    with pytest.raises(KeyError, match="already has its reward"):
        loaded.learn(decision, 0.4)


def test_very_many_pending_decisions_with_large_ids_can_be_saved(tmp_path):
    count, first = 300_000, 1 << 50
    agent = make_agent("Greedy", arms=1, dim=1, pending=count)
    decision = agent.choose([[0.5]])
    header, arrays = unpack(file_of(agent))
    arrays["pending"] = np.repeat(arrays["pending"], count, axis=0)
    arrays["pending"][:, 0] = np.arange(first, first + count)
    header |= {"next": first + count, "decisions": count}
    (tmp_path / "agent.rb").write_bytes(pack(header, arrays))
    loaded = reload(rb.Agent.load(tmp_path / "agent.rb"), tmp_path / "again.rb")
    assert loaded.pending == count
    random = decision.id[13:]
    loaded.learn(f"{first + count - 1:x}{random}", 0.5)
    assert loaded.pending == count - 1


def test_unusual_paths_are_accepted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = trained_agent()
    for path in ("agent.rb", str(tmp_path / "a b.rb"), Path("ünï.rb"), "x" * 250):
        assert contents(reload(agent, path)) == contents(agent)


def test_loading_restores_parameters_exactly(tmp_path):
    policy = rb.policies.RobustBandit(
        ridge=1 / 3, sigma=1e-300, candidates=(0.0, 0.1 + 0.2, 1e15), epoch=9, alpha=0.7
    )
    loaded = reload(make_agent(policy), tmp_path / "agent.rb")
    assert loaded.policy == policy
    assert type(loaded.policy.candidates) is tuple


def test_loading_a_third_party_policy_needs_its_class(tmp_path):
    agent = train(make_agent(RoundRobin(step=3)), 9)
    decision = agent.choose(np.eye(4, 3))
    agent.save(tmp_path / "agent.rb")
    with pytest.raises(
        SnapshotError, match=r"'RoundRobin' is not part of robustbandits: .* policy="
    ):
        rb.Agent.load(tmp_path / "agent.rb")
    loaded = rb.Agent.load(tmp_path / "agent.rb", policy=RoundRobin)
    assert contents(loaded) == contents(agent)  # whole numbers and -inf included
    loaded.learn(decision, 0.5)
    agent.learn(decision, 0.5)
    assert contents(train(loaded, 9)) == contents(train(agent, 9))


def test_another_class_than_the_saved_one_is_refused(tmp_path):
    make_agent().save(tmp_path / "agent.rb")
    with pytest.raises(
        SnapshotError, match="its policy is 'LinUCB', but the given class is RoundRobin"
    ):
        rb.Agent.load(tmp_path / "agent.rb", policy=RoundRobin)


def test_a_recipe_is_not_accepted_instead_of_its_class(tmp_path):
    make_agent().save(tmp_path / "agent.rb")
    with pytest.raises(TypeError, match=r"policy must be the class of a recipe, got LinUCB\("):
        rb.Agent.load(tmp_path / "agent.rb", policy=RECIPES["LinUCB"])


class WithoutToDict:
    """A policy without to_dict."""

    name = "WithoutToDict"

    def start(self, problem):
        return RECIPES["LinUCB"].start(problem)


def test_a_policy_without_to_dict_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="cannot be saved: it has no to_dict and from_dict"):
        make_agent(WithoutToDict()).save(tmp_path / "agent.rb")
    assert not list(tmp_path.iterdir())


def test_a_state_that_is_not_finite_does_not_overwrite_a_good_file(tmp_path):
    agent = make_agent(RoundRobin(), reward_range=(0, 1e308))
    agent.save(tmp_path / "agent.rb")
    good = (tmp_path / "agent.rb").read_bytes()
    for _ in range(2):
        with np.errstate(over="ignore"):  # the sum of the rewards becomes infinite
            agent.learn(agent.choose(np.eye(4, 3)), 1e308)
    with pytest.raises(SnapshotError, match=r"cannot save .*sums holds numbers .* not finite"):
        agent.save(tmp_path / "agent.rb")
    assert (tmp_path / "agent.rb").read_bytes() == good


def test_whole_numbers_that_float64_cannot_hold_are_not_saved(tmp_path):
    agent = make_agent(RoundRobin(step=2**53 + 1))
    agent.learn(agent.choose(np.eye(4, 3)), 0.5)
    with pytest.raises(SnapshotError, match=r"cannot save state.pulls: .*int64"):
        agent.save(tmp_path / "agent.rb")
    assert not list(tmp_path.iterdir())


def test_arrays_in_plain_tuples_are_saved_by_position():
    first, second = np.zeros(1), np.ones(2)
    assert dict(state_arrays(((first, 3), second))) == {"state.0.0": first, "state.1": second}


def test_a_state_that_learns_outside_arrays_cannot_be_saved():
    with pytest.raises(TypeError, match=r"state.0 is a list: a policy must keep what it learns in"):
        list(state_arrays(([1.0],)))
