"""Scaler: features of any range become contexts in the unit ball, in games and agents."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from property.laws import law
from robustbandits.agent.file_format import SnapshotError
from robustbandits.features import Scaler

SAMPLE = np.array([[20.0, 0.0, 7.0], [60.0, 5000.0, 7.0], [33.0, 100.0, 7.0]])
values = st.floats(-1e150, 1e150)


def agent_with(scaler, **changes):
    return rb.Agent(rb.policies.LinUCB(), **{"arms": 3, "scaler": scaler, **changes})


@pytest.mark.parametrize("intercept", [True, False])
def test_the_ends_of_the_sample_become_the_ends_of_the_ball(intercept):
    scaler = Scaler(intercept=intercept).fit(SAMPLE)
    contexts = scaler.transform([[20.0, 0.0, 7.0], [60.0, 5000.0, 7.0]])
    size = np.sqrt(0.5) if intercept else 1.0
    expected = np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]) * size / np.sqrt(3.0)
    np.testing.assert_allclose(contexts[:, :3], expected, rtol=1e-15)
    assert contexts.shape == (2, scaler.dim) == (2, 3 + intercept)
    assert not intercept or (contexts[:, -1] == np.sqrt(0.5)).all()


@law
@given(
    sample=st.lists(st.tuples(values, values), min_size=1, max_size=5),
    shown=st.lists(st.tuples(values, values), min_size=1, max_size=5),
    intercept=st.booleans(),
)
def test_no_context_is_longer_than_one_whatever_is_shown(sample, shown, intercept):
    contexts = Scaler(intercept=intercept).fit(sample).transform(shown)
    assert np.isfinite(contexts).all()
    assert np.sqrt((contexts**2).sum(axis=1)).max() <= 1.0 + 1e-12


def test_values_outside_the_sample_count_as_its_ends():
    scaler = Scaler().fit(SAMPLE)
    inside, outside = scaler.transform([[60.0, 0.0, 7.0], [1e9, -5.0, 8.0]])
    assert np.array_equal(inside, outside)


def test_rounds_of_contexts_can_be_the_sample():
    assert Scaler().fit(SAMPLE[np.newaxis]) == Scaler().fit(SAMPLE)
    assert Scaler().fit(SAMPLE) != Scaler(intercept=False).fit(SAMPLE)
    assert Scaler() != Scaler().fit(SAMPLE)


def test_plain_values_restore_a_scaler():
    scaler = Scaler(intercept=False).fit(SAMPLE)
    assert Scaler.from_dict(json.loads(json.dumps(scaler.to_dict()))) == scaler


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ([1.0, 2.0], r"must have shape \(contexts, features\).* got \(2,\)"),
        (np.empty((0, 2)), "at least one context"),
        ([[1.0], [np.nan]], "must be finite numbers; fill or drop missing values"),
        ([[1.0], [1.0, 2.0]], "numbers in rows of equal length"),
        ([["a"]], "must be numbers"),
    ],
)
def test_a_bad_sample_is_refused(sample, message):
    with pytest.raises(ValueError, match=message):
        Scaler().fit(sample)


def test_features_must_be_those_of_the_sample():
    with pytest.raises(ValueError, match=r"call fit\(sample\) first"):
        Scaler().transform([[1.0]])
    with pytest.raises(ValueError, match=r"shape \(arms, 3\), as in the sample; got \(1, 2\)"):
        Scaler().fit(SAMPLE).transform([[1.0, 2.0]])


def test_an_agent_takes_features_as_they_are_and_is_saved_with_its_scaler(tmp_path):
    scaler = Scaler().fit(SAMPLE)
    agent = agent_with(scaler)
    plain = rb.Agent(rb.policies.LinUCB(), arms=3, dim=scaler.dim)
    for k in range(5):
        decision, same = agent.choose(SAMPLE), plain.choose(scaler.transform(SAMPLE))
        assert decision.arm == same.arm
        agent.learn(decision, k / 5)
        plain.learn(same, k / 5)
    agent.save(tmp_path / "agent.rb")
    loaded = rb.Agent.load(tmp_path / "agent.rb")
    assert loaded.scaler == scaler
    assert loaded.choose(SAMPLE).arm == plain.choose(scaler.transform(SAMPLE)).arm
    assert copy.deepcopy(loaded).scaler == scaler
    scaler.fit(SAMPLE * 2)  # the agent has a copy of its own
    assert agent.scaler == loaded.scaler != scaler
    np.testing.assert_array_equal(agent.scores(SAMPLE).means, loaded.scores(SAMPLE).means)
    assert agent.score(SAMPLE[0]) == agent.scores(SAMPLE).scores[0]


def test_a_scaler_that_does_not_fit_an_agent_is_refused():
    scaler = Scaler().fit(SAMPLE)
    with pytest.raises(ValueError, match="dim must be that of the scaler, 4; got 3"):
        agent_with(scaler, dim=3)
    with pytest.raises(ValueError, match="no contexts to scale"):
        agent_with(scaler, arms="ball")
    with pytest.raises(TypeError, match=r"scaler must be an rb\.features\.Scaler"):
        agent_with("standard")
    with pytest.raises(ValueError, match="call fit"):
        agent_with(Scaler())
    with pytest.raises(TypeError, match="dim must be given"):
        rb.Agent(rb.policies.LinUCB(), arms=3)


def test_a_file_with_a_bad_scaler_is_refused(tmp_path, monkeypatch):
    agent = agent_with(Scaler().fit(SAMPLE))
    for bad in ({"low": [0.0]}, {"low": [0.0], "high": [1.0], "intercept": True}, 7):
        monkeypatch.setattr(Scaler, "to_dict", lambda self, bad=bad: bad)
        with pytest.raises(SnapshotError, match="cannot save"):
            agent.save(tmp_path / "agent.rb")


def test_rows_of_different_lengths_are_named():
    agent = rb.Agent(rb.policies.LinUCB(), arms=2, dim=2)
    with pytest.raises(ValueError, match="row 0 has 2 features, row 1 has 1"):
        agent.choose([[1.0, 0.0], [1.0]])
