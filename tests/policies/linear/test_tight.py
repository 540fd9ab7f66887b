"""The tight bonus: C·h(x), where h(x) is the largest |x V⁻¹ x_s| over the learned contexts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from catalogue import compile_few
from reference.playing import (
    agent_for,
    assert_same_play,
    block_of,
    play,
    ridge_of,
    same_bits,
    state_of,
    tell,
)
from robustbandits.agent.file_contents import state_arrays
from robustbandits.checks import check_policy
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.verbs import MEMO
from robustbandits.policies import LinUCB, RobustBandit, RobustLinUCB

#: Compiling these policies takes seconds each.
WITH_BONUS = ["RobustLinUCB", "BOBNoRestart", "RobustBandit", "SharedGrid", "OracleLinUCB"]


def tight(name):
    required = {"budget": 5.0} if name == "RobustLinUCB" else {}
    return getattr(rb.policies, name)(bonus="tight", **required)


def learn(state, arm, context, reward=0.5):
    state.learn(arm, np.array(context, dtype=float), reward, np.zeros(MEMO), None)


def harms(state, contexts):
    """Return h for each column of the contexts: the bonus per unit of the budget, without β‖x‖."""
    found = []
    for level in (0.0, 1.0):
        means, bonuses = np.empty((2, contexts.shape[1]))
        state._replace(level=level).score(contexts, np.zeros(MEMO), means, bonuses)
        found.append(bonuses)
    return found[1] - found[0]


def brute_force(state, contexts, learned):
    """Return the largest |x V⁻¹ x_s| for each column x, over all learned contexts."""
    inverse = np.linalg.inv(state.optimist.ridge.gram)
    return abs(np.array(learned) @ inverse @ contexts).max(axis=0)


def random_contexts(dim, arms, seed):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((dim, arms))
    return contexts / np.linalg.norm(contexts, axis=0) * rng.uniform(0.1, 1.0, arms), rng


def started(contexts, fixed, **options):
    dim, arms = contexts.shape
    return RobustLinUCB(1.0, **options).start(Problem(arms=arms, dim=dim, fixed_arms=fixed))


sizes = (st.integers(1, 6), st.integers(1, 40), st.integers(0, 2**32 - 1))


@settings(deadline=None, max_examples=60)
@given(*sizes, st.booleans() | st.none())
def test_h_equals_a_brute_force_maximum_on_a_catalogue(dim, arms, seed, fixed):
    contexts, rng = random_contexts(dim, arms, seed)
    state, learned = started(contexts, fixed), []
    assert np.array_equal(harms(state, contexts), np.zeros(arms))
    for arm in rng.integers(0, arms, 30):
        learn(state, arm, contexts[:, arm])
        learned.append(contexts[:, arm])
        expected = brute_force(state, contexts, learned)
        np.testing.assert_allclose(harms(state, contexts), expected, rtol=1e-7, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(*sizes, st.booleans() | st.none())
def test_h_is_a_bound_if_contexts_change_and_at_most_that_by_the_longest(dim, arms, seed, fixed):
    state, learned = started(np.empty((dim, arms)), fixed), []
    rng = np.random.default_rng(seed)
    for _ in range(25):
        contexts, _ = random_contexts(dim, arms, rng.integers(2**32))
        arm = rng.integers(arms)
        learn(state, arm, contexts[:, arm])
        learned.append(contexts[:, arm])
        found = harms(state, contexts)
        assert (found >= brute_force(state, contexts, learned) * (1 - 1e-9) - 1e-9).all()
        images = np.linalg.solve(state.optimist.ridge.gram, contexts)
        longest = np.linalg.norm(learned, axis=1).max()
        assert (found <= longest * np.linalg.norm(images, axis=0) + 1e-9).all()


def test_on_a_fixed_catalogue_a_moved_context_is_added_to_the_known_ones():
    contexts, _ = random_contexts(4, 6, 0)
    state = started(contexts, True)
    learned = [contexts[:, arm] for arm in range(6)]
    for arm, context in enumerate(learned):
        learn(state, arm, context)
    moved = 0.5 * contexts[:, 2] + 0.1
    learn(state, 2, moved)
    expected = brute_force(state, contexts, [*learned, moved])
    np.testing.assert_allclose(harms(state, contexts), expected, rtol=1e-9)


def test_on_unknown_arms_the_first_change_makes_a_ball_of_all_contexts():
    contexts = np.eye(3)
    state = started(contexts, None)
    learn(state, 0, contexts[0])
    learn(state, 1, contexts[1])
    assert state.optimist.learned.reach[0] == -1.0
    learn(state, 0, contexts[1])  # a ball with the diameter from e0 to e1
    learned = state.optimist.learned
    np.testing.assert_allclose(learned.center, [0.5, 0.5, 0.0])
    np.testing.assert_allclose(learned.reach, [np.sqrt(0.5), 1.0])
    assert not learned.known.any()
    images = np.linalg.inv(state.optimist.ridge.gram) @ contexts
    lengths = np.linalg.norm(images, axis=0)
    expected = np.minimum(abs(learned.center @ images) + np.sqrt(0.5) * lengths, lengths)
    np.testing.assert_allclose(harms(state, contexts), expected, rtol=1e-9)


def test_an_agent_with_more_arms_than_it_was_told_still_has_a_bound():
    agent = rb.Agent(RobustLinUCB(1.0), arms=2, dim=3, seed=0)
    contexts, _ = random_contexts(3, 5, 1)
    learned = []
    for _ in range(40):
        decision = agent.choose(contexts.T)
        agent.learn(decision, 0.5)
        learned.append(contexts[:, decision.arm])
    found = harms(state_of(agent), contexts)
    assert (found >= brute_force(state_of(agent), contexts, learned) * (1 - 1e-9)).all()


@pytest.mark.parametrize("contexts", ["fixed", "fresh"])
def test_tight_is_the_default_of_robust_linucb(contexts):
    block = block_of(300, arms=8, dim=4, contexts=contexts)
    assert_same_play(block, RobustLinUCB(5.0), RobustLinUCB(5.0, bonus="tight"))


def test_on_a_ball_the_default_of_robust_linucb_is_l2():
    agents = [
        rb.Agent(RobustLinUCB(5.0, bonus=bonus), arms="ball", dim=3, seed=0)
        for bonus in (None, "l2")
    ]
    for agent in agents:
        for _ in range(50):
            decision = agent.choose()
            agent.learn(decision, 0.5 * decision.context[0])
    assert same_bits(*map(ridge_of, agents))


@pytest.mark.parametrize("name", ["RobustLinUCB", "BOBNoRestart", "RobustBandit", "OracleLinUCB"])
def test_tight_bonus_refuses_infinitely_many_arms_with_advice(name):
    problem = Problem(arms=1, dim=3, rounds=100, infinite=True, fixed_arms=False)
    with pytest.raises(UnsupportedProblem, match=r"bonus='tight' needs a list.*use bonus='l2'"):
        tight(name).start(problem)


@pytest.mark.parametrize("contexts", ["fixed", "fresh"])
@pytest.mark.parametrize("name", compile_few(WITH_BONUS, ["RobustLinUCB"]))
def test_policy_with_the_tight_bonus_keeps_its_contract(name, contexts):
    check_policy(tight(name), rb.environments.Simulation(arms=5, dim=3, contexts=contexts))


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_other_bonuses_keep_the_layout_of_their_agent_files(bonus):
    problem = Problem(arms=3, dim=2)
    states = RobustLinUCB(5.0, bonus=bonus).start(problem), LinUCB().start(problem)
    names, expected = ([name for name, _ in state_arrays(state)] for state in states)
    assert names == expected
    assert not any("learned" in name for name in names)


def test_saved_agent_with_the_tight_bonus_continues_with_the_same_choices(tmp_path):
    block = block_of(400, arms=6, dim=3, contexts="fixed")
    agent = agent_for(RobustLinUCB(20.0), block)
    play(agent, block)
    agent.save(tmp_path / "agent.rb")
    again = rb.Agent.load(tmp_path / "agent.rb")
    assert same_bits(state_of(agent), state_of(again))
    assert play(agent, block) == play(again, block)


def test_a_restart_forgets_the_learned_contexts():
    agent = rb.Agent(
        RobustBandit(candidates=[4.0], epoch=3, bonus="tight"), arms=1, dim=2, rounds=100
    )
    fresh = {name: array.copy() for name, array in state_arrays(state_of(agent).optimist)}
    for x in ([1.0, 0.0], [0.0, 1.0]):  # the context changes, so a ball is made
        tell(agent, np.array(x), 0.5)
    assert state_of(agent).optimist.learned.reach[0] > 0.0
    tell(agent, np.array([0.6, 0.0]), 0.5)
    for name, array in state_arrays(state_of(agent).optimist):
        assert np.array_equal(array, fresh[name]), name


@settings(deadline=None, max_examples=30)
@given(*sizes)
def test_tight_bonus_is_at_most_the_l1_bonus_on_a_catalogue(dim, arms, seed):
    # |x V⁻¹ x_s| <= ‖x‖ ‖x_s‖, and no learned context is longer than 1 in the norm of V⁻¹.
    contexts, rng = random_contexts(dim, arms, seed)
    state = started(contexts, True)
    for arm in rng.integers(0, arms, 20):
        learn(state, arm, contexts[:, arm])
        inverse = np.linalg.inv(state.optimist.ridge.gram)
        widths = np.sqrt(np.einsum("ia,ij,ja->a", contexts, inverse, contexts))
        assert (harms(state, contexts) <= widths * (1 + 1e-9) + 1e-9).all()
