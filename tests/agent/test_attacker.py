"""Attacker: the attacks of a game, for a loop of your own."""

import math

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    FOR_FIXED_ARMS,
    FORMS,
    OTHER_SURFACES,
    attack_of,
    deal_rounds,
    trace,
)
from robustbandits.attacks import ContextMirror, FlipTheta, Garcelon, LinACE, RandomControl
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.match import POLICY, stream
from robustbandits.game.purse import SPENT
from robustbandits.game.verbs import MEMO

FIXED = rb.environments.Simulation(arms=5, dim=2, noise=0.25, contexts="fixed")
ASKS = ("ContextDilation", "ContextMirror", "ContextNudge")
SIMPLE = [form for form, (name, _) in FORMS.items() if name not in ASKS]
#: All attacks in plain Python; one of each kind if they must be compiled.
PLAYED = ["Garcelon", "RandomControl", "RandomControl contexts"] if jit_is_on else SIMPLE
TWO = [[1.0, 0.0], [0.0, 1.0]]


def make(attack, **values):
    return rb.Attacker(attack, **{"arms": 2, "dim": 2, **values})


@pytest.mark.parametrize("form", [*PLAYED, *FOR_FIXED_ARMS])
def test_an_own_loop_sees_what_a_game_shows(form):
    """LinUCB plays in a loop written here, and meets the same attack, bit for bit."""
    rounds = 60
    attack = getattr(rb.attacks, form)(3.0) if form in FOR_FIXED_ARMS else attack_of(form, 3.0)
    problem, block = deal_rounds(FIXED, rounds)
    game = trace(attack, environment=FIXED, rounds=rounds)
    attacker = rb.Attacker(
        attack, arms=5, dim=3, rounds=rounds, noise=0.25, intercept=True, reward_range=(-9.0, 9.0)
    )
    policy = rb.policies.LinUCB().start(problem)
    rng = np.random.Generator(np.random.PCG64(stream(0, POLICY)))
    for t in range(rounds):
        shown = attacker.contexts(block.contexts[t].T, means=block.means[t])
        assert shown.tobytes() == np.ascontiguousarray(game.shown[t].T).tobytes()
        arm = policy.choose(np.ascontiguousarray(shown.T), rng, np.zeros(MEMO))
        assert arm == game.arms[t]
        seen = attacker.reward(arm, float(block.means[t, arm] + block.noise[t]))
        assert seen == game.seen[t]
        assert attacker.spent == game.spent[t]
        policy.learn(arm, np.ascontiguousarray(shown[arm]), seen, np.zeros(MEMO), rng)
    assert attacker.spent == game.purse.account[SPENT]
    assert math.fsum(change.price for change in attacker.log) == pytest.approx(attacker.spent)


@pytest.mark.parametrize("name", OTHER_SURFACES)
def test_an_attack_on_arms_or_with_records_is_refused(name):
    with pytest.raises(TypeError, match="an attacker changes only contexts and rewards"):
        make(getattr(rb.attacks, name)(1.0))


def test_the_log_has_every_change():
    attacker = make(FlipTheta(0.6))
    for t, reward in enumerate((0.25, 0.5, 0.9)):
        attacker.contexts(TWO)
        attacker.reward(t % 2, reward)
    changes = [(c.round, c.what, c.arm, c.clean, c.shown) for c in attacker.log]
    assert changes == [(0, "reward", 0, 0.25, 0.75), (2, "reward", 0, 0.9, pytest.approx(0.8))]
    assert [change.price for change in attacker.log] == pytest.approx([0.5, 0.1])
    assert attacker.spent == 0.6
    assert repr(attacker) == "Attacker(FlipTheta, arms=2, dim=2, rounds=3, spent=0.6 of 0.6)"


