"""What holds for all policies for fixed arms: twins, refusals, parameters, files."""

import numpy as np
import pytest

import robustbandits as rb
from catalogue import policy
from reference import twins_mab as twins
from reference.playing_arms import arms_of, arms_of_twin, hire, rewards_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO
from robustbandits.policies import (
    BARBAR,
    BARBAT,
    EXP3,
    MLAER,
    FastSlowElimination,
    RobustUCB,
    SuccessiveElimination,
    TsallisINF,
)

#: Playing compiles the kernels of a state, which takes seconds.
compiles = pytest.mark.slow if jit_is_on else lambda test: test

NAMES = [name for name in rb.policies.__all__ if getattr(rb.policies, name).facts.setting == "MAB"]

#: name: recipe, and the twin with its options spelled out again.
VARIANTS = {
    "fast-slow": (FastSlowElimination(budget=5.0), twins.fast_slow, {"budget": 5.0}),
    "fast-slow-narrow": (
        FastSlowElimination(budget=3.0, delta=0.2, width_scale=0.05),
        twins.fast_slow,
        {"budget": 3.0, "delta": 0.2, "width_scale": 0.05},
    ),
    "fast-slow-without-budget": (
        FastSlowElimination(budget=0.0, width_scale=0.02),
        twins.fast_slow,
        {"budget": 0.0, "width_scale": 0.02},
    ),
    "mlaer": (MLAER(), twins.mlaer, {}),
    "mlaer-narrow": (MLAER(width_scale=0.03), twins.mlaer, {"width_scale": 0.03}),
    "mlaer-wider": (
        MLAER(width_scale=0.15, delta=0.3),
        twins.mlaer,
        {"width_scale": 0.15, "delta": 0.3},
    ),
    "elimination": (
        SuccessiveElimination(budget=4.0, width_scale=0.2),
        twins.successive_elimination,
        {"budget": 4.0, "width_scale": 0.2},
    ),
    "elimination-without-budget": (
        SuccessiveElimination(budget=0, delta=0.5),
        twins.successive_elimination,
        {"budget": 0.0, "delta": 0.5},
    ),
    "barbar": (BARBAR(), twins.barbar, {}),
    "barbar-short": (
        BARBAR(lambda_const=0.4, delta=0.1),
        twins.barbar,
        {"lambda_const": 0.4, "delta": 0.1},
    ),
    "barbar-actual": (
        BARBAR(lambda_const=0.4, divide_by="actual"),
        twins.barbar,
        {"lambda_const": 0.4, "divide_by": "actual"},
    ),
    "barbat": (BARBAT(), twins.barbat, {}),
    "barbat-short": (BARBAT(lambda_const=0.1), twins.barbat, {"lambda_const": 0.1}),
    "barbat-actual": (
        BARBAT(lambda_const=0.2, divide_by="actual"),
        twins.barbat,
        {"lambda_const": 0.2, "divide_by": "actual"},
    ),
    "exp3": (EXP3(), twins.EXP3, {}),
    "exp3-alpha": (EXP3(alpha=0.3), twins.EXP3, {"alpha": 0.3}),
    "tsallis": (TsallisINF(), twins.TsallisINF, {}),
    "median": (RobustUCB(), twins.RobustUCB, {}),
    "median-coarse": (
        RobustUCB(low=0.1, high=0.8, bins=7, sigma=0.3, width_scale=1.0),
        twins.RobustUCB,
        {"low": 0.1, "high": 0.8, "bins": 7, "sigma": 0.3, "scale": 1.0},
    ),
    "trimmed": (
        RobustUCB(estimator="trimmed", trim=0.2),
        twins.RobustUCB,
        {"estimator": "trimmed", "trim": 0.2},
    ),
    "mean": (
        RobustUCB(estimator="trimmed", trim=0.0),
        twins.RobustUCB,
        {"estimator": "trimmed", "trim": 0.0},
    ),
}


#: Arms, rounds, and the part of the rounds after which rewards turn.
SIZES = [(2, 150, 0.5), (6, 300, 0.1), (25, 200, 0.3)]


