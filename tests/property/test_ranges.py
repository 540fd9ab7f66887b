"""Ranges: whatever an attack wants, what the policy meets stays legal; and odd sizes just work."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from property.laws import (
    ATTACKERS,
    BUDGETS,
    PLAIN,
    WILD,
    Recorder,
    Scripted,
    attack_of,
    deal_rounds,
    law,
    make_attack,
    pairs,
    played,
    same_bits,
    trace,
    trace_rounds,
)
from property.laws import POLICIES as PLAYERS
from robustbandits.game.purse import BAD, SPENT
from robustbandits.game.rounds import deal

LINUCB = rb.policies.LinUCB()


@pytest.mark.parametrize("environment", [WILD, PLAIN], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("form", ATTACKERS)
def test_contexts_stay_inside_the_ball(form, environment):
    seen = trace(attack_of(form, 100.0), environment=environment)
    assert np.sqrt((seen.shown**2).sum(axis=1)).max() <= 1.0 + 1e-12


@pytest.mark.parametrize("form", ATTACKERS)
def test_rewards_stay_between_nature_and_the_legal_range(form):
    seen = trace(attack_of(form, 100.0))
    changed = seen.seen != seen.earned
    assert (seen.seen >= np.minimum(0.0, seen.earned)).all()
    assert (seen.seen <= np.maximum(1.0, seen.earned)).all()
    # With money left, a reward that was changed is inside [0, 1].
    paid = changed & (seen.spent < 100.0)
    assert ((seen.seen[paid] >= 0.0) & (seen.seen[paid] <= 1.0)).all()


def test_nature_itself_is_never_clipped():
    seen = trace(rb.attacks.NoAttack(), rounds=400)
    assert seen.earned.min() < 0.0
    assert seen.earned.max() > 1.0
    assert same_bits(seen.seen, seen.earned)


@pytest.mark.parametrize("form", ATTACKERS)
def test_the_intercept_is_never_touched(form):
    seen = trace(attack_of(form, math.inf))
    assert same_bits(seen.shown[:, -1], seen.dealt[:, -1])
    assert (seen.shown[:, -1] == math.sqrt(0.5)).all()


# -------------------------------------------------------------------------------- fuzzed proposals

wild_numbers = st.sampled_from(
    [1e300, -1e300, 1.7e308, -1.7e308, math.nan, math.inf, -math.inf, 0.0, 0.5, -0.25, 1e-300]
)


@st.composite
def fuzz(draw, rounds=8):
    """A game whose attack wants anything that a float can hold."""
    problem, block = deal_rounds(WILD, rounds, seed=draw(st.integers(0, 20)))
    size = block.contexts.size
    contexts = draw(st.lists(wild_numbers, min_size=size, max_size=size))
    rewards = draw(st.lists(wild_numbers, min_size=rounds, max_size=rounds))
    return problem, block, np.reshape(contexts, block.contexts.shape), np.array(rewards)


def fuzzed(script, budget, purse="truncate"):
    problem, block, contexts, rewards = script
    attack = Scripted(budget, contexts=contexts, rewards=rewards, purse=purse)
    # Plain Python warns when the square of 1e300 overflows on its way to being cut down.
    with np.errstate(over="ignore"):
        return trace_rounds(problem, block, attack, LINUCB)


@law
@given(
    script=fuzz(),
    budget=st.sampled_from(BUDGETS) | st.floats(0.0, 10.0),
    purse=st.sampled_from(["truncate", "skip", "stop"]),
)
def test_a_mad_attack_cannot_leave_the_ranges_or_the_budget(script, budget, purse):
    seen = fuzzed(script, budget, purse)
    assert (seen.spent <= budget).all()
    assert np.isfinite(seen.shown).all()
    assert np.sqrt((seen.shown**2).sum(axis=1)).max() <= 1.0 + 1e-12
    assert same_bits(seen.shown[:, -1], seen.dealt[:, -1])
    assert (seen.seen >= np.minimum(0.0, seen.earned)).all()
    assert (seen.seen <= np.maximum(1.0, seen.earned)).all()


@law
@given(script=fuzz())
def test_proposals_that_are_not_finite_do_nothing_and_are_counted(script):
    _, _, contexts, rewards = script
    seen = fuzzed(script, math.inf)
    bad_contexts = ~np.isfinite(contexts[:, :-1]).all(axis=1)  # (rounds, arms)
    bad_rewards = ~np.isfinite(rewards)
    for t, arm in np.argwhere(bad_contexts):
        assert same_bits(seen.shown[t, :, arm], seen.dealt[t, :, arm])
    assert same_bits(seen.seen[bad_rewards], seen.earned[bad_rewards])
    assert seen.purse.account[BAD] == bad_contexts.sum() + bad_rewards.sum()


@law
@given(script=fuzz())
def test_finite_proposals_are_clipped_however_large(script):
    _, _, _, rewards = script
    seen = fuzzed(script, math.inf)
    finite = np.isfinite(rewards) & (seen.earned >= 0.0) & (seen.earned <= 1.0)
    assert seen.seen[finite].tolist() == np.clip(rewards[finite], 0.0, 1.0).tolist()


def test_bad_proposals_are_reported_with_a_warning():
    rewards = np.full(50, 0.5)
    rewards[[3, 8, 30]] = math.nan, math.inf, -math.inf
    with pytest.warns(RuntimeWarning, match="Scripted proposed 3 values that are not finite"):
        ledger = rb.simulate(
            environment=WILD,
            attack=Scripted(math.inf, rewards=rewards),
            policy=Recorder(LINUCB),
            rounds=50,
        )
    assert ledger.bad_proposals == 3
    assert ledger.attacked_rounds == 47


# ---------------------------------------------------------------------------------- odd sizes


@pytest.mark.parametrize("sizes", [(1, 1), (1, 3), (4, 1)], ids=["1x1", "1 arm", "1 dim"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_smallest_problems_are_played(attack, policy, intercept, sizes):
    arms, dim = sizes
    environment = rb.environments.Simulation(arms=arms, dim=dim, intercept=intercept)
    ledger = rb.simulate(
        environment=environment,
        attack=make_attack(attack, 2.0),
        policy=PLAYERS[policy],
        rounds=20,
    )
    assert ledger.pulls.sum() == 20
    assert ledger.spent <= 2.0
    assert np.isfinite(ledger.regret).all()
    assert ledger.final_regret == 0.0 or arms > 1


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_a_game_of_one_round_is_played(attack, policy):
    ledger = rb.simulate(
        environment=WILD, attack=make_attack(attack, 2.0), policy=PLAYERS[policy], rounds=1
    )
    assert ledger.rounds.tolist() == [1]
    assert ledger.pulls.sum() == 1


TOPPED = ["Garcelon", "Oracle", "ContextDilation"]


@pytest.mark.parametrize("attack", TOPPED)
def test_top_zero_attacks_nobody(attack):
    seen = trace(make_attack(attack, math.inf, top=0.0))
    assert seen.touched[-1] == 0.0


def test_top_one_attacks_in_every_round():
    seen = trace(rb.attacks.Garcelon(budget=math.inf, top=1.0, replace="floor"))
    assert (seen.seen == 0.0).all()


@pytest.mark.parametrize("top", [0.5, "best", "all-but-worst"])
@pytest.mark.parametrize("attack", TOPPED)
def test_a_single_arm_is_the_worst_one_and_left_alone(attack, top):
    lonely = rb.environments.Simulation(arms=1, dim=2)
    seen = trace(make_attack(attack, math.inf, top=top), environment=lonely)
    assert seen.touched[-1] == 0.0


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_zero_contexts_and_equal_arms_are_played(attack, policy):
    problem, block = deal_rounds(PLAIN, 30)
    contexts = block.contexts.copy()
    contexts[:15] = 0.0
    contexts[15:] = contexts[15:, :, :1]
    means = np.full_like(block.means, 0.5)
    odd = deal(contexts, means, block.noise)
    game = played(problem, odd, make_attack(attack, 3.0), PLAYERS[policy])
    assert game.book.pulls.sum() == 30
    assert game.book.columns[-1, 0] == 0.0
    assert game.purse.account[SPENT] <= 3.0
