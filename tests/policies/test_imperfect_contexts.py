"""MaxMinUCB and MinWD: contexts that are known only up to an error."""

import numpy as np
import pytest

import robustbandits as rb
from reference import twins_window
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from reference.twins import Bounds
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, memo_size
from robustbandits.policies import LinUCB, MaxMinUCB, MinWD
from robustbandits.policies.linear._enclosure import ARM, LENGTH, PLACE
from robustbandits.policies.linear._imperfect import appraise, ball_of

pytestmark = [pytest.mark.slow] if jit_is_on else []

BOTH = [MaxMinUCB, MinWD]


def rounds_of(count, **options):
    return block_of(count, intercept=False, **options)


def assert_best(kind, error, dim, arms, rounds, contexts=None, **options):
    """Each arm played has the twin's largest value."""
    block = rounds_of(rounds, arms=arms, dim=dim, seed=dim)
    agent = agent_for(kind(error=error, **options), block)
    bounds = Bounds(arms, dim, rounds)
    rng = np.random.default_rng(0)
    twin = twins_window.Imperfect(bounds, rng, error=error, degradation=kind is MinWD, **options)
    for t in range(rounds):
        rows = block.contexts[t].T if contexts is None else contexts
        decision = agent.choose(rows)
        values = twin.values(rows)
        assert values[decision.arm] >= values.max() - 1e-5, f"round {t}"
        # The twin's SLSQP and our own steps may both stop a little early.
        np.testing.assert_allclose(decision.scores, values, atol=1e-4)
        reward = block.means[t, decision.arm] + block.noise[t]
        agent.learn(decision, reward)
        twin.learn(rows[decision.arm], reward)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("dim", "arms", "error"), [(1, 3, 0.1), (3, 4, 0.05), (4, 5, 0.2)])
def test_arm_played_is_the_twins_best(kind, dim, arms, error):
    assert_best(kind, error, dim, arms, 25)


@pytest.mark.parametrize("kind", BOTH)
def test_arm_played_is_the_twins_best_on_fixed_arms(kind):
    contexts = np.random.default_rng(3).normal(size=(4, 3))
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    assert_best(kind, 0.2, 3, 4, 20, contexts, radius="det")


@pytest.mark.parametrize("kind", BOTH)
def test_error_changes_what_is_played(kind):
    block = rounds_of(60, arms=8, dim=3, contexts="fixed")
    cautious, naive = agent_for(kind(error=0.3), block), agent_for(LinUCB(), block)
    assert play(cautious, block) != play(naive, block)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("radius", ["trace", "det"])
@pytest.mark.parametrize("ties", ["random", "first"])
def test_without_error_it_is_linucb(kind, radius, ties):
    block = block_of(250, arms=8, dim=4)
    robust = agent_for(kind(error=0.0, radius=radius, ties=ties), block)
    linucb = agent_for(LinUCB(radius=radius, ties=ties), block)
    assert play(robust, block) == play(linucb, block)
    assert same_bits(ridge_of(robust), ridge_of(linucb))


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("error", [0.0, 0.2])
def test_equal_arms_share_the_chance(kind, error):
    contexts = np.repeat(np.eye(3), 2, axis=0)
    agent = rb.Agent(kind(error=error), arms=6, dim=3, reward_range=(-9.0, 9.0), seed=0)
    luck = np.random.default_rng(0).normal(0.0, 0.3, 60)
    for t in range(60):
        chances = agent.scores(contexts).probabilities
        assert chances.sum() == pytest.approx(1.0)
        assert np.array_equal(chances[0::2], chances[1::2])
        decision = agent.choose(contexts)
        assert chances[decision.arm] > 0.0
        agent.learn(decision, luck[t])


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("contexts", ["fresh", "fixed"])
def test_short_cuts_play_the_arm_that_all_values_ask_for(kind, contexts):
    # `decide` rules arms out by bounds; worked out in full, the same arm must be the best.
    block = rounds_of(300, arms=7, dim=3, contexts=contexts)
    fixed = contexts == "fixed"
    state = kind(error=0.15).start(Problem(arms=7, dim=3, rounds=300, fixed_arms=fixed))
    rng = np.random.default_rng(0)
    values = np.empty(7)
    searched = 0
    for t in range(300):
        memo = np.zeros(memo_size(state))
        arm = state.choose(block.contexts[t], rng, memo)
        appraise(ball_of(state), block.contexts[t], state.places, values)
        assert values[arm] == pytest.approx(values.max(), rel=1e-9), f"round {t}"
        searched += memo[ARM] > 0
        context = block.contexts[t][:, arm].copy()
        state.learn(arm, context, block.means[t, arm] + block.noise[t], memo, rng)
    # Both ways were gone; where arms change, there is no room to note it.
    assert 0 < searched < 300 if fixed else searched == 0
    assert bool(state.places.found.any()) == fixed


