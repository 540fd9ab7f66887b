"""Scores: means, bonuses and probabilities of arms."""

import math

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import (
    DIM,
    OPTIMISTS,
    RECIPES,
    contents,
    draw_contexts,
    make_agent,
    trained_agent,
)


def shown(arms=5):
    return draw_contexts(np.random.default_rng(12345), arms)


@pytest.mark.parametrize("rounds", [0, 1, 50])
@pytest.mark.parametrize(("ridge", "sigma", "delta"), [(0.1, 0.1, 0.01), (2.0, 0.3, 0.2)])
def test_linucb_scores_follow_the_formula(rounds, ridge, sigma, delta):
    policy = rb.policies.LinUCB(ridge=ridge, sigma=sigma, delta=delta)
    agent = make_agent(policy, context_bound=1.5, theta_bound=2.0)
    gram, moment = ridge * np.eye(DIM), np.zeros(DIM)
    rng = np.random.default_rng(3)
    for _ in range(rounds):
        contexts, reward = draw_contexts(rng), float(rng.uniform(0, 1))
        decision = agent.choose(contexts)
        agent.learn(decision, reward)
        x = contexts[decision.arm]
        gram += np.outer(x, x)
        moment += reward * x
    contexts = shown()
    growth = 1 + (rounds + 1) * 1.5**2 / ridge
    radius = sigma * math.sqrt(DIM * math.log(growth / delta)) + math.sqrt(ridge) * 2.0
    inverse = np.linalg.inv(gram)
    widths = np.sqrt(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
    scores = agent.scores(contexts)
    np.testing.assert_allclose(scores.means, contexts @ inverse @ moment, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scores.bonuses, radius * widths, rtol=1e-11)


@pytest.mark.parametrize("name", RECIPES)
def test_scores_are_means_plus_bonuses(name):
    decision = trained_agent(name).choose(shown())
    assert decision.scores.shape == (5,)
    assert np.array_equal(decision.scores, decision.means + decision.bonuses)
    assert decision.score == decision.scores[decision.arm]
    assert np.isfinite(decision.scores).all()
    assert (decision.bonuses >= 0).all()


@pytest.mark.parametrize("name", OPTIMISTS)
def test_the_chosen_arm_has_the_largest_score(name):
    agent, rng = make_agent(name), np.random.default_rng(5)
    for _ in range(30):
        decision = agent.choose(draw_contexts(rng, 6))
        assert decision.score == decision.scores.max()
        agent.learn(decision, float(rng.uniform(0, 1)))


@pytest.mark.parametrize("name", ["LinUCB", "Greedy", "RobustLinUCB", "LinTS"])
def test_scores_are_those_of_the_next_decision(name):
    agent = trained_agent(name)
    before, decision = agent.scores(shown()), agent.choose(shown())
    assert before.means.tobytes() == decision.means.tobytes()
    assert before.bonuses.tobytes() == decision.bonuses.tobytes()


@pytest.mark.parametrize("name", RECIPES)
def test_scores_are_repeatable_and_change_nothing(name):
    agent = trained_agent(name)
    before = contents(agent)
    assert len({agent.scores(shown()).scores.tobytes() for _ in range(5)}) == 1
    assert contents(agent) == before


@pytest.mark.parametrize("arms", [1, 7, 13])
@pytest.mark.parametrize("name", RECIPES)
def test_the_score_of_an_arm_does_not_depend_on_other_arms(name, arms):
    agent, contexts = trained_agent(name), shown(arms)
    together = agent.scores(contexts).scores
    alone = [agent.scores(contexts[[a]]).scores[0] for a in range(arms)]
    assert together.tolist() == alone


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("rounds", [0, 40])
def test_probabilities_sum_to_one_where_defined(name, rounds):
    agent = trained_agent(name, rounds)
    before, decision = agent.scores(shown()), agent.choose(shown())
    if name == "LinTS":
        assert before.probabilities is None
        assert decision.probabilities is None
        assert decision.probability is None
        return
    assert before.probabilities.tobytes() == decision.probabilities.tobytes()
    assert abs(decision.probabilities.sum() - 1) < 1e-12
    assert (decision.probabilities >= 0).all()
    assert decision.probability == decision.probabilities[decision.arm] > 0


def frequencies(agent, contexts, count):
    chosen = [agent.choose(contexts).arm for _ in range(count)]
    return np.bincount(chosen, minlength=len(contexts)) / count


def agrees(agent, contexts, count):
    """Whether arms are chosen as often as expected; false by chance once in 10^7 times."""
    slack = math.sqrt(math.log(2 * len(contexts) / 1e-7) / (2 * count))  # Hoeffding, every arm
    expected = agent.scores(contexts).probabilities
    return np.abs(frequencies(agent, contexts, count) - expected).max() < slack


@pytest.mark.statistical
def test_arms_are_chosen_as_often_as_their_probabilities_say():
    policy = rb.policies.BOBNoRestart(candidates=(0.0, 0.3, 5.0), sigma=0.01, ridge=1.0)
    agent = make_agent(policy, theta_bound=0.01)
    for reward in np.random.default_rng(4).uniform(0.9, 1.0, 30):
        agent.learn(agent.choose([[1.0, 0.0, 0.0]]), reward)
    # The larger the guess, the larger the bonus of an unknown arm; the last two are equal.
    contexts = np.array([[0.5, 0.0, 0.0], [0.4, 0.6, 0.0], [0.0, 0.0, 0.9], [0.0, 0.0, 0.9]])
    expected = agent.scores(contexts).probabilities
    assert expected.min() > 0.1
    assert expected[2] == expected[3]
    assert agrees(agent, contexts, 6000)


@pytest.mark.statistical
@pytest.mark.parametrize("name", OPTIMISTS)
def test_equal_arms_share_probability_and_choices(name):
    contexts = np.tile(shown(1), (3, 1))
    agent = make_agent(name)
    np.testing.assert_allclose(agent.scores(contexts).probabilities, 1 / 3, rtol=1e-12)
    assert agrees(agent, contexts, 1500)


def test_ties_first_always_plays_the_first_of_equal_arms():
    agent = make_agent(rb.policies.LinUCB(ties="first"))
    decision = agent.choose(np.tile(shown(1), (3, 1)))
    assert decision.arm == 0
    assert decision.probabilities.tolist() == [1.0, 0.0, 0.0]


def test_a_decision_has_an_id_an_arm_and_a_score():
    agent = make_agent()
    decisions = [agent.choose(shown()) for _ in range(3)]
    assert type(decisions[0].arm) is int
    start = f"Decision(id='{decisions[0].id}', arm={decisions[0].arm}, score="
    assert repr(decisions[0]).startswith(start)
    assert repr(agent.scores(shown())).startswith("Scores(means=[0. ")
