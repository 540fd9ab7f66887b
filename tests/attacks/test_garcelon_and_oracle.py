"""Garcelon and Oracle lower the rewards of good arms: to zero, or below those of the worst arm."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.scenes import proposed, stream_after
from property.laws import law, trace
from robustbandits.attacks import Garcelon, Oracle

MEANS = [0.2, 0.9, 0.5, 0.7]
#: Both attacks in both of their forms.
FORMS = {
    "Garcelon noise": (Garcelon, {"replace": "noise"}),
    "Garcelon floor": (Garcelon, {"replace": "floor"}),
    "Oracle redraw": (Oracle, {"form": "redraw"}),
    "Oracle shift": (Oracle, {"form": "shift"}),
}
EACH = pytest.mark.parametrize("form", FORMS)


def make(form, budget=1.0, **values):
    kind, parameters = FORMS[form]
    return kind(budget, **parameters, **values)


@EACH
@pytest.mark.parametrize("arm", [0, 1, 2, 3])
def test_only_the_better_half_of_the_arms_is_attacked(arm, form):
    assert (proposed(make(form), MEANS, arm, 0.6) != 0.6) == (arm in (1, 3))


@EACH
def test_one_number_is_drawn_for_every_arm(form):
    states = [stream_after(make(form), MEANS, arm) for arm in range(4)]
    assert states == [states[0]] * 4
    assert states[0] != np.random.default_rng(0).bit_generator.state


@EACH
def test_all_but_worst_never_attacks_the_worst_arm(form):
    game = trace(make(form, math.inf, top="all-but-worst"), rounds=400)
    worst = game.arms == game.means.argmin(axis=1)
    assert worst.any()
    assert not worst.all()
    assert (game.seen[worst] == game.earned[worst]).all()
    assert (game.seen[~worst] != game.earned[~worst]).mean() > 0.5


@pytest.mark.parametrize(
    ("attack", "reward", "expected"),
    [
        (Garcelon(1.0, noise=0.3), 0.6, lambda draw: 0.3 * draw),
        (Garcelon(1.0, replace="floor"), 0.6, lambda draw: 0.0),
        (Oracle(1.0, margin=0.05, noise=0.02), 0.6, lambda draw: 0.2 - 0.05 + 0.02 * draw),
        (Oracle(1.0, margin=0.05, form="shift"), 0.95, lambda draw: 0.95 - (0.9 - 0.2 + 0.05)),
    ],
    ids=FORMS,
)
def test_the_proposal_for_the_best_arm(attack, reward, expected):
    draw = np.random.default_rng(4).standard_normal()
    found = proposed(attack, MEANS, 1, reward, seed=4)
    assert found == pytest.approx(expected(draw), abs=1e-15)


def test_with_an_infinite_budget_every_pull_of_a_good_arm_is_attacked():
    game = trace(Garcelon(math.inf, replace="floor"), rounds=300)
    better = (game.means > game.means[np.arange(300), game.arms][:, None]).sum(axis=1)
    assert ((game.seen == 0.0) == (better < 2)).all()


def test_garcelon_shows_rewards_just_above_zero():
    game = trace(Garcelon(math.inf, top=1.0, noise=0.01), rounds=300)
    assert (game.seen <= 0.05).all()
    assert (game.seen == 0.0).mean() == pytest.approx(0.5, abs=0.15)  # negative noise is clipped


@law
@given(
    means=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6),
    reward=st.floats(-1.0, 2.0),
    form=st.sampled_from(["redraw", "shift"]),
    margin=st.floats(0.0, 0.5),
    seed=st.integers(0, 100),
)
def test_oracle_never_raises_a_reward(means, reward, form, margin, seed):
    attack = Oracle(1.0, top=1.0, form=form, margin=margin)
    assert proposed(attack, means, 0, reward, seed=seed) <= reward


def test_oracle_spends_less_than_garcelon():
    oracle = trace(Oracle(math.inf, top=1.0), rounds=300)
    garcelon = trace(Garcelon(math.inf, top=1.0), rounds=300)
    assert oracle.spent[-1] < garcelon.spent[-1]