@compiles
@pytest.mark.parametrize(("arms", "rounds", "turn"), SIZES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_policy_plays_like_its_twin(variant, arms, rounds, turn):
    recipe, make, options = VARIANTS[variant]
    rewards = rewards_of(rounds, arms, turn=turn)
    ours = arms_of(hire(recipe, arms=arms, rounds=rounds), rewards)
    _, theirs = arms_of_twin(make, rewards, rounds=rounds, **options)
    apart = np.flatnonzero(np.array(ours) != theirs)
    assert len(apart) == 0, f"first apart in round {apart[0]}"


@compiles
@pytest.mark.parametrize("name", NAMES)
def test_policy_with_one_arm_plays_it(name):
    rewards = rewards_of(60, 1)
    assert set(arms_of(hire(policy(name), arms=1, rounds=60), rewards)) == {0}


def test_twins_eliminate_lend_and_change_epochs():
    # The comparison above is only worth something if its twins do what they are there for.
    arms, rounds, turn = SIZES[1]
    played = {
        variant: arms_of_twin(make, rewards_of(rounds, arms, turn=turn), rounds=rounds, **options)
        for variant, (_, make, options) in VARIANTS.items()
        if "short" in variant or "narrow" in variant
    }
    for variant in ("fast-slow-narrow", "mlaer-narrow"):
        twin, _ = played[variant]
        assert len(twin.alive[0]) < arms
        assert twin.lent > 5
    for variant in ("barbar-short", "barbat-short"):
        assert played[variant][0].epoch > 2


@pytest.mark.parametrize("name", NAMES)
def test_policy_refuses_changing_arms_and_names_others(name):
    problem = Problem(arms=3, dim=2, rounds=100, fixed_arms=False)
    with pytest.raises(ValueError, match=rf"^{name} needs the same arms .* such as CautiousLinUCB"):
        policy(name).start(problem)


@pytest.mark.parametrize("name", NAMES)
def test_policy_takes_arms_that_nobody_says_change(name):
    policy(name).start(Problem(arms=3, dim=2, rounds=100))


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("BARBAT", "TsallisINF")])
def test_policy_that_needs_the_horizon_says_so(name):
    assert "horizon" in getattr(rb.policies, name).facts.needs
    with pytest.raises(ValueError, match=f"{name} needs to know the horizon"):
        policy(name).start(Problem(arms=3, dim=2))


@pytest.mark.parametrize("name", ["BARBAT", "TsallisINF"])
def test_policy_that_needs_no_horizon_starts_without(name):
    policy(name).start(Problem(arms=3, dim=2))


@compiles
def test_agent_must_show_every_arm():
    agent = rb.Agent(TsallisINF(), arms=3, dim=1)
    with pytest.raises(ValueError, match="a row for each of the 3 arms that TsallisINF plays"):
        agent._inputs.contexts(np.zeros((2, 1)))


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (FastSlowElimination, {"budget": -1.0}, "budget must be >= 0"),
        (FastSlowElimination, {"budget": 1.0, "delta": 1.0}, "delta must be between 0 and 1"),
        (FastSlowElimination, {"budget": 1.0, "width_scale": 0.0}, "width_scale must be > 0"),
        (SuccessiveElimination, {"budget": float("inf")}, "budget must be finite"),
        (SuccessiveElimination, {"budget": 1.0, "delta": 0.0}, "delta must be between 0 and 1"),
        (SuccessiveElimination, {"budget": 1, "width_scale": -1}, "width_scale must be > 0"),
        (MLAER, {"delta": 2.0}, "delta must be between 0 and 1"),
        (MLAER, {"width_scale": 0}, "width_scale must be > 0"),
        (BARBAR, {"delta": 0.0}, "delta must be between 0 and 1"),
        (BARBAR, {"lambda_const": 0.0}, "lambda_const must be > 0"),
        (BARBAR, {"divide_by": "hope"}, "divide_by must be one of 'planned', 'actual'"),
        (BARBAT, {"lambda_const": -3}, "lambda_const must be > 0"),
        (BARBAT, {"divide_by": 3}, "divide_by must be one of"),
        (EXP3, {"alpha": 1.5}, "alpha must be between 0 and 1"),
        (RobustUCB, {"estimator": "mean"}, "estimator must be one of 'median', 'trimmed'"),
        (RobustUCB, {"trim": 0.6}, "trim must be between 0 and 0.5"),
        (RobustUCB, {"sigma": -0.1}, "sigma must be >= 0"),
        (RobustUCB, {"width_scale": 0.0}, "width_scale must be > 0"),
        (RobustUCB, {"low": 2.0}, "high must be above low=2"),
        (RobustUCB, {"bins": 1}, "bins must be >= 2"),
        (RobustUCB, {"bins": 1 << 17}, "bins must be <= 65536"),
    ],
)
def test_bad_parameter_is_named(kind, values, message):
    with pytest.raises(ValueError, match=message):
        kind(**values)


