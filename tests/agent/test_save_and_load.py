"""A loaded agent goes on as if it had never stopped."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from agent.outsider import Rota
from agent.players import RECIPES, bits, contexts_of, hire, train, veteran
from robustbandits.agent.file import SnapshotError


def reload(agent, path, policy=None):
    agent.save(path)
    return rb.Agent.load(path, policy=policy)


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
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(steps=STEPS, seed=st.integers(0, 1000))
def test_saving_at_any_moment_changes_nothing(name, steps, seed):
    restless, calm = hire(name, seed=seed, pending=5), hire(name, seed=seed, pending=5)
    dice = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        for step, value in steps:
            waiting = list(calm._pending)
            if step == "choose":
                contexts = contexts_of(dice, value)
                decision, expected = restless.choose(contexts), calm.choose(contexts)
                assert decision.id == expected.id
                assert decision.arm == expected.arm
                assert decision._table.tobytes() == expected._table.tobytes()
            elif step == "reload":
                restless = reload(restless, Path(folder) / "agent.rb")
            elif waiting:
                number = waiting[0 if step == "learn" else -1]
                restless.learn(number, value)
                calm.learn(number, value)
            assert bits(restless) == bits(calm)


@pytest.mark.parametrize("stop", range(12))
def test_an_epoch_that_ends_after_loading_ends_the_same(stop, tmp_path):
    agent, calm = train(hire("RobustBandit(epoch=7)"), stop), hire("RobustBandit(epoch=7)")
    agent = reload(agent, tmp_path / "agent.rb")
    train(calm, stop)
    train(agent, 10, seed=9)
    train(calm, 10, seed=9)
    assert bits(agent) == bits(calm)


@pytest.mark.parametrize("name", RECIPES)
def test_a_rebuilt_regression_is_the_same_after_loading(name, tmp_path):
    agent = train(hire(name), 4090)
    loaded = reload(agent, tmp_path / "agent.rb")
    for player in (agent, loaded):
        train(player, 10, seed=3)  # the 4096th observation rebuilds the inverse
    assert bits(loaded) == bits(agent)


@pytest.mark.parametrize("name", RECIPES)
def test_saving_twice_gives_equal_files(name, tmp_path):
    agent = veteran(name)
    agent.save(tmp_path / "one.rb")
    reload(agent, tmp_path / "other.rb").save(tmp_path / "again.rb")
    files = {(tmp_path / f"{word}.rb").read_bytes() for word in ("one", "other", "again")}
    assert len(files) == 1


@pytest.mark.parametrize("name", RECIPES)
def test_saving_changes_nothing_in_the_agent(name, tmp_path):
    agent = veteran(name)
    before = bits(agent)
    agent.save(tmp_path / "agent.rb")
    assert bits(agent) == before


def test_settings_come_back(tmp_path):
    agent = hire(reward_range=(-2, 3.5), pending=7, context_bound=2.0, theta_bound=0.5)
    for _ in range(10):
        agent.choose(np.eye(3))
    loaded = reload(agent, tmp_path / "agent.rb")
    assert loaded.reward_range == (-2.0, 3.5)
    assert loaded.problem == agent.problem
    assert loaded.policy == agent.policy
    assert loaded.pending == 7
    assert loaded.choose(np.eye(3)).id == 10
    assert loaded.pending == 7
    with pytest.raises(KeyError, match="newest 7"):
        loaded.learn(3, 0.5)
    with pytest.raises(ValueError, match=r"between -2 and 3.5"):
        loaded.learn(10, 4.0)


@pytest.mark.parametrize("kind", [int, np.int64])
def test_waiting_decisions_are_rewarded_after_loading_and_only_once(kind, tmp_path):
    agent = hire()
    decision, rewarded = agent.choose(np.eye(3)), agent.choose(np.eye(3))
    agent.learn(rewarded, 0.2)
    loaded = reload(agent, tmp_path / "agent.rb")
    with pytest.raises(KeyError, match="has its reward already"):
        loaded.learn(kind(rewarded.id), 0.2)
    loaded.learn(kind(decision.id), 0.4)
    agent.learn(decision, 0.4)
    assert bits(loaded) == bits(agent)
    with pytest.raises(KeyError, match="has its reward already"):
        loaded.learn(decision, 0.4)


def test_very_many_waiting_decisions_can_be_saved(tmp_path):
    count, past = 300_000, 10**12  # long ids, as after many rounds
    agent = hire("Greedy", arms=1, dim=1, pending=count)
    agent.choose([[0.5]])
    entry = agent._pending[0]
    del agent._pending[0]
    agent._pending.update(dict.fromkeys(range(past, past + count), entry))
    agent._pending.next = past + count
    loaded = reload(agent, tmp_path / "agent.rb")
    assert loaded.pending == count
    loaded.learn(past + count - 1, 0.5)
    assert loaded.pending == count - 1


def test_special_paths_are_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = veteran()
    for path in ("agent.rb", str(tmp_path / "a b.rb"), Path("ünï.rb"), "x" * 250):
        assert bits(reload(agent, path)) == bits(agent)


def test_parameters_come_back_exactly(tmp_path):
    policy = rb.policies.RobustBandit(
        ridge=1 / 3, sigma=1e-300, candidates=(0.0, 0.1 + 0.2, 1e15), epoch=9, alpha=0.7
    )
    loaded = reload(hire(policy), tmp_path / "agent.rb")
    assert loaded.policy == policy
    assert type(loaded.policy.candidates) is tuple


def test_readings_of_the_paper_come_back(tmp_path):
    for policy in (rb.policies.RobustBandit.as_coded(), rb.policies.BOBNoRestart.as_written()):
        agent = train(hire(policy), 15)
        loaded = reload(agent, tmp_path / "agent.rb")
        assert bits(train(loaded, 15)) == bits(train(agent, 15))


# --------------------------------------------------------------- policies from outside the package


def test_a_policy_from_outside_needs_its_class(tmp_path):
    agent = train(hire(Rota(step=3)), 9)
    agent.choose(np.eye(4, 3))
    agent.save(tmp_path / "agent.rb")
    with pytest.raises(SnapshotError, match=r"'Rota' is not ours: give its class as policy="):
        rb.Agent.load(tmp_path / "agent.rb")
    loaded = rb.Agent.load(tmp_path / "agent.rb", policy=Rota)
    assert bits(loaded) == bits(agent)  # whole numbers and -inf included
    loaded.learn(9, 0.5)
    agent.learn(9, 0.5)
    assert bits(train(loaded, 9)) == bits(train(agent, 9))


def test_another_class_than_the_saved_one_is_refused(tmp_path):
    hire().save(tmp_path / "agent.rb")
    with pytest.raises(SnapshotError, match="it holds a 'LinUCB', not a Rota"):
        rb.Agent.load(tmp_path / "agent.rb", policy=Rota)


def test_a_recipe_in_the_place_of_its_class_is_refused(tmp_path):
    hire().save(tmp_path / "agent.rb")
    with pytest.raises(TypeError, match=r"policy must be the class of a recipe, got LinUCB\("):
        rb.Agent.load(tmp_path / "agent.rb", policy=RECIPES["LinUCB"])


# ----------------------------------------------------------- what could not be loaded is not saved


class Nameless:
    """A policy without to_dict."""

    name = "Nameless"

    def start(self, problem):
        return RECIPES["LinUCB"].start(problem)


def test_a_policy_that_cannot_be_written_says_what_it_lacks(tmp_path):
    with pytest.raises(TypeError, match="cannot be saved: it needs to_dict and from_dict"):
        hire(Nameless()).save(tmp_path / "agent.rb")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("trouble", [np.nan, np.inf])
def test_a_broken_state_does_not_overwrite_a_good_file(trouble, tmp_path):
    agent = veteran()
    agent.save(tmp_path / "agent.rb")
    good = (tmp_path / "agent.rb").read_bytes()
    agent._state.optimist.ridge.theta[1] = trouble
    with pytest.raises(SnapshotError, match=r"cannot save .*theta holds numbers .* not finite"):
        agent.save(tmp_path / "agent.rb")
    assert (tmp_path / "agent.rb").read_bytes() == good


def test_whole_numbers_beyond_float64_are_not_saved_wrongly(tmp_path):
    agent = hire(Rota())
    agent._state.pulls[0] = 2**53 + 1
    with pytest.raises(SnapshotError, match=r"cannot save state.pulls: .*int64"):
        agent.save(tmp_path / "agent.rb")
    assert not list(tmp_path.iterdir())
