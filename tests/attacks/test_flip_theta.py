"""FlipTheta shows rewards as if theta had the opposite sign."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from attacks.scenes import proposed
from property.laws import law, trace
from robustbandits.game.problem import Problem
from robustbandits.game.purse import SPENT, open_purse, settle_reward

MEANS = [0.2, 0.9]
rewards = st.floats(0.0, 1.0)


@law
@given(reward=rewards)
def test_flipping_twice_gives_the_reward_back(reward):
    attack = rb.attacks.FlipTheta(1.0)
    once = proposed(attack, MEANS, 0, reward)
    assert 0.0 <= once <= 1.0
    assert proposed(attack, MEANS, 0, once) == pytest.approx(reward, abs=2e-16)


@law
@given(reward=rewards)
def test_a_flip_costs_the_distance_to_the_mirrored_reward(reward):
    purse = open_purse(math.inf, "truncate", Problem(arms=2, dim=2))
    settle_reward(purse, reward, proposed(rb.attacks.FlipTheta(1.0), MEANS, 0, reward))
    assert purse.account[SPENT] == pytest.approx(abs(1.0 - 2.0 * reward), abs=2e-16)


@law
@given(reward=rewards, center=st.floats(0.0, 1.0))
def test_rewards_are_mirrored_at_the_center(reward, center):
    wanted = proposed(rb.attacks.FlipTheta(1.0, center=center), MEANS, 0, reward)
    assert wanted - center == pytest.approx(center - reward, abs=1e-15)


@law
@given(noise=st.floats(-0.2, 0.2), arm=st.integers(0, 1))
def test_the_mean_form_keeps_the_noise(noise, arm):
    wanted = proposed(rb.attacks.FlipTheta(1.0, form="mean"), MEANS, arm, MEANS[arm] + noise)
    assert wanted == pytest.approx(1.0 - MEANS[arm] + noise, abs=1e-15)


def test_the_origin_form_changes_the_sign():
    assert proposed(rb.attacks.FlipTheta(1.0, form="origin"), MEANS, 0, 0.3) == -0.3


@pytest.mark.parametrize("form", ["reflect", "mean", "origin"])
def test_only_the_first_rounds_are_attacked(form):
    attack = rb.attacks.FlipTheta(math.inf, form=form, rounds=7)
    game = trace(attack, rounds=40)
    assert (game.seen[:7] != game.earned[:7]).all()
    assert (game.seen[7:] == game.earned[7:]).all()


def test_seen_rewards_are_one_minus_the_clean_ones():
    game = trace(rb.attacks.FlipTheta(math.inf), rounds=300)
    expected = np.clip(1.0 - game.earned, 0.0, 1.0)
    np.testing.assert_allclose(game.seen, expected, atol=1e-15)