def spoil(name, field, value, place=..., rounds=100):
    """Return a fresh state of a policy in which one field holds something else."""
    state = policy(name).start(Problem(arms=3, dim=2, rounds=rounds))
    getattr(state, field)[place] = value
    return state


#: A memo that each policy could have written.
MEMOS = {"EXP3": 0.5, "TsallisINF": 0.5, "BARBAR": 1.0, "BARBAT": 1.0}


@pytest.mark.parametrize("name", NAMES)
def test_fresh_state_passes_its_own_check(name):
    memos = np.full((2, MEMO), MEMOS.get(name, 0.0))
    policy(name).start(Problem(arms=3, dim=2, rounds=100)).check(memos)


@pytest.mark.parametrize(
    ("name", "field", "value", "place", "message"),
    [
        ("MLAER", "turns", 1e300, (-1, ...), "turns must equal counts"),
        ("MLAER", "turns", 1e300, (2, 1), "turns must equal counts"),
        ("MLAER", "turns", 3.0, (0, 1), "turns must equal counts"),
        ("MLAER", "counts", -1.0, (0, 1), "must be a whole number"),
        ("MLAER", "counts", 1e300, (0, 1), "must be a whole number"),
        ("MLAER", "tally", 9.0, (0, 3), "tally must hold"),
        ("MLAER", "tally", 1.0, (2, 2), "tally must hold"),
        ("MLAER", "chances", 0.0, 1, "must not be negative"),
        ("MLAER", "noise", -1.0, 1, "must not be negative"),
        ("SuccessiveElimination", "harm", -1.0, 0, "must not be negative"),
        ("BARBAR", "gaps", 0.0, 1, "must be positive"),
        ("BARBAR", "planned", -1.0, 1, "must be positive"),
        ("BARBAR", "diary", 0.5, 0, "number of the epoch"),
        ("BARBAT", "cumulative", 0.1, 2, "end at 1"),
        ("EXP3", "chances", 0.9, 0, "must sum to 1"),
        ("TsallisINF", "clock", -1.0, 0, "rewards learned"),
        ("RobustUCB", "counts", -1.0, 0, "must be a whole number"),
        ("RobustUCB", "counts", 0.5, 0, "must be a whole number"),
        ("RobustUCB", "tree", -2.0, (0, 5, 0), "must be a whole number"),
    ],
)
def test_impossible_state_is_refused(name, field, value, place, message):
    with pytest.raises(ValueError, match=message):
        spoil(name, field, value, place).check(np.full((1, MEMO), MEMOS.get(name, 0.0)))


@pytest.mark.parametrize("name", ["MLAER", "FastSlowElimination", "SuccessiveElimination"])
@pytest.mark.parametrize("layer", [-2.0, 0.5, 40.0])
def test_memo_of_no_layer_is_refused(name, layer):
    state = policy(name).start(Problem(arms=3, dim=2, rounds=100))
    with pytest.raises(ValueError, match="layer must be"):
        state.check(np.full((1, MEMO), layer))


@pytest.mark.parametrize("name", ["EXP3", "TsallisINF"])
@pytest.mark.parametrize("chance", [0.0, -1.0, 1.5, 1e-200])
def test_memo_of_no_chance_is_refused(name, chance):
    state = policy(name).start(Problem(arms=3, dim=2, rounds=100))
    with pytest.raises(ValueError, match="probability of an arm"):
        state.check(np.full((1, MEMO), chance))
