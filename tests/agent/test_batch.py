"""Many decisions at once: the same as one after the other."""

import copy

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import DIM, contents, draw_contexts, make_agent, reload, trained_agent
from agent.third_party import CatalogueRoundRobin, RoundRobin

POLICIES = ["LinUCB", "LinTS", "Greedy", "RobustLinUCB", "BOBNoRestart"]
REWARDS = np.linspace(0.0, 1.0, 40)


def batch(count: int = 40, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([draw_contexts(rng) for _ in range(count)])


@pytest.mark.parametrize("name", POLICIES)
def test_a_batch_has_the_bits_of_single_decisions(name):
    one, many = make_agent(name), make_agent(name)
    for round_number in range(3):
        shown = batch(seed=round_number)
        singles = [one.choose(contexts) for contexts in shown]
        decisions = many.choose_many(shown)
        for single, decision in zip(singles, decisions, strict=True):
            assert single.arm == decision.arm
            assert np.array_equal(single.context, decision.context)
            assert np.array_equal(single.means, decision.means)
            assert np.array_equal(single.bonuses, decision.bonuses)
            assert np.array_equal(single.probabilities, decision.probabilities)
        for single, reward in zip(singles, REWARDS, strict=True):
            one.learn(single, reward)
        many.learn_many(decisions, REWARDS)
        assert contents(one) == contents(many)


def test_a_policy_of_a_third_party_plays_batches():
    one, many = make_agent(RoundRobin()), make_agent(RoundRobin())
    arms = [one.choose(contexts).arm for contexts in batch()]
    assert many.choose_many(batch()).arms.tolist() == arms


def test_the_decisions_of_a_list_may_have_different_numbers_of_arms():
    rng = np.random.default_rng(0)
    shown = [draw_contexts(rng, arms) for arms in (3, 1, 70, 2)]
    one, many = trained_agent(), trained_agent()
    decisions = many.choose_many(shown)
    assert decisions.arms.tolist() == [one.choose(contexts).arm for contexts in shown]
    assert [len(decision.scores) for decision in decisions] == [3, 1, 70, 2]
    assert contents(one) == contents(many)


def test_decisions_are_a_list():
    decisions = trained_agent().choose_many(batch(5))
    assert len(decisions) == 5
    assert [decision.id for decision in decisions] == decisions.ids == sorted(set(decisions.ids))
    assert decisions[-1].id == decisions.ids[4]
    assert [decision.arm for decision in decisions[1:3]] == decisions.arms[1:3].tolist()
    assert "arms=" in repr(decisions)
    with pytest.raises(IndexError):
        decisions[5]


def test_an_empty_batch_changes_nothing():
    agent = trained_agent()
    before = contents(agent)
    assert len(agent.choose_many([])) == 0
    assert len(agent.choose_many(np.empty((0, 4, DIM)))) == 0
    agent.learn_many([], [])
    assert contents(agent) == before


def test_labels_of_a_batch_are_those_of_the_chosen_arms():
    agent = trained_agent()
    labels = [[f"{k}-{arm}" for arm in range(4)] for k in range(5)]
    decisions = agent.choose_many(batch(5), labels)
    expected = [labels[k][arm] for k, arm in enumerate(decisions.arms)]
    assert decisions.labels == expected == [decision.label for decision in decisions]


def test_rewards_of_a_batch_may_be_late_in_any_order_and_after_loading(tmp_path):
    one, many = trained_agent(pending=0), trained_agent(pending=0)
    singles = [one.choose(contexts) for contexts in batch()]
    ids = many.choose_many(batch()).ids
    many = reload(many, tmp_path / "agent.rb")
    order = np.random.default_rng(0).permutation(40)
    for k in order:
        one.learn(singles[k], REWARDS[k])
    many.learn_many([ids[k] for k in order[:25]], REWARDS[order[:25]])
    for k in order[25:]:
        many.learn(ids[k], REWARDS[k])
    assert contents(one) == contents(many)


def test_single_decisions_and_copies_learn_decisions_of_a_batch():
    agent = trained_agent(pending=0)
    decisions = agent.choose_many(batch(5))
    twin = copy.deepcopy(agent)
    for decision in decisions:
        agent.learn(decision, 0.5)
    twin.learn_many(decisions, [0.5] * 5)
    assert contents(agent) == contents(twin)


def test_the_oldest_decisions_are_forgotten_if_a_batch_is_too_large():
    agent = make_agent(pending=10)
    with pytest.warns(UserWarning, match="forgotten a decision"):
        decisions = agent.choose_many(batch(25))
    assert (agent.pending, agent.forgotten) == (10, 15)
    with pytest.raises(KeyError, match="or was forgotten"):
        agent.learn(decisions[14], 0.5)
    agent.learn_many(decisions[15:], [0.5] * 10)


BAD = batch(5)
BAD[3, 2] = np.nan
LONG = batch(5)
LONG[4, 1] *= 100.0


@pytest.mark.parametrize(
    ("shown", "labels", "message"),
    [
        (BAD, None, "decision 3 of the batch: contexts must be finite.*row 2"),
        (LONG, None, "decision 4 of the batch: contexts must be no longer.*row 1"),
        (
            batch(5)[:, :, :2],
            None,
            r"decision 0 of the batch: contexts must have shape \(arms, 3\)",
        ),
        (batch(5)[0], None, r"decision 0 of the batch: .* got \(3,\)"),
        ([*batch(2), [[1.0]]], None, "decision 2 of the batch: contexts must have shape"),
        (np.empty((2, 0, DIM)), None, "decision 0 of the batch: contexts must have shape"),
        (batch(2), [["a"] * 4], "one list of labels for each decision: expected 2, got 1"),
        (batch(2), [["a"] * 4, ["b"]], "decision 1 of the batch: labels must have one label"),
    ],
)
def test_a_bad_batch_chooses_nothing(shown, labels, message):
    agent = make_agent()  # its first scores are equal, so that its choices are random
    before = contents(agent)
    with pytest.raises(ValueError, match=message):
        agent.choose_many(shown, labels)
    assert contents(agent) == before


@pytest.mark.parametrize("shown", [None, 3, "abc"])
def test_contexts_of_a_batch_must_be_a_list(shown):
    with pytest.raises(TypeError, match="contexts must be an array of shape"):
        make_agent().choose_many(shown)


def test_a_ball_has_no_contexts_for_a_batch():
    agent = rb.Agent(rb.policies.LinUCB(), arms="ball", dim=3)
    with pytest.raises(ValueError, match=r"the arms are a ball: call choose\(\)"):
        agent.choose_many(batch())


def test_a_batch_must_have_the_arms_of_a_catalogue():
    agent = make_agent(CatalogueRoundRobin())
    shown = batch(3)
    with pytest.raises(ValueError, match=r"decision 1 of the batch: .* row 0 has changed"):
        agent.choose_many(shown)
    agent.choose_many([shown[0], shown[0]])
    with pytest.raises(ValueError, match="needs the same contexts in every call"):
        agent.choose(shown[1])


@pytest.mark.parametrize(
    ("rewards", "error", "message"),
    [
        ([0.5] * 4, ValueError, r"expected shape \(5,\), got \(4,\)"),
        (0.5, ValueError, r"expected shape \(5,\), got \(\)"),
        ([0.5, 0.5, np.nan, 0.5, 0.5], ValueError, "reward must be a finite number"),
        ([0.5, 0.5, 0.5, 0.5, 7.0], ValueError, "reward must be a finite number"),
        (["a"] * 5, TypeError, "reward must be a number"),
        ([0.5, None, 0.5, 0.5, 0.5], TypeError, "reward must be a number"),
    ],
)
def test_bad_rewards_of_a_batch_teach_nothing(rewards, error, message):
    agent = trained_agent()
    decisions = agent.choose_many(batch(5))
    before = contents(agent)
    with pytest.raises(error, match=message):
        agent.learn_many(decisions, rewards)
    assert contents(agent) == before
    agent.learn_many(decisions, [True, False, 1, 0, 0.5])


def test_decisions_that_cannot_be_learned_teach_nothing():
    agent = trained_agent()
    decisions = agent.choose_many(batch(3))
    agent.learn(decisions[1], 0.5)
    before = contents(agent)
    for given, error, message in [
        (decisions, KeyError, "already has its reward"),
        (decisions.ids, KeyError, "already has its reward"),
        ([decisions[0], decisions.ids[0], decisions[2]], ValueError, "is given twice"),
        ([decisions[0], "abc", decisions[2]], KeyError, "not an id at all"),
        ([decisions[0], 1.5, decisions[2]], TypeError, "must be a Decision or its id"),
        ("abc", TypeError, "must be a list of decisions or ids"),
        (None, TypeError, "must be a list of decisions or ids"),
    ]:
        with pytest.raises(error, match=message):
            agent.learn_many(given, [0.5] * 3)
        assert contents(agent) == before


def test_features_of_a_batch_are_scaled():
    sample = np.random.default_rng(0).uniform(0, 9, (30, 2))
    scaler = rb.features.Scaler().fit(sample)
    one, many = (rb.Agent(rb.policies.LinUCB(), arms=5, scaler=scaler) for _ in range(2))
    shown = sample.reshape(6, 5, 2)
    arms = [one.choose(features).arm for features in shown]
    assert many.choose_many(shown).arms.tolist() == arms
    assert contents(one) == contents(many)