@pytest.mark.parametrize("kind", BOTH)
def test_places_change_how_long_it_takes_and_not_what_is_played(kind):
    block = rounds_of(400, arms=6, dim=3, contexts="fixed")
    played = []
    for fixed in (True, False):
        state = kind(error=0.1).start(Problem(arms=6, dim=3, rounds=400, fixed_arms=fixed))
        rng, arms = np.random.default_rng(0), []
        for t in range(400):
            memo = np.zeros(memo_size(state))
            arms.append(state.choose(block.contexts[t], rng, memo))
            context = block.contexts[t][:, arms[-1]].copy()
            state.learn(arms[-1], context, block.means[t, arms[-1]], memo, rng)
        played.append(arms)
    assert played[0] == played[1]


def catalogue_state(kind, arms=6, dim=3, rounds=400):
    return kind(error=0.3).start(Problem(arms=arms, dim=dim, rounds=rounds, fixed_arms=True))


@pytest.mark.parametrize("kind", BOTH)
def test_a_memo_that_has_no_room_gets_no_notes(kind):
    # An attacker who peeks brings a small one.
    block = rounds_of(100, arms=6, dim=3, contexts="fixed")
    state = catalogue_state(kind)
    rng = np.random.default_rng(0)
    noted = 0
    for t in range(100):
        memo, small = np.zeros(memo_size(state)), np.zeros(memo_size(state))
        arm = state.choose(block.contexts[t], rng, memo)
        assert state.choose(block.contexts[t], rng, small[:MEMO]) == arm
        assert not small.any()
        noted += memo.any()
        state.learn(arm, block.contexts[t][:, arm].copy(), block.means[t, arm], memo, rng)
    assert noted > 0


@pytest.mark.parametrize("kind", BOTH)
def test_what_was_noted_of_an_arm_is_remembered_whichever_was_played(kind):
    state = catalogue_state(kind)
    dim = 3
    memo = np.zeros(memo_size(state))
    assert len(memo) == (PLACE + dim) * (1 + (kind is MinWD))
    memo[[ARM, LENGTH]] = 5.0, 2.0
    memo[PLACE : PLACE + dim] = 0.1, -0.2, 0.05
    state.learn(1, np.array([0.5, 0.5, 0.0]), 0.3, memo, np.random.default_rng(0))
    assert state.places.lows[:, 4] == pytest.approx([0.1, -0.2, 0.05])
    assert state.places.found.tolist() == [[0, 0, 0, 0, 1, 0], [0] * 6]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("number", [-3.0, 0.0, 0.5, 7.0, 1e300, -1e300, np.inf, np.nan])
def test_a_note_about_an_arm_that_does_not_exist_is_not_believed(kind, number):
    state = catalogue_state(kind)
    memo = np.full(memo_size(state), number)
    state.learn(0, np.array([0.5, 0.5, 0.0]), 0.3, memo, np.random.default_rng(0))
    assert not state.places.found.any()


