"""MaxMinUCB and MinWD: contexts that are known only up to an error."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from agent.files import pack, unpack
from reference import twins_window
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from reference.twins import Bounds
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO
from robustbandits.policies import LinUCB, MaxMinUCB, MinWD
from robustbandits.policies.linear._linear import width_factor

pytestmark = [pytest.mark.slow] if jit_is_on else []

BOTH = pytest.mark.parametrize("kind", [MaxMinUCB, MinWD])


def rounds_of(count, **options):
    return block_of(count, intercept=False, **options)


def values_of(agent, rows):
    """Return what the policy maximises."""
    scores = agent.scores(rows)
    return scores.means + scores.bonuses


# ------------------------------------------------------------------------- against the slow twin


def assert_best(kind, error, block, rows=None, **options):
    """Each arm played has the twin's largest value, and all values are those of the twin."""
    rounds, dim, arms = block.contexts.shape
    agent = agent_for(kind(error=error, **options), block)
    twin = twins_window.Imperfect(
        Bounds(arms, dim, rounds), None, error=error, degradation=kind is MinWD, **options
    )
    for t in range(rounds):
        shown = block.contexts[t].T if rows is None else rows
        decision = agent.choose(shown)
        values = twin.values(shown)
        assert values[decision.arm] >= values.max() - 1e-6, f"round {t}"
        np.testing.assert_allclose(decision.scores, values, atol=1e-5)  # SLSQP stops a little early
        reward = block.means[t, decision.arm] + block.noise[t]
        agent.learn(decision, reward)
        twin.learn(shown[decision.arm], reward)


@BOTH
@pytest.mark.parametrize(("dim", "arms", "error"), [(1, 3, 0.1), (3, 4, 0.05), (4, 5, 0.2)])
def test_arm_played_is_the_best_of_the_twin(kind, dim, arms, error):
    assert_best(kind, error, rounds_of(20, arms=arms, dim=dim, seed=dim))


