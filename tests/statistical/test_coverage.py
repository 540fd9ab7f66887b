"""Lemma 1: the true parameter stays within radius plus bonus of the estimate, under any attack."""

import math

import numpy as np
import pytest
from scipy import stats

from robustbandits.compiled.jit import jit_is_on, program
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, choose, learn
from robustbandits.policies import LinUCB, RobustLinUCB
from robustbandits.policies.linear._linear import width_factor

pytestmark = [
    pytest.mark.statistical,
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="hundreds of thousands of rounds"),
]

ROUNDS, ARMS, RUNS = 100, 5, 600
DELTA, SIGMA, BUDGET = 0.1, 0.5, 30.0
#: If each game leaves the ellipsoid with probability DELTA at most, more than this many of them do
#: so with probability below 1e-7.
LIMIT = stats.binom.isf(1e-7, RUNS, DELTA)

NO_ATTACK, BURST, LATE_BURST, PUSH, FLIP = range(5)
ATTACKS = {"burst": BURST, "late burst": LATE_BURST, "push": PUSH, "flip": FLIP}


@program
def pick(state, shown, rng, memo):
    """Choose; compiled once for the three calls below."""
    return choose(state, shown, rng, memo)


@program
def worst_excess(state, theta, contexts, noise, attack, budget, rng):
    """Play a game; return by how much the estimate's error ever exceeded the policy's radius."""
    rounds, dim, arms = contexts.shape
    ridge = state.optimist.ridge
    memo, shown, context = np.zeros(MEMO), np.empty((dim, arms)), np.empty(dim)
    worst = -np.inf
    for t in range(rounds + 1):
        square = 0.0
        for i in range(dim):
            for j in range(dim):
                square += (
                    (ridge.theta[i] - theta[i]) * ridge.gram[i, j] * (ridge.theta[j] - theta[j])
                )
        worst = max(worst, math.sqrt(square) - width_factor(state.optimist, state.level))
        if t == rounds:
            return worst
        shown[:] = contexts[t]
        if attack == FLIP:  # reverse the arm that would be chosen, for twice its length
            arm = pick(state, shown, rng, memo)
            price = 2.0 * math.sqrt((shown[:, arm] ** 2).sum())
            if price <= budget:
                shown[:, arm] *= -1.0
                if pick(state, shown, rng, memo) == arm:
                    budget -= price
                else:
                    shown[:, arm] *= -1.0  # another arm would be chosen: do not attack
        arm = pick(state, shown, rng, memo)
        reward = (theta * contexts[t][:, arm]).sum() + noise[t]
        seen = reward
        if budget >= 1.0:
            if attack == BURST or (attack == LATE_BURST and t >= rounds // 2):
                seen = reward - 1.0
            elif attack == PUSH:  # away from the true parameter, along the arm's context
                error = ((ridge.theta - theta) * shown[:, arm]).sum()
                seen = reward + 1.0 if error > 0.0 else reward - 1.0
            budget -= abs(seen - reward)
        for i in range(dim):
            context[i] = shown[i, arm]
        learn(state, arm, context, seen, memo, rng)
    return worst


def games_outside(recipe, dim, attack, *, fixed=False, sigma=SIGMA, seed=0):
    """Return in how many of RUNS games the true parameter was ever outside the ellipsoid."""
    problem = Problem(arms=ARMS, dim=dim, rounds=ROUNDS)
    rng = np.random.default_rng([seed, dim, attack])
    outside = 0
    for _ in range(RUNS):
        theta = rng.standard_normal(dim)
        theta /= np.linalg.norm(theta)
        contexts = rng.standard_normal((1 if fixed else ROUNDS, dim, ARMS))
        contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
        contexts = np.broadcast_to(contexts, (ROUNDS, dim, ARMS)).copy()
        noise = sigma * rng.standard_normal(ROUNDS)
        excess = worst_excess(recipe.start(problem), theta, contexts, noise, attack, BUDGET, rng)
        outside += excess > 1e-9
    return outside


@pytest.mark.parametrize("fixed", [False, True], ids=["fresh", "fixed"])
@pytest.mark.parametrize(
    ("dim", "radius"), [(1, "det"), (2, "det"), (2, "trace"), (5, "det"), (5, "trace")]
)
def test_linucb_radius_covers_the_true_parameter_without_an_attack(dim, radius, fixed):
    recipe = LinUCB(radius=radius, delta=DELTA, sigma=SIGMA)
    assert games_outside(recipe, dim, NO_ATTACK, fixed=fixed) <= LIMIT


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_linucb_radius_for_too_little_noise_does_not_cover(dim):
    # So the test above can fail: a radius of a third would fail it.
    recipe = LinUCB(radius="det", delta=DELTA, sigma=SIGMA / 3)
    assert games_outside(recipe, dim, NO_ATTACK) > 2 * LIMIT


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
@pytest.mark.parametrize(("dim", "radius"), [(2, "trace"), (5, "det")])
def test_robust_linucb_radius_covers_the_true_parameter_under_attack(dim, radius, bonus, attack):
    # Reversing an arm changes a reward by at most twice its length, 2.
    recipe = RobustLinUCB(
        BUDGET,
        bonus=bonus,
        radius=radius,
        delta=DELTA,
        sigma=SIGMA,
        max_corruption=2.0 if attack == "flip" else 1.0,
    )
    assert games_outside(recipe, dim, ATTACKS[attack], fixed=True) <= LIMIT


@pytest.mark.parametrize("attack", ["burst", "push", "flip"])
@pytest.mark.parametrize(("dim", "radius"), [(2, "trace"), (5, "det")])
def test_linucb_radius_alone_does_not_cover_under_attack(dim, radius, attack):
    # So the test above can fail: without the bonus most games leave the ellipsoid.
    recipe = LinUCB(radius=radius, delta=DELTA, sigma=SIGMA)
    assert games_outside(recipe, dim, ATTACKS[attack], fixed=True) > 2 * LIMIT


@pytest.mark.parametrize(("dim", "radius"), [(1, "det"), (2, "trace"), (5, "det")])
def test_robust_linucb_half_the_smallest_bonus_does_not_cover(dim, radius):
    # √(C/4) is half of √C: the l2 bonus is not loose by a factor of two.
    recipe = RobustLinUCB(BUDGET / 4, bonus="l2", radius=radius, delta=DELTA, sigma=SIGMA)
    assert games_outside(recipe, dim, PUSH, fixed=True) > 2 * LIMIT
    whole = RobustLinUCB(BUDGET, bonus="l2", radius=radius, delta=DELTA, sigma=SIGMA)
    assert games_outside(whole, dim, PUSH, fixed=True) <= LIMIT
