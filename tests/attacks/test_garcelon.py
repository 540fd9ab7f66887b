"""Garcelon: good arms seem to pay nothing but noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import robustbandits as rb
from attacks.scenes import numbers_drawn, proposed
from property.laws import trace

MEANS = [0.2, 0.9, 0.5, 0.7]


@pytest.mark.parametrize("arm", [0, 1, 2, 3])
def test_the_better_half_is_attacked_and_the_rest_left_alone(arm):
    wanted = proposed(rb.attacks.Garcelon(1.0), MEANS, arm, 0.6)
    assert (wanted != 0.6) == (arm in (1, 3))


def test_noise_around_zero_takes_the_place_of_the_reward():
    dice = np.random.default_rng(4)
    attack = rb.attacks.Garcelon(1.0, noise=0.3)
    assert proposed(attack, MEANS, 1, 0.6, seed=4) == 0.3 * dice.standard_normal()


def test_the_floor_takes_the_place_of_the_reward():
    assert proposed(rb.attacks.Garcelon(1.0, replace="floor"), MEANS, 1, 0.6) == 0.0


def test_dice_are_rolled_for_every_arm_so_that_streams_stay_aligned():
    states = [numbers_drawn(rb.attacks.Garcelon(1.0), MEANS, arm) for arm in range(4)]
    assert states == [states[0]] * 4
    assert states[0] != np.random.default_rng(0).bit_generator.state


@pytest.mark.parametrize("replace", ["noise", "floor"])
def test_all_but_worst_never_touches_the_worst_arm(replace):
    attack = rb.attacks.Garcelon(math.inf, top="all-but-worst", replace=replace)
    seen = trace(attack, rounds=400)
    worst = seen.arms == seen.means.argmin(axis=1)
    assert worst.any()
    assert not worst.all()
    assert (seen.seen[worst] == seen.earned[worst]).all()
    assert (seen.seen[~worst] != seen.earned[~worst]).mean() > 0.9


def test_with_an_endless_purse_every_pull_of_a_good_arm_is_attacked():
    seen = trace(rb.attacks.Garcelon(math.inf, replace="floor"), rounds=300)
    better = (seen.means > seen.means[np.arange(300), seen.arms][:, None]).sum(axis=1)
    assert ((seen.seen == 0.0) == (better < 2)).all()


def test_seen_rewards_of_good_arms_hover_just_above_zero():
    seen = trace(rb.attacks.Garcelon(math.inf, top=1.0, noise=0.01), rounds=300)
    assert (seen.seen <= 0.05).all()
    assert (seen.seen == 0.0).mean() == pytest.approx(0.5, abs=0.15)  # negative noise is clipped
