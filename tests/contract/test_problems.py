"""Which problems the policies take: unknown horizons, changing arms, a ridge that is too small."""

import pytest

import robustbandits as rb
from catalogue import policy
from robustbandits.game.problem import Problem, UnsupportedProblem

EVERY_POLICY = pytest.mark.parametrize("name", rb.policies.__all__)


@EVERY_POLICY
def test_policy_needs_the_horizon_exactly_if_its_facts_say_so(name):
    recipe = policy(name)
    if "horizon" not in recipe.facts.needs:
        recipe.start(Problem(arms=3, dim=2))
        return
    with pytest.raises(ValueError, match=f"^{recipe.name} needs to know the horizon") as caught:
        recipe.start(Problem(arms=3, dim=2))
    assert "rounds=" in str(caught.value)
    assert "\n" not in str(caught.value)


@EVERY_POLICY
def test_policy_refuses_changing_arms_unless_it_is_contextual(name):
    recipe = policy(name)
    recipe.start(Problem(arms=3, dim=2, rounds=100))  # the environment does not say
    changing = Problem(arms=3, dim=2, rounds=100, fixed_arms=False)
    if recipe.facts.setting == "contextual":
        recipe.start(changing)
        return
    message = rf"^{recipe.name} needs the same arms .* such as CautiousLinUCB"
    with pytest.raises(UnsupportedProblem, match=message):
        recipe.start(changing)


@pytest.mark.parametrize("name", [n for n in rb.policies.__all__ if hasattr(policy(n), "ridge")])
def test_policy_refuses_a_ridge_that_is_too_small_for_float64(name):
    with pytest.raises(ValueError, match=r"^ridge must be at least .* raise ridge"):
        policy(name, ridge=1e-13).start(Problem(arms=3, dim=2, rounds=100))


@pytest.mark.parametrize(
    "attack",
    [
        rb.attacks.LinACE(10.0, ridge=0.001),
        rb.attacks.WeakVector(10.0, ridge=0.001),
        rb.attacks.ActionSwap(10.0, ridge=0.001),
        rb.attacks.Shadow(rb.attacks.Oracle(10.0), ridge=0.001),
        rb.attacks.LeverageAware(rb.attacks.Oracle(10.0), ridge=0.001),
    ],
    ids=lambda attack: attack.name,
)
def test_attack_refuses_a_ridge_that_is_too_small_for_float64(attack):
    with pytest.raises(ValueError, match=r"^ridge must be at least 0.0025 .*, got 0.001: .* raise"):
        attack.start(Problem(arms=3, dim=2, noise=0.1, rounds=10**6))
    attack.start(Problem(arms=3, dim=2, noise=0.1, rounds=4 * 10**5))


@pytest.mark.parametrize(
    ("ridge", "accepted", "refused"),
    [
        (1e-8, {"rounds": 4}, {"rounds": 20_000}),
        (0.0025, {"rounds": 10**6}, {"rounds": 10**6, "context_bound": 1.01}),
        (0.0025, {}, {"context_bound": 1.01}),  # an unknown number of rounds is a million
        (0.1, {"rounds": 10**12}, {"rounds": 10**12, "context_bound": 10.0}),
        (1e-6, {"rounds": 400}, {"rounds": 401}),
    ],
)
def test_the_smallest_ridge_depends_on_the_rounds_and_on_the_contexts(ridge, accepted, refused):
    recipe = rb.policies.LinUCB(ridge=ridge)
    with pytest.raises(ValueError, match="ridge must be at least"):
        recipe.start(Problem(arms=3, dim=2, **refused))
    recipe.start(Problem(arms=3, dim=2, **accepted))


@pytest.mark.parametrize(
    ("recipe", "bounds"),
    [
        (rb.policies.CWOFUL(), {"theta_bound": 1e200}),
        (rb.policies.CWOFUL(), {"theta_bound": 1e-200}),
        (rb.policies.CWOFUL(sigma=1e-170), {}),
        (rb.policies.CWOFUL(), {"context_bound": 1e200}),
        (rb.policies.COBE(), {"theta_bound": 1e6}),
        (rb.policies.WeightedOFUL(1.0), {"theta_bound": 1e200}),
        (rb.policies.WeightedOFUL(1.0), {"theta_bound": 1e-200}),
    ],
    ids=str,
)
def test_policy_refuses_a_ridge_of_its_theory_that_is_out_of_range(recipe, bounds):
    problem = Problem(arms=2, dim=2, rounds=100, **bounds)
    with pytest.raises(ValueError, match=r"the theory's ridge, .* must be between .*: pass ridge="):
        recipe.start(problem)
