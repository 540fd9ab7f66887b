"""Whatever an attack proposes, contexts and rewards stay legal; and the smallest problems work."""

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
    POLICIES,
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
from robustbandits.game.purse import BAD, SPENT
from robustbandits.game.rounds import make_rounds

LINUCB = rb.policies.LinUCB()


def longest(contexts: np.ndarray) -> float:
    return np.sqrt((contexts**2).sum(axis=1)).max()


def check_legal(game) -> None:
    """Check that contexts and rewards are legal."""
    assert np.isfinite(game.shown).all()
    assert longest(game.shown) <= 1.0 + 1e-12
    assert (game.seen >= np.minimum(0.0, game.earned)).all()
    assert (game.seen <= np.maximum(1.0, game.earned)).all()


@pytest.mark.parametrize("environment", [WILD, PLAIN], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("form", ATTACKERS)
def test_what_a_policy_sees_is_legal_under_every_attack(form, environment):
    game = trace(attack_of(form, 100.0), environment=environment)
    check_legal(game)
    paid = (game.seen != game.earned) & (game.spent < 100.0)  # in full
    assert ((game.seen[paid] >= 0.0) & (game.seen[paid] <= 1.0)).all()
    if environment.intercept:
        assert same_bits(game.shown[:, -1], game.dealt[:, -1])
        assert (game.shown[:, -1] == math.sqrt(0.5)).all()


def test_clean_rewards_are_never_clipped():
    game = trace(rb.attacks.NoAttack(), rounds=400)
    assert game.earned.min() < 0.0
    assert game.earned.max() > 1.0
    assert same_bits(game.seen, game.earned)


# -------------------------------------------------------------------------------- random proposals

extreme_numbers = st.sampled_from(
    [1e300, -1e300, 1.7e308, -1.7e308, math.nan, math.inf, -math.inf, 0.0, 0.5, -0.25, 1e-300]
)


@st.composite
def scripts(draw, rounds=8):
    """Rounds, and proposals of contexts and rewards with any numbers that a float can hold."""
    problem, block = deal_rounds(WILD, rounds, seed=draw(st.integers(0, 20)))
    size = block.contexts.size
    contexts = draw(st.lists(extreme_numbers, min_size=size, max_size=size))
    rewards = draw(st.lists(extreme_numbers, min_size=rounds, max_size=rounds))
    return problem, block, np.reshape(contexts, block.contexts.shape), np.array(rewards)


def play_script(script, budget, purse="truncate"):
    problem, block, contexts, rewards = script
    attack = Scripted(budget, contexts=contexts, rewards=rewards, purse=purse)
    with np.errstate(over="ignore"):  # plain Python warns that the square of 1e300 overflows
        return trace_rounds(problem, block, attack, LINUCB)


@law
@given(
    script=scripts(),
    budget=st.sampled_from(BUDGETS) | st.floats(0.0, 10.0),
    purse=st.sampled_from(["truncate", "skip", "stop"]),
)
def test_no_proposal_can_exceed_the_ranges_or_the_budget(script, budget, purse):
    game = play_script(script, budget, purse)
    assert (game.spent <= budget).all()
    assert same_bits(game.shown[:, -1], game.dealt[:, -1])
    check_legal(game)


@law
@given(script=scripts())
def test_proposals_that_are_not_finite_change_nothing_and_are_counted(script):
    _, _, contexts, rewards = script
    game = play_script(script, math.inf)
    bad_contexts = ~np.isfinite(contexts[:, :-1]).all(axis=1)  # (rounds, arms)
    bad_rewards = ~np.isfinite(rewards)
    for t, arm in np.argwhere(bad_contexts):
        assert same_bits(game.shown[t, :, arm], game.dealt[t, :, arm])
    assert same_bits(game.seen[bad_rewards], game.earned[bad_rewards])
    assert game.purse.account[BAD] == bad_contexts.sum() + bad_rewards.sum()


@law
@given(script=scripts())
def test_finite_proposals_are_clipped(script):
    _, _, _, rewards = script
    game = play_script(script, math.inf)
    finite = np.isfinite(rewards) & (game.earned >= 0.0) & (game.earned <= 1.0)
    assert game.seen[finite].tolist() == np.clip(rewards[finite], 0.0, 1.0).tolist()


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


# ------------------------------------------------------------------------------- small problems


@pytest.mark.parametrize("sizes", [(1, 1), (1, 3), (4, 1)], ids=["1x1", "1 arm", "1 dim"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_the_smallest_problems_can_be_played(attack, policy, intercept, sizes):
    arms, dim = sizes
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=arms, dim=dim, intercept=intercept),
        attack=make_attack(attack, 2.0),
        policy=POLICIES[policy],
        rounds=20,
    )
    assert ledger.pulls.sum() == 20
    assert ledger.spent <= 2.0
    assert np.isfinite(ledger.regret).all()
    assert ledger.final_regret == 0.0 or arms > 1


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_a_game_of_one_round_can_be_played(attack, policy):
    ledger = rb.simulate(
        environment=WILD, attack=make_attack(attack, 2.0), policy=POLICIES[policy], rounds=1
    )
    assert ledger.rounds.tolist() == [1]
    assert ledger.pulls.sum() == 1


WITH_TOP = ["Garcelon", "Oracle", "ContextDilation"]


@pytest.mark.parametrize("attack", WITH_TOP)
def test_top_zero_attacks_no_arm(attack):
    assert trace(make_attack(attack, math.inf, top=0.0)).touched[-1] == 0.0


def test_top_one_attacks_every_arm():
    game = trace(rb.attacks.Garcelon(budget=math.inf, top=1.0, replace="floor"))
    assert (game.seen == 0.0).all()


@pytest.mark.parametrize("top", [0.5, "best", "all-but-worst"])
@pytest.mark.parametrize("attack", WITH_TOP)
def test_a_single_arm_is_the_worst_one_and_is_not_attacked(attack, top):
    single = rb.environments.Simulation(arms=1, dim=2)
    game = trace(make_attack(attack, math.inf, top=top), environment=single)
    assert game.touched[-1] == 0.0


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_zero_contexts_and_equal_arms_can_be_played(attack, policy):
    problem, block = deal_rounds(PLAIN, 30)
    contexts = block.contexts.copy()
    contexts[:15] = 0.0
    contexts[15:] = contexts[15:, :, :1]
    rounds = make_rounds(contexts, np.full_like(block.means, 0.5), block.noise)
    game = played(problem, rounds, make_attack(attack, 3.0), POLICIES[policy])
    assert game.book.pulls.sum() == 30
    assert game.book.columns[-1, 0] == 0.0
    assert game.purse.account[SPENT] <= 3.0