@pytest.mark.parametrize("kind", BOTH)
def test_searches_become_rare_on_a_catalogue(kind):
    block = rounds_of(1500, arms=8, dim=4, contexts="fixed")
    state = kind(error=0.2).start(Problem(arms=8, dim=4, rounds=1500, fixed_arms=True))
    rng = np.random.default_rng(0)
    steps = np.zeros(1500)
    for t in range(1500):
        memo = np.zeros(memo_size(state))
        arm = state.choose(block.contexts[t], rng, memo)
        steps[t] = memo[LENGTH]
        reward = block.means[t, arm] + block.noise[t]
        state.learn(arm, block.contexts[t][:, arm].copy(), reward, memo, rng)
    assert steps[:100].mean() > 2 * steps[-500:].mean()
    assert steps[-500:].mean() < 1.0


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_of_arms_that_are_equally_safe_the_one_that_may_be_best_is_played(order):
    # Every ball holds the origin, so every U⁻ is 0; the longest arm has the largest U⁺.
    rows = np.array([[0.0, 0.09], [0.05, 0.0], [0.02, 0.01]])[list(order)]
    agent = rb.Agent(MinWD(), arms=3, dim=2, seed=0)
    longest = order.index(0)
    scores = agent.scores(rows)
    assert int(np.argmax(scores.means + scores.bonuses)) == longest
    assert scores.probabilities.tolist() == [float(a == longest) for a in range(3)]
    assert {agent.choose(rows).arm for _ in range(10)} == {longest}


def test_one_arm_cannot_degrade():
    agent = rb.Agent(MinWD(), arms=1, dim=2)
    decision = agent.choose([[0.5, 0.5]])
    assert decision.arm == 0
    assert decision.scores == pytest.approx([0.0], abs=1e-15)


@pytest.mark.parametrize("kind", BOTH)
def test_one_arm_is_played_without_a_search(kind):
    state = kind().start(Problem(arms=1, dim=3, fixed_arms=True))
    memo = np.zeros(memo_size(state))
    assert state.choose(np.full((3, 1), 0.5), np.random.default_rng(0), memo) == 0
    assert not memo.any()


@pytest.mark.parametrize("kind", BOTH)
def test_arms_of_nothing_but_zeros_and_a_ball_around_the_origin(kind):
    agent = rb.Agent(kind(error=0.5), arms=3, dim=2, seed=1)
    for rows in ([[0.0, 0.0]] * 3, [[0.1, 0.0], [0.0, 0.1], [0.0, 0.0]]):
        for _ in range(5):
            decision = agent.choose(rows)
            assert np.isfinite(decision.scores).all()
            agent.learn(decision, 0.4)


def test_worst_value_falls_and_degradation_grows_with_the_error():
    block = rounds_of(30, arms=5, dim=3)
    agents = {
        (kind, error): agent_for(kind(error=error), block)
        for kind in BOTH
        for error in (0.0, 0.05, 0.2)
    }
    for agent in agents.values():  # all learn the same
        for t in range(30):
            decision = agent.choose(block.contexts[t].T)
            context = block.contexts[t][:, t % 5].copy()
            agent._state.learn(t % 5, context, block.means[t, t % 5], np.zeros(4), agent._rng)
            assert decision.arm < 5
    rows = block.contexts[0].T
    for kind in BOTH:
        scores = [agents[kind, error].scores(rows) for error in (0.0, 0.05, 0.2)]
        totals = [one.means + one.bonuses for one in scores]
        assert (totals[0] >= totals[1]).all()
        assert (totals[1] > totals[2]).all()


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"error": -0.1}, ValueError, r"error must be >= 0, got -0\.1"),
        ({"error": "small"}, TypeError, "error must be a number, got 'small'"),
        ({"error": float("inf")}, ValueError, "error must be finite, got inf"),
        ({"delta": 0}, ValueError, "delta must be between 0 and 1"),
    ],
)
def test_bad_parameter_is_named(kind, parameters, error, words):
    with pytest.raises(error, match=words):
        kind(**parameters)


def test_both_share_a_state_type():
    problem = Problem(arms=3, dim=2)
    assert type(MaxMinUCB().start(problem)) is type(MinWD().start(problem))
