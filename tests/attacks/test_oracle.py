"""Oracle shows rewards of good arms as a little below those of the worst arm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from attacks.scenes import proposed, stream_after
from property.laws import law, trace

MEANS = [0.2, 0.9, 0.5, 0.7]
FORMS = ("redraw", "shift")

some_means = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("arm", [0, 1, 2, 3])
def test_only_the_better_half_of_the_arms_is_attacked(arm, form):
    wanted = proposed(rb.attacks.Oracle(1.0, form=form), MEANS, arm, 0.6)
    assert (wanted != 0.6) == (arm in (1, 3))


def test_redraw_proposes_a_draw_around_a_margin_below_the_worst_mean():
    rng = np.random.default_rng(4)
    attack = rb.attacks.Oracle(1.0, margin=0.05, noise=0.02)
    expected = 0.2 - 0.05 + 0.02 * rng.standard_normal()
    assert proposed(attack, MEANS, 1, 0.6, seed=4) == pytest.approx(expected, abs=1e-15)


def test_shift_moves_the_reward_by_the_difference_of_the_means():
    attack = rb.attacks.Oracle(1.0, margin=0.05, form="shift")
    assert proposed(attack, MEANS, 1, 0.95) == pytest.approx(0.95 - (0.9 - 0.2 + 0.05))


@pytest.mark.parametrize("form", FORMS)
def test_one_number_is_drawn_for_every_arm(form):
    states = [stream_after(rb.attacks.Oracle(1.0, form=form), MEANS, arm) for arm in range(4)]
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
def test_a_reward_is_never_raised(form):
    game = trace(rb.attacks.Oracle(math.inf, top=1.0, form=form, margin=0.3), rounds=400)
    assert (game.seen <= game.earned).all()
    assert (game.seen < game.earned).any()


@pytest.mark.parametrize("form", FORMS)
def test_all_but_worst_never_attacks_the_worst_arm(form):
    attack = rb.attacks.Oracle(math.inf, top="all-but-worst", form=form)
    game = trace(attack, rounds=400)
    worst = game.arms == game.means.argmin(axis=1)
    assert worst.any()
    assert not worst.all()
    assert (game.seen[worst] == game.earned[worst]).all()


def test_it_spends_less_than_garcelon():
    oracle = trace(rb.attacks.Oracle(math.inf, top=1.0), rounds=300)
    garcelon = trace(rb.attacks.Garcelon(math.inf, top=1.0), rounds=300)
    assert oracle.spent[-1] < garcelon.spent[-1]