@BOTH
def test_arm_played_is_the_best_of_the_twin_on_a_catalogue(kind):
    rows = np.random.default_rng(3).normal(size=(4, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert_best(kind, 0.2, rounds_of(20, arms=4, dim=3), rows, radius="det")


# ----------------------------------------------------------------- against a search of the ball


def terms(state):
    """Return the radius of the balls, and the terms of the optimistic index."""
    ridge = state.optimist.ridge
    return state.error, ridge.theta, ridge.inverse, width_factor(state.optimist, 0.0)


def searched_values(state, contexts):
    lows, highs = (
        [twins_window.search_disc(x, *terms(state), sign) for x in contexts.T]
        for sign in (1.0, -1.0)
    )
    if not state.degradation:
        return np.array(lows)
    others = [np.delete(highs, a).max(initial=-np.inf) for a in range(len(highs))]
    return -np.maximum(0.0, np.array(others) - np.array(lows))


def shares_of(state, contexts):
    out = np.full(contexts.shape[1], np.nan)
    state.probability(contexts, np.full(MEMO, -1.0), out)
    return out


def scores_of(state, contexts):
    means, bonuses = np.full((2, contexts.shape[1]), np.nan)
    state.score(contexts, np.full(MEMO, -1.0), means, bonuses)
    return means + bonuses


def hard_state(kind, rng, error):
    """Return a state in two dimensions that knows one direction much better than the other."""
    recipe = kind(error=error, ridge=10.0 ** rng.uniform(-4, 0), sigma=10.0 ** rng.uniform(-3, 0))
    state = recipe.start(Problem(arms=5, dim=2, rounds=1000))
    axis, theta = rng.normal(size=(2, 2))
    theta *= rng.choice([0.0, 1.0])
    for _ in range(rng.choice([0, 1, 30, 1000])):
        x = axis / np.linalg.norm(axis) + 10.0 ** rng.uniform(-6, 0) * rng.normal(size=2)
        x /= max(1.0, np.linalg.norm(x))
        state.learn(0, x, float(x @ theta + 0.1 * rng.normal()), np.zeros(MEMO), rng)
    return state


@BOTH
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    error=st.sampled_from([1e-12, 1e-3, 0.1, 0.5, 1.0, 3.0]),
    oddity=st.sampled_from(["none", "one arm of zeros", "all arms equal", "nearly equal arms"]),
)
def test_arm_played_is_the_best_of_a_search_of_every_ball(kind, seed, error, oddity):
    rng = np.random.default_rng(seed)
    state = hard_state(kind, rng, error)
    contexts = rng.normal(size=(2, 5))
    contexts *= rng.choice([1e-3, 0.5, 1.0]) / np.linalg.norm(contexts, axis=0)
    if oddity == "one arm of zeros":
        contexts[:, 2] = 0.0
    elif oddity == "all arms equal":
        contexts[:] = contexts[:, :1]
    elif oddity == "nearly equal arms":
        contexts = contexts[:, :1] + 1e-9 * contexts
    expected = searched_values(state, contexts)
    _, theta, inverse, factor = terms(state)
    change = error * (np.linalg.norm(theta) + factor * math.sqrt(np.linalg.norm(inverse, 2)))
    indices = twins_window.bound(contexts.T, theta, inverse, factor)
    tolerance = 1e-7 * change + 1e-9 * np.abs(indices).max()
    np.testing.assert_allclose(scores_of(state, contexts), expected, atol=tolerance)
    arm = state.choose(contexts, rng, np.zeros(MEMO))
    assert expected[arm] >= expected.max() - tolerance
    shares = shares_of(state, contexts)
    assert shares[arm] > 0.0
    assert shares.sum() == pytest.approx(1.0)
    if oddity == "all arms equal":
        assert shares.tolist() == [0.2] * 5


@BOTH
@pytest.mark.parametrize("contexts", ["fresh", "fixed"])
def test_arms_that_are_ruled_out_early_are_not_the_best(kind, contexts):
    # `choose` works out only some values in full, `score` all of them.
    block = rounds_of(200, arms=7, dim=3, contexts=contexts)
    state = kind(error=0.15).start(Problem(arms=7, dim=3, rounds=200))
    rng = np.random.default_rng(0)
    for t in range(200):
        arm = state.choose(block.contexts[t], rng, np.zeros(MEMO))
        values = scores_of(state, block.contexts[t])
        assert values[arm] == pytest.approx(values.max(), rel=1e-12), f"round {t}"
        context, reward = block.contexts[t][:, arm].copy(), block.means[t, arm] + block.noise[t]
        state.learn(arm, context, reward, np.zeros(MEMO), rng)


# -------------------------------------------------------------------------- special cases, by hand


@BOTH
@pytest.mark.parametrize("radius", ["trace", "det"])
@pytest.mark.parametrize("ties", ["random", "first"])
def test_without_error_it_is_linucb(kind, radius, ties):
    block = block_of(250, arms=8, dim=4)
    robust = agent_for(kind(error=0.0, radius=radius, ties=ties), block)
    linucb = agent_for(LinUCB(radius=radius, ties=ties), block)
    assert play(robust, block) == play(linucb, block)
    assert same_bits(ridge_of(robust), ridge_of(linucb))
    rows = block.contexts[0].T
    assert np.array_equal(robust.scores(rows).probabilities, linucb.scores(rows).probabilities)


@BOTH
def test_error_changes_what_is_played(kind):
    block = rounds_of(60, arms=8, dim=3, contexts="fixed")
    cautious, naive = agent_for(kind(error=0.3), block), agent_for(LinUCB(), block)
    assert play(cautious, block) != play(naive, block)


@BOTH
@pytest.mark.parametrize("error", [0.0, 0.2])
def test_equal_arms_share_the_chance(kind, error):
    rows = np.repeat(np.eye(3), 2, axis=0)
    agent = rb.Agent(kind(error=error), arms=6, dim=3, reward_range=(-9.0, 9.0), seed=0)
    rewards = np.random.default_rng(0).normal(0.0, 0.3, 60)
    played = set()
    for reward in rewards:
        probabilities = agent.scores(rows).probabilities
        assert probabilities.sum() == pytest.approx(1.0)
        assert np.array_equal(probabilities[0::2], probabilities[1::2])
        decision = agent.choose(rows)
        assert probabilities[decision.arm] > 0.0
        played.add(decision.arm)
        agent.learn(decision, reward)
    assert len(played) == 6


def test_ties_go_to_the_first_arm_if_asked_for():
    agent = rb.Agent(MinWD(ties="first"), arms=4, dim=2, seed=0)
    rows = [[0.3, 0.1], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    assert agent.scores(rows).probabilities.tolist() == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_minwd_plays_the_arm_that_may_be_best_if_all_are_equally_safe(order):
    # Every ball holds the origin, so every smallest index is 0; the longest arm has the largest.
    rows = np.array([[0.0, 0.09], [0.05, 0.0], [0.02, 0.01]])[list(order)]
    agent = rb.Agent(MinWD(), arms=3, dim=2, seed=0)
    longest = order.index(0)
    assert int(np.argmax(values_of(agent, rows))) == longest
    assert agent.scores(rows).probabilities.tolist() == [float(a == longest) for a in range(3)]
    assert {agent.choose(rows).arm for _ in range(10)} == {longest}


@BOTH
def test_arm_of_zeros_is_not_taken_for_safe(kind):
    # Once theta is well known, the index is negative on one side of the origin.
    contexts, theta = np.array([[0.0, 0.1, 0.0], [0.0, 0.0, 0.15]]), np.array([0.5, -1.0])
    state = kind(error=0.2, ridge=0.001, sigma=0.01).start(Problem(arms=3, dim=2, rounds=3000))
    rng = np.random.default_rng(0)
    for t in range(60):
        reward = contexts[:, t % 3] @ theta + 0.01 * rng.normal()
        state.learn(t % 3, contexts[:, t % 3].copy(), reward, np.zeros(MEMO), rng)
    expected = searched_values(state, contexts)
    assert twins_window.search_disc(contexts[:, 0], *terms(state), 1.0) < -0.1
    arm = state.choose(contexts, rng, np.zeros(MEMO))
    assert arm == int(np.argmax(expected))
    assert arm != 0


def test_one_arm_cannot_degrade():
    decision = rb.Agent(MinWD(), arms=1, dim=2).choose([[0.5, 0.5]])
    assert decision.arm == 0
    assert decision.scores == pytest.approx([0.0], abs=1e-15)


@BOTH
def test_smallest_index_falls_and_degradation_grows_with_the_error(kind):
    block = rounds_of(30, arms=5, dim=3)
    agents = [agent_for(kind(error=error), block) for error in (0.0, 0.05, 0.2)]
    for t in range(30):  # all learn the same: one arm is shown
        row = block.contexts[t][:, t % 5][None, :]
        for agent in agents:
            agent.learn(agent.choose(row), block.means[t, t % 5])
    small, middle, large = (values_of(agent, block.contexts[0].T) for agent in agents)
    assert (small >= middle).all()
    assert (middle > large).all()


@BOTH
@pytest.mark.parametrize(
    ("error", "kind_of_error", "words"),
    [
        (-0.1, ValueError, r"error must be >= 0, got -0\.1"),
        ("small", TypeError, "error must be a number, got 'small'"),
        (math.inf, ValueError, "error must be finite, got inf"),
    ],
)
def test_bad_error_is_refused(kind, error, kind_of_error, words):
    with pytest.raises(kind_of_error, match=words):
        kind(error=error)


def test_both_share_a_state_type_so_that_it_is_compiled_once():
    problem = Problem(arms=3, dim=2)
    assert type(MaxMinUCB().start(problem)) is type(MinWD().start(problem))


# ---------------------------------------------------------------------------- older agent files


def to_old_layout(data, memo):
    """Return an agent file as versions wrote it that remembered where searches ended."""
    header, arrays = unpack(data)
    rows, dim = arrays.pop("pending"), len(arrays["state.optimist.ridge.theta"])
    highs = int(header["policy"]["name"] == "MinWD")
    arrays["state.places.lows"] = np.full((dim, 1), -0.03)
    arrays["state.places.highs"] = np.full((dim, highs), 0.03)
    arrays["state.places.found"] = np.zeros((2, 0))
    arrays["state.stretch"] = np.array([10.0, 4.0])
    notes = np.full((len(rows), memo), 1.0)
    arrays["pending"] = np.hstack([rows[:, :2], notes, rows[:, 2 + MEMO :]])
    return pack(header, arrays)


@BOTH
@pytest.mark.parametrize("memo", [MEMO, 9])
def test_agent_file_of_the_old_layout_goes_on(kind, memo, tmp_path):
    block = rounds_of(40, arms=4, dim=3)
    agent = agent_for(kind(), block)
    play(agent, block)
    waiting = [agent.choose(block.contexts[t].T) for t in range(2)]
    path = tmp_path / "agent.rb"
    agent.save(path)
    path.write_bytes(to_old_layout(path.read_bytes(), memo))
    loaded = rb.Agent.load(path)
    assert loaded.pending == 2
    for player in (agent, loaded):
        player.learn(waiting[1].id, 0.4)
        player.learn(waiting[0].id, 0.7)
    assert play(loaded, block) == play(agent, block)
    assert same_bits(ridge_of(loaded), ridge_of(agent))


def test_recorded_file_of_the_old_layout_goes_on(tmp_path):
    path = Path(__file__).with_name("min-wd-with-places.rb")
    _, arrays = unpack(path.read_bytes())
    agent = rb.Agent.load(path)
    assert agent.pending == 1
    assert np.array_equal(ridge_of(agent).theta, arrays["state.optimist.ridge.theta"])
    agent.learn(300, 0.5)
    agent.save(tmp_path / "again.rb")
    assert "state.stretch" not in unpack((tmp_path / "again.rb").read_bytes())[1]
    again = rb.Agent.load(tmp_path / "again.rb")
    assert again.choose(np.eye(5, 4)).arm == agent.choose(np.eye(5, 4)).arm