def test_changed_contexts_are_logged_row_by_row():
    attacker = make(RandomControl(5.0, surface="contexts", probability=1.0, size=0.1))
    half = np.array(TWO) / 2
    shown = attacker.contexts(half)
    (change,) = attacker.log
    assert change.what == "context"
    assert change.shown.tolist() == shown[change.arm].tolist() != half[change.arm].tolist()
    assert change.price == pytest.approx(attacker.spent) == pytest.approx(0.1)
    assert half.tolist() == [[0.5, 0.0], [0.0, 0.5]]  # what was passed is not changed


class Stubborn:
    """A policy that always chooses the second arm."""

    def choose(self, contexts):
        return 1

    def learn(self, contexts, arm, reward):
        raise AssertionError("an attacker must not teach the policy")


def test_an_attack_that_asks_needs_the_policy():
    attack = ContextMirror(9.0, top=1.0)
    with pytest.raises(TypeError, match=r"ContextMirror asks what the policy would choose.*policy"):
        make(attack).contexts(TWO, means=[0.5, 0.6])
    shown = make(attack, policy=Stubborn()).contexts(TWO, means=[0.5, 0.6])
    assert shown.tolist() == [[1.0, 0.0], [0.0, -1.0]]


@pytest.mark.parametrize(
    ("contexts", "means", "message"),
    [
        ([[1.0, 0.0]], [0.1, 0.2], "contexts must have 2 rows, one for each arm; got 1"),
        ([[1.0], [0.0]], [0.1, 0.2], r"contexts must have shape \(arms, 2\)"),
        ([[math.nan, 0.0], [0.0, 1.0]], [0.1, 0.2], "contexts must be finite"),
        ([[3.0, 0.0], [0.0, 1.0]], [0.1, 0.2], "contexts must be no longer than context_bound=1"),
        (TWO, None, r"means must be given, because Garcelon knows the mean rewards"),
        (TWO, [0.1], r"means: expected shape \(2,\), got \(1,\)"),
        (TWO, [0.1, math.inf], "means must be finite numbers"),
    ],
)
def test_bad_contexts_and_means_are_refused_and_change_nothing(contexts, means, message):
    attacker = make(Garcelon(1.0, noise=0.1))
    with pytest.raises(ValueError, match=message):
        attacker.contexts(contexts, means)
    assert (attacker.rounds, attacker.spent, attacker.log) == (0, 0.0, [])
    with pytest.raises(ValueError, match=r"call contexts\(...\) first"):
        attacker.reward(0, 0.5)


@pytest.mark.parametrize(
    ("arm", "reward", "message"),
    [
        (2, 0.5, "arm must be < 2, the number of arms; got 2"),
        (-1, 0.5, "arm must be"),
        (0, math.nan, "reward must be a finite number between 0 and 1, got nan"),
        (0, 1.5, "reward must be a finite number between 0 and 1, got 1.5"),
    ],
)
def test_bad_arms_and_rewards_are_refused_and_change_nothing(arm, reward, message):
    attacker = make(FlipTheta(1.0))
    attacker.contexts(TWO)
    with pytest.raises(ValueError, match=message):
        attacker.reward(arm, reward)
    assert attacker.reward(0, 0.25) == 0.75  # the round can still be finished
    with pytest.raises(ValueError, match="first"):
        attacker.reward(0, 0.25)


def test_clicks_are_changed_to_clicks():
    attacker = make(FlipTheta(1.0), clicks=True)
    attacker.contexts(TWO)
    with pytest.raises(ValueError, match="reward must be 0 or 1, because rewards are clicks"):
        attacker.reward(0, 0.5)
    assert attacker.reward(0, 1.0) == 0.0


def test_means_do_not_reach_an_attack_that_may_not_know_them():
    seen = []
    for means in (None, [0.1, 0.9]):
        attacker = make(LinACE(9.0))
        attacker.contexts(TWO, means)
        seen.append(attacker.reward(1, 0.5))
    assert seen[0] == seen[1]


def test_the_attack_must_be_a_recipe():
    with pytest.raises(TypeError, match="attack must be"):
        make("Garcelon")
