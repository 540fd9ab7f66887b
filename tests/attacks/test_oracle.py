"""Oracle: good arms seem a little worse than the worst one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from attacks.scenes import numbers_drawn, proposed
from property.laws import law, trace

MEANS = [0.2, 0.9, 0.5, 0.7]
FORMS = ("redraw", "shift")

some_means = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("arm", [0, 1, 2, 3])
def test_the_better_half_is_attacked_and_the_rest_left_alone(arm, form):
    wanted = proposed(rb.attacks.Oracle(1.0, form=form), MEANS, arm, 0.6)
    assert (wanted != 0.6) == (arm in (1, 3))


def test_redraw_wants_a_draw_around_a_margin_below_the_worst_mean():
    dice = np.random.default_rng(4)
    attack = rb.attacks.Oracle(1.0, margin=0.05, noise=0.02)
    expected = 0.2 - 0.05 + 0.02 * dice.standard_normal()
    assert proposed(attack, MEANS, 1, 0.6, seed=4) == pytest.approx(expected, abs=1e-15)


def test_shift_moves_the_reward_by_the_difference_of_the_means():
    attack = rb.attacks.Oracle(1.0, margin=0.05, form="shift")
    assert proposed(attack, MEANS, 1, 0.95) == pytest.approx(0.95 - (0.9 - 0.2 + 0.05))


@pytest.mark.parametrize("form", FORMS)
def test_dice_are_rolled_for_every_arm_so_that_streams_stay_aligned(form):
    states = [numbers_drawn(rb.attacks.Oracle(1.0, form=form), MEANS, arm) for arm in range(4)]
    assert states == [states[0]] * 4
    assert states[0] != np.random.default_rng(0).bit_generator.state


@law
@given(
    means=some_means,
    reward=st.floats(-1.0, 2.0),
    form=st.sampled_from(FORMS),
    margin=st.floats(0.0, 0.5),
    seed=st.integers(0, 100),
)
def test_no_proposal_is_above_the_reward(means, reward, form, margin, seed):
    attack = rb.attacks.Oracle(1.0, top=1.0, form=form, margin=margin)
    assert proposed(attack, means, 0, reward, seed=seed) <= reward


@pytest.mark.parametrize("form", FORMS)
def test_a_reward_inside_the_legal_range_is_never_raised(form):
    attack = rb.attacks.Oracle(math.inf, top=1.0, form=form)
    seen = trace(attack, rounds=400)
    legal = seen.earned >= 0.0
    assert (seen.seen[legal] <= seen.earned[legal]).all()
    assert (seen.seen < seen.earned).any()


@pytest.mark.parametrize("form", FORMS)
def test_a_reward_is_never_raised(form):
    seen = trace(rb.attacks.Oracle(math.inf, top=1.0, form=form, margin=0.3), rounds=400)
    assert (seen.seen <= seen.earned).all()


@pytest.mark.parametrize("form", FORMS)
def test_all_but_worst_never_touches_the_worst_arm(form):
    attack = rb.attacks.Oracle(math.inf, top="all-but-worst", form=form)
    seen = trace(attack, rounds=400)
    worst = seen.arms == seen.means.argmin(axis=1)
    assert worst.any()
    assert not worst.all()
    assert (seen.seen[worst] == seen.earned[worst]).all()


def test_it_spends_less_in_a_round_than_garcelon_does():
    oracle = trace(rb.attacks.Oracle(math.inf, top=1.0), rounds=300)
    garcelon = trace(rb.attacks.Garcelon(math.inf, top=1.0), rounds=300)
    assert oracle.spent[-1] < garcelon.spent[-1]
