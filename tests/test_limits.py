"""The limits: closed forms, brute force in two dimensions, and what the library's policies pay."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from robustbandits.game.match import NATURE, stream
from robustbandits.limits import (
    consistent_lie,
    least_budget,
    least_pulls,
    price_of_tolerance,
)

ORTHOGONAL = np.eye(2)


def catalogue(seed, **settings):
    nature = rb.environments.Simulation(contexts="fixed", **settings).start(1, stream(seed, NATURE))
    block = nature.draw(1)
    return block.contexts[0].T, block.means[0]


@pytest.mark.parametrize("gap", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("margin", [0.02, 0.2])
@pytest.mark.parametrize("budget", [0.0, 7.0, 1e6])
def test_two_orthogonal_arms_have_a_closed_form(gap, margin, budget):
    price = price_of_tolerance(ORTHOGONAL, [0.6, 0.6 - gap], budget, margin)
    assert price == pytest.approx(budget * gap / (gap + margin))
    if gap:
        pulls = least_pulls(ORTHOGONAL, [0.6, 0.6 - gap], budget, margin)
        assert pulls == pytest.approx([0.0, budget / (gap + margin)])


def plane_price(contexts, means, margin):
    """In the plane all lies are multiples of one direction, so the price can be written down."""
    best = int(np.argmax(means))
    gaps = means[best] - means
    normal = np.array([-contexts[best, 1], contexts[best, 0]])
    along = contexts @ normal
    rivals = [arm for arm in range(len(means)) if arm != best]
    smallest = min((gaps[a] + margin) / abs(along[a]) for a in rivals)
    return min(gaps[a] / abs(along[a]) for a in rivals) / smallest


@given(seed=st.integers(0, 10**6), arms=st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_in_the_plane_the_price_is_that_of_the_only_direction(seed, arms):
    rng = np.random.default_rng(seed)
    contexts, theta = rng.normal(size=(arms, 2)), rng.normal(size=2)
    means = contexts @ theta
    expected = plane_price(contexts, means, 0.1)
    assert price_of_tolerance(contexts, means, 1.0, 0.1) == pytest.approx(expected, rel=1e-5)


def brute_force_price(contexts, means, margin, low, high):
    """Try all pulls of a grid against all z of a grid; means must stay in [low, high]."""
    axis = np.linspace(-3.0, 3.0, 601)
    best = int(np.argmax(means))
    normal = np.array([-contexts[best, 1], contexts[best, 0]])
    shifts = np.outer(axis, contexts @ normal)
    worlds = means + shifts
    possible = ((worlds >= low - 1e-12) & (worlds <= high + 1e-12)).all(axis=1)
    admissible = shifts[possible & (worlds.max(axis=1) >= means[best] + margin)]
    if not len(admissible):
        return 0.0
    gaps, grid = means[best] - means, np.linspace(0.0, 20.0, 201)
    rivals = [arm for arm in range(len(means)) if arm != best]
    prices = []
    for counts in itertools.product(grid, repeat=len(rivals)):
        pulls = np.zeros(len(means))
        pulls[rivals] = counts
        if (np.abs(admissible) @ pulls >= 1.0).all():
            prices.append(gaps @ pulls)
    return min(prices)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("means_in", ["any", "unit"])
def test_brute_force_in_two_dimensions_finds_the_same_price(seed, means_in):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.0, 2.0 * math.pi, 3)
    contexts = np.column_stack([np.cos(angles), np.sin(angles)])
    means = 0.5 + 0.4 * contexts @ [0.6, 0.8]
    low, high = (-np.inf, np.inf) if means_in == "any" else (0.0, 1.0)
    expected = brute_force_price(contexts, means, 0.05, low, high)
    price = price_of_tolerance(contexts, means, 1.0, 0.05, means_in)
    # The grid of pulls has steps of 0.1, and that of lies steps of 0.01.
    assert price <= expected + 0.1
    assert price >= expected - 0.1


def test_no_lie_is_cheaper_than_the_budget_under_the_least_pulls():
    contexts, means = catalogue(0, arms=6, dim=3)
    best, pulls = int(np.argmax(means)), least_pulls(contexts, means, 10.0, 0.02)
    assert (means.max() - means) @ pulls == pytest.approx(price_of_tolerance(contexts, means, 10.0))
    rng, checked = np.random.default_rng(1), 0
    for _ in range(2000):
        z = rng.normal(size=contexts.shape[1])
        z -= contexts[best] * (contexts[best] @ z) / (contexts[best] @ contexts[best])
        shifts = contexts @ z
        rises = np.where(
            shifts > 1e-9, (means[best] - means + 0.02) / np.maximum(shifts, 1e-9), 9e9
        )
        shifts = shifts * rises.min()  # the smallest multiple that makes another arm best
        if rises.min() < 9e9:
            checked += 1
            assert np.abs(shifts) @ pulls >= 10.0 * (1 - 1e-5)
    assert checked > 1000


def test_the_least_pulls_for_a_budget_make_it_the_least_budget():
    contexts, means = catalogue(0, arms=6, dim=3)
    pulls = least_pulls(contexts, means, 10.0)
    assert least_budget(contexts, means, pulls) == pytest.approx(10.0, rel=1e-5)
    # Pulls of the best arm do not count, because its rewards are not changed.
    pulls[means.argmax()] = 1e6
    assert least_budget(contexts, means, pulls) == pytest.approx(10.0, rel=1e-5)
    assert least_budget(contexts, means, np.zeros(6)) == 0.0


@given(seed=st.integers(0, 10**6), gap=st.floats(0.01, 0.5), count=st.floats(1.0, 1e4))
@settings(max_examples=10, deadline=None)
def test_no_pulls_withstand_more_than_their_regret_can_buy(seed, gap, count):
    assert least_budget(ORTHOGONAL, [0.6, 0.6 - gap], [9e4, count]) == pytest.approx(
        count * (gap + 0.02)
    )
    contexts, means = catalogue(3, arms=6, dim=3)
    pulls = np.random.default_rng(seed).uniform(0.0, count, 6)
    regret = (means.max() - means) @ pulls
    budget = least_budget(contexts, means, pulls)
    assert price_of_tolerance(contexts, means, budget) <= regret * (1 + 1e-5)


def test_a_budget_that_cannot_change_the_best_arm_is_infinite():
    assert least_budget(ORTHOGONAL, [1.0, 0.4], [100, 100], means_in="unit") == math.inf
    assert least_budget(ORTHOGONAL, [1.0, 0.4], [100, 100]) == pytest.approx(62.0)


def test_the_price_grows_with_the_budget_and_falls_with_the_margin():
    contexts, means = catalogue(1, arms=8, dim=3)
    one = price_of_tolerance(contexts, means, 1.0)
    assert price_of_tolerance(contexts, means, 250.0) == pytest.approx(250.0 * one)
    assert price_of_tolerance(contexts, means, math.inf) == math.inf
    assert price_of_tolerance(contexts, means, 1.0, 0.2) < one


def test_if_the_best_mean_is_one_no_other_can_be_better_in_the_unit_class():
    means = [1.0, 0.4]
    assert price_of_tolerance(ORTHOGONAL, means, 100.0, means_in="unit") == 0.0
    assert price_of_tolerance(ORTHOGONAL, means, 100.0) > 90.0


def test_arms_that_share_a_direction_cannot_be_lied_about():
    assert price_of_tolerance([[1.0], [0.5]], [0.8, 0.4], 100.0) == 0.0
    assert consistent_lie([[1.0], [0.5]], [0.8, 0.4], 1, [10, 10]).cost == math.inf


def test_the_default_catalogues_have_the_prices_of_the_page():
    prices = [price_of_tolerance(*catalogue(seed), 100.0) for seed in (0, 1)]
    assert prices == pytest.approx([513.13, 464.40], abs=0.01)


def test_a_lie_about_two_orthogonal_arms_has_a_closed_form():
    lie = consistent_lie(ORTHOGONAL, [0.6, 0.5], 1, [40.0, 960.0], margin=0.05)
    assert lie.shifts == pytest.approx([-0.15, 0.0])
    assert lie.cost == pytest.approx(40 * 0.15)


def test_a_lie_is_linear_spares_the_target_and_makes_it_best():
    contexts, means = catalogue(2)
    target = int(np.argsort(means)[10])
    pulls = np.random.default_rng(0).uniform(1.0, 100.0, len(means))
    lie = consistent_lie(contexts, means, target, pulls)
    z = np.linalg.lstsq(contexts, lie.shifts, rcond=None)[0]
    assert contexts @ z == pytest.approx(lie.shifts, abs=1e-8)
    assert lie.shifts[target] == pytest.approx(0.0, abs=1e-8)
    seeming = means + lie.shifts
    assert (np.delete(seeming, target) <= means[target] - 0.05 + 1e-8).all()
    assert seeming.min() >= -1e-8
    assert lie.cost == pytest.approx(pulls @ np.abs(lie.shifts))
    # It costs no more than any other lie of this kind: for instance, one found for equal pulls.
    other = consistent_lie(contexts, means, target, np.ones(len(means)))
    assert lie.cost <= pulls @ np.abs(other.shifts) + 1e-6


def test_a_policy_that_is_told_a_consistent_lie_plays_the_target():
    contexts, means = catalogue(3, arms=6, dim=3)
    worse = [arm for arm in range(6) if arm != means.argmax()]
    lies = {arm: consistent_lie(contexts, means, arm, np.ones(6)) for arm in worse}
    target, lie = min(lies.items(), key=lambda item: item[1].cost)
    agent = rb.Agent(rb.policies.LinUCB(), arms=6, dim=4, rounds=2000, seed=0)
    rng, pulls = np.random.default_rng(0), np.zeros(6)
    for _ in range(2000):
        decision = agent.choose(contexts)
        pulls[decision.arm] += 1
        seen = means[decision.arm] + lie.shifts[decision.arm] + 0.05 * rng.standard_normal()
        agent.learn(decision, float(np.clip(seen, 0.0, 1.0)))
    assert pulls[target] > 1000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contexts": [1.0, 2.0]}, r"contexts must have shape \(arms, dim\), got \(2,\)"),
        ({"means": [0.5]}, r"means must have shape \(2,\), as contexts has; got \(1,\)"),
        ({"means": [0.5, math.nan]}, "contexts and means must be finite"),
        ({"budget": -1.0}, "budget must be >= 0, got -1.0"),
        ({"margin": 0.0}, "margin must be > 0, got 0.0"),
        ({"means_in": "all"}, "means_in must be one of 'any', 'unit'; got 'all'"),
    ],
)
def test_bad_arguments_are_refused(changes, message):
    arguments = {"contexts": ORTHOGONAL, "means": [0.6, 0.5], "budget": 1.0, **changes}
    with pytest.raises(ValueError, match=message):
        price_of_tolerance(**arguments)


def test_a_lie_needs_an_existing_target_and_one_count_for_each_arm():
    with pytest.raises(ValueError, match="target must be <= 1, got 2"):
        consistent_lie(ORTHOGONAL, [0.6, 0.5], 2, [1, 1])
    with pytest.raises(ValueError, match="pulls must be 2 finite numbers >= 0"):
        consistent_lie(ORTHOGONAL, [0.6, 0.5], 1, [1, -1])
    with pytest.raises(ValueError, match="pulls must be 2 finite numbers >= 0"):
        least_budget(ORTHOGONAL, [0.6, 0.5], [1, -1])
