"""Agents that play all vectors of a ball."""

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import same_bits, state_of

THETA = np.array([0.3, -0.2, 0.1])


def ball_agent(policy=None, **options):
    settings = {"arms": "ball", "dim": 3, "rounds": 500, "offset": 0.5, **options}
    return rb.Agent(policy or rb.policies.LinUCB(), **settings)


def play(agent, rounds, rng):
    for _ in range(rounds):
        decision = agent.choose()
        agent.learn(decision, 0.5 + decision.context @ THETA + 0.05 * rng.standard_normal())


def test_vectors_approach_theta():
    agent = ball_agent(theta_bound=0.5)
    play(agent, 400, np.random.default_rng(0))
    x = agent.choose().context
    assert np.linalg.norm(x) == pytest.approx(1.0)
    assert x @ THETA > 0.9 * np.linalg.norm(THETA)


def test_vector_has_the_length_of_the_context_bound():
    assert np.linalg.norm(ball_agent(context_bound=2.5).choose().context) == pytest.approx(2.5)


def test_context_of_a_decision_is_a_copy():
    agent = ball_agent()
    decision = agent.choose()
    decision.context[:] = 7.0
    assert np.linalg.norm(decision.context) == pytest.approx(1.0)


def test_decision_from_a_list_has_the_context_of_its_arm():
    contexts = np.eye(3) * [[0.2], [0.3], [0.9]]
    decision = rb.Agent(rb.policies.LinUCB(), arms=3, dim=3).choose(contexts)
    assert decision.context.tolist() == contexts[decision.arm].tolist()


def test_score_of_a_vector_is_its_mean_plus_bonus_and_none_is_better_than_the_choice():
    agent = ball_agent()
    play(agent, 50, np.random.default_rng(1))
    decision = agent.choose()
    assert agent.score(decision.context) == pytest.approx(decision.score, rel=1e-12)
    scored = agent.scores([decision.context, np.zeros(3)])
    assert scored.scores[0] == agent.score(decision.context)
    assert scored.scores[1] == 0.0
    assert scored.probabilities is None
    assert decision.probability is None
    others = np.random.default_rng(2).normal(size=(2000, 3))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    assert agent.scores(others).scores.max() <= decision.score * (1 + 1e-12)


@pytest.mark.parametrize("vector", [[1.0, 0.0], [[1.0, 0.0, 0.0]], 1.0, [2.0, 0.0, 0.0]])
def test_score_of_a_bad_vector_is_an_error(vector):
    with pytest.raises(ValueError, match="context"):
        ball_agent().score(vector)


def test_score_of_an_agent_with_a_list():
    agent = rb.Agent(rb.policies.LinUCB(), arms=2, dim=2)
    assert agent.score([0.5, 0.0]) == agent.scores([[0.5, 0.0]]).scores[0]


def test_late_rewards_in_any_order_are_learned_with_their_vectors():
    agent = ball_agent(rb.policies.LinTS())
    decisions = [agent.choose() for _ in range(20)]
    V, b = 0.1 * np.eye(3), np.zeros(3)
    for decision in reversed(decisions):
        agent.learn(decision.id, 0.5 + decision.context @ THETA)
        V += np.outer(decision.context, decision.context)
        b += decision.context * (decision.context @ THETA)
    np.testing.assert_allclose(state_of(agent).ridge.theta, np.linalg.solve(V, b), rtol=1e-9)


@pytest.mark.parametrize("name", ["LinUCB", "BOBNoRestart", "RobustBandit"])
def test_saved_agent_continues_with_the_same_vectors(name, tmp_path):
    agent = ball_agent(getattr(rb.policies, name)())
    play(agent, 30, np.random.default_rng(3))
    late = agent.choose()
    agent.save(tmp_path / "agent.rb")
    again = rb.Agent.load(tmp_path / "agent.rb")
    assert again.problem == agent.problem
    for copy in (agent, again):
        copy.learn(late.id, 0.7)
        play(copy, 30, np.random.default_rng(4))
    assert agent.choose().context.tobytes() == again.choose().context.tobytes()
    assert same_bits(state_of(agent), state_of(again))


def test_offset_is_subtracted_before_learning_but_not_from_the_payment_of_exp3():
    whole, rest = (
        ball_agent(rb.policies.BOBNoRestart()),
        ball_agent(rb.policies.BOBNoRestart(), offset=0.0),
    )
    for agent, reward in ((whole, 0.9), (rest, 0.9 - 0.5)):
        agent.learn(agent.choose(), reward)
    np.testing.assert_array_equal(
        state_of(whole).optimist.ridge.theta, state_of(rest).optimist.ridge.theta
    )
    paid = [state_of(agent).exp3.log_weights.max() for agent in (whole, rest)]
    assert paid[0] == pytest.approx(paid[1] * 0.9 / 0.4)


def test_range_of_rewards_is_that_of_the_whole_reward():
    agent = ball_agent()
    decision = agent.choose()
    with pytest.raises(ValueError, match=r"reward must be .* got -0\.7"):
        agent.learn(decision, -0.7)
    agent.learn(decision, 1.0)


def test_contexts_are_given_exactly_if_the_arms_are_a_list():
    with pytest.raises(ValueError, match=r"contexts must not be given.*call choose\(\)"):
        ball_agent().choose(np.eye(3))
    with pytest.raises(ValueError, match="contexts must be numbers in an array"):
        rb.Agent(rb.policies.LinUCB(), arms=3, dim=3).choose()


def test_bad_arms_and_offset_are_errors():
    with pytest.raises(ValueError, match="arms must be a whole number or 'ball', got 'cube'"):
        ball_agent(arms="cube")
    with pytest.raises(ValueError, match=r"offset must be 0 unless arms='ball', got 0\.5"):
        ball_agent(arms=3)
    with pytest.raises(ValueError, match="offset must be"):
        ball_agent(offset=float("nan"))


def test_repr_names_the_ball():
    assert "arms='ball', dim=3" in repr(ball_agent())
