"""Whatever an attack proposes, contexts and rewards stay legal; and the smallest problems work."""

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
    quick,
    same_bits,
    trace,
    trace_rounds,
)
from robustbandits.game.purse import SPENT
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
@pytest.mark.parametrize("form", quick(ATTACKERS))
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


def test_bad_proposals_are_reported_with_a_warning():
    rewards = np.full(50, 0.5)
    rewards[[3, 8, 30]] = math.nan, math.inf, -math.inf
    with pytest.warns(RuntimeWarning, match="Scripted made 3 proposals that are not finite"):
        ledger = rb.simulate(
            environment=WILD,
            attack=Scripted(math.inf, rewards=rewards),
            policy=Recorder(LINUCB),
            rounds=50,
        )
    assert ledger.bad_proposals == 3
    assert ledger.attacked_rounds == 47


@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 20), (1, 3, 20), (4, 1, 20), (5, 2, 1)],
    ids=["1x1", "1 arm", "1 dim", "1 round"],
)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_the_smallest_problems_can_be_played(attack, policy, intercept, sizes):
    arms, dim, rounds = sizes
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=arms, dim=dim, intercept=intercept),
        attack=make_attack(attack, 2.0),
        policy=POLICIES[policy],
        rounds=rounds,
    )
    assert ledger.pulls.sum() == ledger.rounds[-1] == rounds
    assert ledger.spent <= 2.0
    assert np.isfinite(ledger.regret).all()
    assert ledger.final_regret == 0.0 or arms > 1


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
