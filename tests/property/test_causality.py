"""Later rounds change no earlier one, asking a policy changes nothing, rounds are read only."""

import math

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    ATTACKERS,
    POLICIES,
    WILD,
    Overwriter,
    attack_of,
    copy_rounds,
    deal_rounds,
    game_bits,
    played,
    quick,
    same_bits,
    trace_rounds,
)
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.rounds import Rounds, make_rounds

ROUNDS = 80
LINUCB = rb.policies.LinUCB()
NO_ATTACK = rb.attacks.NoAttack()


def with_another_future(block: Rounds, first: int) -> Rounds:
    """Change contexts, means and noise from round ``first`` on."""
    other = copy_rounds(block)
    other.contexts[first:, :-1] *= -0.5
    other.means[first:] = 1.0 - other.means[first:]
    other.noise[first:] += 0.3
    return make_rounds(other.contexts, other.means, other.noise)


@pytest.mark.parametrize("first", [1, 40, 79])
@pytest.mark.parametrize("form", quick(["NoAttack", *ATTACKERS]))
def test_later_rounds_change_no_earlier_round(form, first):
    problem, block = deal_rounds(WILD, ROUNDS)
    blocks = (block, with_another_future(block, first))
    game, other = (trace_rounds(problem, b, attack_of(form, 7.3), LINUCB) for b in blocks)
    for name in ("arms", "shown", "seen", "taught", "spent"):
        assert same_bits(getattr(game, name)[:first], getattr(other, name)[:first])
    assert not same_bits(game.seen, other.seen)


#: Asks the policy in every round, but changes nothing.
ASKS = rb.attacks.ContextDilation(budget=math.inf, top=1.0, factor=1.0)


@pytest.mark.parametrize("policy", ["LinUCB", "LinTS"] if jit_is_on else POLICIES)
def test_asking_the_policy_in_every_round_does_not_change_the_game(policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    asked = played(problem, block, ASKS, POLICIES[policy])
    alone = played(problem, block, NO_ATTACK, POLICIES[policy])
    assert game_bits(asked) == game_bits(alone)
    if policy == "LinTS":  # it draws random numbers to choose: here those of the attack
        assert asked.attack_rng.bit_generator.state != alone.attack_rng.bit_generator.state


@pytest.mark.parametrize(
    "attack",
    [
        NO_ATTACK,
        rb.attacks.Garcelon(budget=100.0),
        rb.attacks.ContextDilation(budget=100.0),  # asks the policy
        rb.attacks.ContextDilation(budget=100.0, which="every"),
    ],
    ids=lambda attack: attack.label,
)
def test_a_policy_that_overwrites_its_arguments_does_not_change_the_rounds(attack):
    problem, block = deal_rounds(WILD, ROUNDS)
    before = copy_rounds(block)
    played(problem, block, attack, Overwriter())
    assert all(same_bits(old, new) for old, new in zip(before, block, strict=True))


@pytest.mark.parametrize("form", quick(["NoAttack", *ATTACKERS]))
def test_a_policy_learns_the_context_that_it_was_shown(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = trace_rounds(problem, block, attack_of(form, 7.3), LINUCB)
    shown = game.shown[np.arange(ROUNDS), :, game.arms]
    assert same_bits(game.taught, np.ascontiguousarray(shown))
