"""The proof of docs/tight.md, checked in games: |x·(θ̂ - θ)| <= β‖x‖ + C·h(x) under any attack."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.match import NATURE, stream
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO
from robustbandits.policies import RobustLinUCB

#: Rounding of the regression, relative and absolute.
SLACK = 1 + 1e-9, 1e-9


def unit_vectors(rng, *shape):
    vectors = rng.standard_normal(shape)
    return vectors / np.linalg.norm(vectors, axis=0)


class Attack:
    """Corrupts rewards by ``budget`` in total: at random, or to raise the estimate of one arm."""

    def __init__(self, kind, budget, target, rng):
        self.kind, self.left, self.target, self.rng = kind, budget, target, rng

    def change(self, ridge, context):
        """Return the change of the reward at a context; what was spent before is known."""
        if self.kind == "once":  # everything at the first pull
            wanted = -self.left
        elif self.kind == "random":
            wanted = self.rng.standard_normal()
        else:  # raise the estimate of one arm
            pull = self.target @ ridge.inverse @ context
            wanted = math.copysign(1.0, pull) if abs(pull) > 1e-9 else 0.0
        change = math.copysign(min(abs(wanted), self.left), wanted)
        self.left -= abs(change)
        return change


def excesses(recipe, contexts_of, theta, attack, noise, problem):
    """Play a game; yield by how much the worst arm's error exceeds its bonus before each round."""
    state, rng, memo = recipe.start(problem), np.random.default_rng(0), np.zeros(MEMO)
    for t in range(len(noise) + 1):
        contexts = contexts_of(t)
        means, bonuses = np.empty((2, contexts.shape[1]))
        state.score(contexts, memo, means, bonuses)
        yield (abs(means - theta @ contexts) - SLACK[0] * bonuses - SLACK[1]).max()
        if t == len(noise):
            return
        arm = state.choose(contexts, rng, memo)
        context = contexts[:, arm].copy()
        seen = theta @ context + noise[t] + attack.change(state.optimist.ridge, context)
        state.learn(arm, context, seen, memo, rng)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["catalogue", "told catalogue", "changing"]),
    st.sampled_from(["once", "random", "raise"]),
    st.tuples(st.integers(1, 5), st.integers(1, 8)),
    st.floats(0.01, 50.0),
    st.floats(0.01, 10.0),
    st.integers(0, 2**32 - 1),
)
def test_without_noise_no_arms_error_exceeds_its_bonus(kind, attack, size, budget, penalty, seed):
    # Without noise β is √λ S, so the bonus of an arm is √λ S ‖x‖ + C h(x).
    dim, arms = size
    rng = np.random.default_rng(seed)
    table = unit_vectors(rng, dim, arms, 1 if "catalogue" in kind else 41)
    problem = Problem(arms=arms, dim=dim, fixed_arms={"told catalogue": True}.get(kind))
    recipe = RobustLinUCB(budget, sigma=0.0, ridge=penalty)
    found = excesses(
        recipe,
        lambda t: np.ascontiguousarray(table[:, :, t % table.shape[2]]),
        unit_vectors(rng, dim),
        Attack(attack, budget, table[:, rng.integers(arms), 0], rng),
        np.zeros(40),
        problem,
    )
    assert max(found) <= 0.0


# ----------------------------------------------------------------------------- games with noise

RUNS, ROUNDS, DELTA, SIGMA, BUDGET = 80, 80, 0.1, 0.3, 30.0
#: If each game leaves the bounds with probability DELTA at most, more games than this do so with
#: probability below 1e-7.
LIMIT = stats.binom.isf(1e-7, RUNS, DELTA)


def games_outside(attack, told, *, arms=4, dim=4, changing=False):
    """Return in how many games an arm's error ever exceeded its bonus, if told this budget."""
    rng = np.random.default_rng([arms, dim, changing])
    outside = 0
    for _ in range(RUNS):
        rounds = ROUNDS + 1 if changing else 1
        # On the axes if the dimensions suffice: then the bound is reached.
        table = np.eye(dim)[:, :arms, None] if arms <= dim else unit_vectors(rng, dim, arms, rounds)
        found = excesses(
            RobustLinUCB(told, sigma=SIGMA, delta=DELTA, radius="det"),
            lambda t, table=table: np.ascontiguousarray(table[:, :, t % table.shape[2]]),
            unit_vectors(rng, dim),
            Attack(attack, BUDGET, table[:, 0, 0], rng),
            SIGMA * rng.standard_normal(ROUNDS),
            Problem(arms=arms, dim=dim, fixed_arms=not changing),
        )
        outside += max(found) > 0.0
    return outside


needs_speed = pytest.mark.skipif(not jit_is_on, reason="tens of thousands of rounds")


@pytest.mark.statistical
@needs_speed
@pytest.mark.parametrize(("arms", "changing"), [(4, False), (9, False), (9, True)])
@pytest.mark.parametrize("attack", ["once", "raise"])
def test_bonus_covers_the_error_of_every_arm_with_probability_one_minus_delta(
    attack, arms, changing
):
    assert games_outside(attack, BUDGET, arms=arms, changing=changing) <= LIMIT


@pytest.mark.statistical
@needs_speed
@pytest.mark.parametrize("attack", ["once", "raise"])
def test_half_of_the_tight_bonus_does_not_cover(attack):
    # So the test above can fail: half of the budget is half of C·h(x).
    assert games_outside(attack, BUDGET / 2) > 2 * LIMIT


@pytest.mark.parametrize("budget", [0.0, 5.0, 60.0])
@pytest.mark.parametrize(
    "attack", ["NoAttack", "Garcelon", "Oracle", "FlipTheta"] if jit_is_on else ["Garcelon"]
)
def test_orthogonal_arms_are_pulled_no_more_often_than_the_bound(attack, budget):
    # An inferior arm is pulled at most max(16β²/Δ², 4C/Δ) + 1 times.
    rounds = 20_000 if jit_is_on else 1500
    environment = rb.environments.Simulation(
        arms=6, dim=6, contexts="one-hot", intercept=False, noise=0.1
    )
    kind = getattr(rb.attacks, attack)
    recipe = RobustLinUCB(budget)
    for seed in range(4):
        ledger = rb.simulate(
            environment=environment,
            attack=kind() if attack == "NoAttack" else kind(budget),
            policy=recipe,
            rounds=rounds,
            seed=seed,
        )
        nature = environment.start(rounds, stream(seed, NATURE))
        means = nature.draw(1).means[0]
        bound = nature.problem.theta_bound
        beta = 0.1 * math.sqrt(6 * math.log((1 + rounds / 0.1) / 0.01)) + math.sqrt(0.1) * bound
        gaps = means.max() - means
        for arm in np.flatnonzero(gaps > 0.0):
            most = max(16 * beta**2 / gaps[arm] ** 2, 4 * budget / gaps[arm]) + 1
            assert ledger.pulls[arm] <= most
        assert ledger.pulls.sum() == rounds
