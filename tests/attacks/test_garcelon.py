"""Garcelon shows rewards of good arms as noise around zero."""

from __future__ import annotations

import math

import numpy as np
import pytest

import robustbandits as rb
from attacks.scenes import proposed, stream_after
from property.laws import trace

MEANS = [0.2, 0.9, 0.5, 0.7]


@pytest.mark.parametrize("arm", [0, 1, 2, 3])
def test_only_the_better_half_of_the_arms_is_attacked(arm):
    wanted = proposed(rb.attacks.Garcelon(1.0), MEANS, arm, 0.6)
    assert (wanted != 0.6) == (arm in (1, 3))


def test_the_reward_is_replaced_by_noise_around_zero():
    rng = np.random.default_rng(4)
    attack = rb.attacks.Garcelon(1.0, noise=0.3)
    assert proposed(attack, MEANS, 1, 0.6, seed=4) == 0.3 * rng.standard_normal()


def test_the_reward_is_replaced_by_zero():
    assert proposed(rb.attacks.Garcelon(1.0, replace="floor"), MEANS, 1, 0.6) == 0.0


def test_one_number_is_drawn_for_every_arm():
    states = [stream_after(rb.attacks.Garcelon(1.0), MEANS, arm) for arm in range(4)]
    assert states == [states[0]] * 4
    assert states[0] != np.random.default_rng(0).bit_generator.state


@pytest.mark.parametrize("replace", ["noise", "floor"])
def test_all_but_worst_never_attacks_the_worst_arm(replace):
    attack = rb.attacks.Garcelon(math.inf, top="all-but-worst", replace=replace)
    game = trace(attack, rounds=400)
    worst = game.arms == game.means.argmin(axis=1)
    assert worst.any()
    assert not worst.all()
    assert (game.seen[worst] == game.earned[worst]).all()
    assert (game.seen[~worst] != game.earned[~worst]).mean() > 0.9


def test_with_an_infinite_budget_every_pull_of_a_good_arm_is_attacked():
    game = trace(rb.attacks.Garcelon(math.inf, replace="floor"), rounds=300)
    better = (game.means > game.means[np.arange(300), game.arms][:, None]).sum(axis=1)
    assert ((game.seen == 0.0) == (better < 2)).all()


def test_seen_rewards_of_good_arms_are_just_above_zero():
    game = trace(rb.attacks.Garcelon(math.inf, top=1.0, noise=0.01), rounds=300)
    assert (game.seen <= 0.05).all()
    assert (game.seen == 0.0).mean() == pytest.approx(0.5, abs=0.15)  # negative noise is clipped
