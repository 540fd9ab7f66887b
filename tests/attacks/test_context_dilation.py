"""ContextDilation lengthens the contexts of good arms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from property.laws import PLAIN, WILD, deal_rounds, law, played, trace
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.verbs import MEMO, choose

ENVIRONMENTS = pytest.mark.parametrize(
    "environment", [WILD, PLAIN], ids=["intercept", "no intercept"]
)
ROUNDS = 200


def lengths(contexts: np.ndarray) -> np.ndarray:
    return np.sqrt((contexts**2).sum(axis=1))


def free(contexts: np.ndarray, environment) -> np.ndarray:
    """Return the coordinates that may change."""
    return contexts[:, :-1] if environment.intercept else contexts


@ENVIRONMENTS
def test_at_most_one_context_changes_in_a_round(environment):
    game = trace(rb.attacks.ContextDilation(math.inf), environment=environment, rounds=ROUNDS)
    changed = (game.shown != game.dealt).any(axis=1)
    assert set(changed.sum(axis=1).tolist()) == {0, 1}


@ENVIRONMENTS
@pytest.mark.parametrize("which", ["chosen", "every"])
def test_contexts_become_longer_and_keep_their_direction(environment, which):
    attack = rb.attacks.ContextDilation(math.inf, which=which, factor=1.5)
    game = trace(attack, environment=environment, rounds=ROUNDS)
    before, after = free(game.dealt, environment), free(game.shown, environment)
    ratio = lengths(after) / lengths(before)
    assert (ratio >= 1.0 - 1e-12).all()
    assert (ratio <= 1.5 + 1e-12).all()
    np.testing.assert_allclose(after, before * ratio[:, None, :], atol=1e-14)


@ENVIRONMENTS
def test_contexts_grow_by_the_factor_or_as_far_as_the_bound_allows(environment):
    attack = rb.attacks.ContextDilation(math.inf, which="every", top=1.0, factor=1.5)
    game = trace(attack, environment=environment, rounds=ROUNDS)
    before, after = free(game.dealt, environment), free(game.shown, environment)
    limit = math.sqrt(0.5) if environment.intercept else 1.0
    wanted = np.minimum(1.5, limit / lengths(before))
    np.testing.assert_allclose(lengths(after) / lengths(before), wanted, rtol=1e-12)
    assert (wanted < 1.5).any()
    assert (wanted == 1.5).any()


@ENVIRONMENTS
def test_the_arm_about_to_be_chosen_is_changed_if_it_is_good(environment):
    problem, block = deal_rounds(environment, ROUNDS)
    # Play round by round, to ask the policy in the state before each round.
    attack = rb.attacks.ContextDilation(math.inf)
    game = trace(attack, environment=environment, rounds=ROUNDS)
    policy = rb.policies.LinUCB().start(problem)
    rng = np.random.default_rng(0)
    for t in range(ROUNDS):
        arm = choose(policy, block.contexts[t].copy(), rng, np.zeros(MEMO))
        good = (block.means[t] > block.means[t, arm]).sum() < 2
        changed = np.flatnonzero((game.shown[t] != block.contexts[t]).any(axis=0))
        assert changed.tolist() == ([arm] if good else [])
        policy.learn(game.arms[t], game.taught[t], game.seen[t], np.zeros(MEMO), rng)


def test_which_every_changes_all_good_arms_and_no_other():
    attack = rb.attacks.ContextDilation(math.inf, which="every")
    game = trace(attack, rounds=ROUNDS)
    rank = (game.means[:, None, :] > game.means[:, :, None]).sum(axis=2)
    changed = (game.shown != game.dealt).any(axis=1)
    assert (changed == (rank < 2)).all()


def test_a_context_at_the_bound_is_not_changed():
    problem, block = deal_rounds(PLAIN, 20)
    long = block.contexts / lengths(block.contexts)[:, None, :] * (1.0 + 1e-9)
    attack = rb.attacks.ContextDilation(math.inf, top=1.0)
    game = played(problem, block._replace(contexts=long), attack, rb.policies.LinUCB())
    assert not game.purse.account.any()


def test_a_zero_context_is_not_changed():
    problem, block = deal_rounds(PLAIN, 20)
    block = block._replace(contexts=np.zeros_like(block.contexts))
    attack = rb.attacks.ContextDilation(math.inf, top=1.0)
    game = played(problem, block, attack, rb.policies.LinUCB())
    assert not game.purse.account.any()


@law
@given(budget=st.floats(1e-3, 0.05), seed=st.integers(0, 20))
def test_a_truncated_change_adds_exactly_what_is_left_to_the_length(budget, seed):
    attack = rb.attacks.ContextDilation(budget, top=1.0)
    game = trace(attack, environment=PLAIN, rounds=30, seed=seed)
    assert game.spent[-1] == budget
    longer = (lengths(game.shown) - lengths(game.dealt)).sum()
    assert longer == pytest.approx(budget, rel=1e-9)


@pytest.mark.skipif(jit_is_on, reason="would compile one more policy; plain Python plays it too")
def test_a_randomized_policy_is_asked_with_the_attacks_own_random_numbers():
    game = trace(rb.attacks.ContextDilation(math.inf, top=1.0), rb.policies.LinTS())
    changed = (game.shown != game.dealt).any(axis=1).argmax(axis=1)
    assert 0.0 < (changed == game.arms).mean() < 1.0
