"""Policies and their twins with the same options: what test_twins.py compares."""

from reference import twins
from reference import twins_arms as arms
from reference import twins_contextual as contextual
from reference import twins_fixed as fixed
from reference import twins_window as window
from robustbandits import policies as ours


def same(kind, twin, **options):
    """Return a policy and its twin with the same options."""
    return kind(**options), twin, options


#: A recipe, its twin, and the twin's options; presets are spelled out again from the papers.
CORE = {
    "linucb": same(ours.LinUCB, twins.LinUCB),
    "linucb-det": same(ours.LinUCB, twins.LinUCB, radius="det"),
    "linucb-parameters": same(ours.LinUCB, twins.LinUCB, ridge=2.0, delta=0.2, sigma=0.03),
    "cautious": same(ours.CautiousLinUCB, twins.CautiousLinUCB),
    "cautious-parameters": same(
        ours.CautiousLinUCB, twins.CautiousLinUCB, tolerance=3.0, ridge=2.0, radius="det"
    ),
    "cw-oful": same(ours.CWOFUL, twins.CWOFUL),
    "cw-oful-budget": same(ours.CWOFUL, twins.CWOFUL, budget=20.0),
    "cw-oful-parameters": same(
        ours.CWOFUL, twins.CWOFUL, budget=3.0, ridge=0.5, sigma=0.2, delta=0.1
    ),
    "lints": same(ours.LinTS, twins.LinTS),
    "lints-scaled-det": same(ours.LinTS, twins.LinTS, scale=0.3, radius="det"),
    "greedy": same(ours.Greedy, twins.Greedy),
    "robust-linucb-paper": same(ours.RobustLinUCB, twins.LinUCB, budget=0.5, bonus="paper"),
    "robust-linucb-l1": same(ours.RobustLinUCB, twins.LinUCB, budget=3.0, bonus="l1"),
    "robust-linucb-l2": same(
        ours.RobustLinUCB, twins.LinUCB, budget=40.0, bonus="l2", max_corruption=0.5
    ),
    "robust-linucb-tight": same(ours.RobustLinUCB, twins.LinUCB, budget=40.0, bonus="tight"),
    "bob-no-restart": same(ours.BOBNoRestart, twins.BOBNoRestart),
    "bob-no-restart-as-written": (
        ours.BOBNoRestart.as_written(),
        twins.BOBNoRestart,
        {"candidates": "2KT", "bonus": "paper", "clip": False},
    ),
    "bob-no-restart-as-coded": (
        ours.BOBNoRestart.as_coded(),
        twins.BOBNoRestart,
        {
            "sigma": 0.01,
            "candidates": "2KT-floor",
            "bonus": "paper",
            "clip": False,
            "ties": "first",
        },
    ),
    "bob-no-restart-learning": same(
        ours.BOBNoRestart,
        twins.BOBNoRestart,
        candidates=[0, 0.5, 8, 200],
        alpha=0.2,
        bonus="l1",
    ),
    "bob-no-restart-tight": same(ours.BOBNoRestart, twins.BOBNoRestart, bonus="tight"),
    "robust-bandit-tight": same(
        ours.RobustBandit, twins.RobustBandit, epoch=40, candidates=[0, 1, 16], bonus="tight"
    ),
    "robust-bandit": same(ours.RobustBandit, twins.RobustBandit),
    "robust-bandit-as-written": (
        ours.RobustBandit.as_written(),
        twins.RobustBandit,
        {
            "candidates": "2KT",
            "epoch": "paper",
            "reward_scale": "none",
            "bonus": "paper",
            "delta_split": False,
        },
    ),
    "robust-bandit-as-coded": (
        ours.RobustBandit.as_coded(),
        twins.RobustBandit,
        {
            "sigma": 0.01,
            "candidates": "2KH-floor",
            "epoch": "never",
            "restart": False,
            "reward_scale": "none",
            "bonus": "paper",
            "index": "global",
            "delta_split": False,
            "ties": "first",
        },
    ),
    "robust-bandit-short-epochs": same(
        ours.RobustBandit,
        twins.RobustBandit,
        epoch=7,
        candidates=[0, 1, 16],
        alpha=0.3,
        radius="det",
    ),
    "robust-bandit-raw-sums": same(
        ours.RobustBandit,
        twins.RobustBandit,
        epoch=31,
        reward_scale="none",
        exp3_horizon="rounds",
    ),
    "robust-bandit-unclipped": same(
        ours.RobustBandit, twins.RobustBandit, epoch=5, clip=False, sigma=0.5, candidates="T"
    ),
    "robust-bandit-global": same(
        ours.RobustBandit, twins.RobustBandit, epoch=40, index="global", delta_split=False
    ),
    "robust-bandit-no-restart-global": same(
        ours.RobustBandit, twins.RobustBandit, epoch=40, index="global", restart=False
    ),
    "robust-bandit-no-restart-local": same(
        ours.RobustBandit, twins.RobustBandit, epoch=40, restart=False, delta_split=False
    ),
}
CONTEXTUAL = {
    "weighted": same(ours.WeightedOFUL, contextual.WeightedOFUL, budget=5.0),
    "weighted-practical": same(
        ours.WeightedOFUL,
        contextual.WeightedOFUL,
        budget=3.0,
        radius_scale=0.003,
        ridge=0.2,
        sigma=2.0,
    ),
    "multi-level": same(ours.MultiLevelWeightedOFUL, contextual.WeightedOFUL),
    "multi-level-practical": same(
        ours.MultiLevelWeightedOFUL,
        contextual.WeightedOFUL,
        levels=3,
        radius_scale=0.01,
        noise_bound=0.0,
    ),
    "cobe": same(ours.COBE, contextual.COBE),
    "cobe-testing": same(ours.COBE, contextual.COBE, test_scale=1e-4, sigma=0.05),
    "cobe-large-corruptions": same(
        ours.COBE, contextual.COBE, test_scale=1e-4, sigma=0.05, max_corruption=8.0
    ),
    "shared-grid": same(ours.SharedGrid, contextual.SharedGrid),
    "shared-grid-own": same(
        ours.SharedGrid,
        contextual.SharedGrid,
        candidates=(8.0, 0.0, 0.5, 300.0),
        floor=0.04,
    ),
    "shared-grid-tight": same(
        ours.SharedGrid, contextual.SharedGrid, candidates=[0, 2, 50], bonus="tight", floor=0.01
    ),
    "shared-grid-experts-only": same(ours.SharedGrid, contextual.SharedGrid, uniform=False),
    "huber": same(ours.HuberOFUL, contextual.HuberOFUL),
    "huber-practical": same(ours.HuberOFUL, contextual.HuberOFUL, radius_scale=0.001),
    "huber-heavy": same(
        ours.HuberOFUL,
        contextual.HuberOFUL,
        radius_scale=0.0001,
        moment=1.4,
        ridge=0.5,
        sigma=0.02,
    ),
    "huber-corrupted": same(ours.HuberOFUL, contextual.HuberOFUL, budget=None, radius_scale=0.001),
    "regression": same(ours.RobustRegressionUCB, contextual.RobustRegressionUCB),
    "regression-small-memory": same(
        ours.RobustRegressionUCB,
        contextual.RobustRegressionUCB,
        memory=50,
        fraction=0.2,
        passes=3,
    ),
    "window-1": same(ours.SlidingWindowLinUCB, window.SlidingWindow, window=1),
    "window-3": same(ours.SlidingWindowLinUCB, window.SlidingWindow, window=3),
    "window-40": same(ours.SlidingWindowLinUCB, window.SlidingWindow, window=40),
    "window-as-written": (
        ours.SlidingWindowLinUCB.as_written(window=40),
        window.SlidingWindow,
        {"window": 40, "growing": False, "delta": None},
    ),
    "window-det": same(
        ours.SlidingWindowLinUCB, window.SlidingWindow, window=25, radius="det", ridge=0.5
    ),
    "window-variation": same(ours.SlidingWindowLinUCB, window.SlidingWindow, variation=40.0),
    "window-theory": same(ours.SlidingWindowLinUCB, window.SlidingWindow),
    "bob": same(ours.BOB, window.BOB),
    "bob-as-written": (
        ours.BOB.as_written(),
        window.BOB,
        {"growing": False, "delta": None, "clip": False},
    ),
    "bob-windows": same(ours.BOB, window.BOB, block=20, windows=[3, 20, 7], alpha=0.3),
    "bob-short": same(ours.BOB, window.BOB, block=11, radius="det", sigma=0.3),
    "bob-one-window": same(ours.BOB, window.BOB, block=40, windows=[5]),
}
ARMS = {
    "fast-slow": same(ours.FastSlowElimination, arms.fast_slow, budget=5.0),
    "fast-slow-narrow": same(
        ours.FastSlowElimination, arms.fast_slow, budget=3.0, delta=0.2, width_scale=0.05
    ),
    "fast-slow-without-budget": same(
        ours.FastSlowElimination, arms.fast_slow, budget=0.0, width_scale=0.02
    ),
    "mlaer": same(ours.MLAER, arms.mlaer),
    "mlaer-narrow": same(ours.MLAER, arms.mlaer, width_scale=0.03),
    "mlaer-wider": same(ours.MLAER, arms.mlaer, width_scale=0.15, delta=0.3),
    "elimination": same(
        ours.SuccessiveElimination,
        arms.successive_elimination,
        budget=4.0,
        width_scale=0.2,
    ),
    "elimination-without-budget": same(
        ours.SuccessiveElimination, arms.successive_elimination, budget=0.0, delta=0.5
    ),
    "barbar": same(ours.BARBAR, arms.barbar),
    "barbar-short": same(ours.BARBAR, arms.barbar, lambda_const=0.4, delta=0.1),
    "barbar-actual": same(ours.BARBAR, arms.barbar, lambda_const=0.4, divide_by="actual"),
    "barbat": same(ours.BARBAT, arms.barbat),
    "barbat-short": same(ours.BARBAT, arms.barbat, lambda_const=0.1),
    "barbat-actual": same(ours.BARBAT, arms.barbat, lambda_const=0.2, divide_by="actual"),
    "exp3": same(ours.EXP3, arms.EXP3),
    "exp3-alpha": same(ours.EXP3, arms.EXP3, alpha=0.3),
    "tsallis": same(ours.TsallisINF, arms.TsallisINF),
    "median": same(ours.RobustUCB, arms.RobustUCB),
    "median-coarse": same(
        ours.RobustUCB,
        arms.RobustUCB,
        low=0.1,
        high=0.8,
        bins=7,
        sigma=0.3,
        width_scale=1.0,
    ),
    "median-horizon": same(ours.RobustUCB, arms.RobustUCB, clock="horizon"),
    "trimmed": same(ours.RobustUCB, arms.RobustUCB, estimator="trimmed", trim=0.2),
    "trimmed-wide": same(
        ours.RobustUCB, arms.RobustUCB, estimator="trimmed", trim=0.45, width_scale=0.3
    ),
    "mean": same(ours.RobustUCB, arms.RobustUCB, estimator="trimmed", trim=0.0),
}


KERNELS = {
    "linear": ({}, fixed.linear),
    "rbf": ({"kernel": "rbf"}, fixed.rbf),
    "rbf-short": ({"kernel": "rbf", "lengthscale": 0.3}, lambda x, y: fixed.rbf(x, y, 0.3)),
    "matern-1/2": (
        {"kernel": "matern", "smoothness": 0.5},
        lambda x, y: fixed.matern(x, y, 0.5),
    ),
    "matern-3/2": (
        {"kernel": "matern", "smoothness": 1.5, "lengthscale": 2.0},
        lambda x, y: fixed.matern(x, y, 1.5, 2.0),
    ),
    "matern-5/2": ({"kernel": "matern"}, lambda x, y: fixed.matern(x, y, 2.5)),
}


def process(recipe, twin, name, **options):
    """Return a policy with Gaussian processes and its twin."""
    kernel, function = KERNELS[name]
    return recipe(**kernel, **options), twin, {"kernel": function, **options}


def enlarged(name):
    return process(ours.EnlargedGPUCB, fixed.EnlargedGP, name, budget=3.0)


def fast_slow(name, **options):
    return process(ours.FastSlowGPUCB, fixed.FastSlowGP, name, **options)


def multi_layer(name, **options):
    return process(ours.MultiLayerGPUCB, fixed.MultiLayerGP, name, **options)


#: Bounds much narrower than the noise, so that processes contradict each other: for a switch in the
#: middle of a game, for layers that rule out all arms, and for a slowest layer that does so, too.
SWITCHING = {"sigma": 0.01, "norm_bound": 0.4, "bonus_scale": 0.0}
EMPTY = {"sigma": 0.005, "norm_bound": 0.2, "bonus_scale": 0.01}
ALL_EMPTY = {"sigma": 0.005, "norm_bound": 0.2, "bonus_scale": 0.0}
#: Policies with Gaussian processes, for games of 100 rounds.
PROCESSES = {
    **{f"enlarged-{name}": enlarged(name) for name in KERNELS},
    **{
        f"fast-slow-{name}": fast_slow(name, budget=4.0, max_corruption=0.5, bonus_scale=0.2)
        for name in ("linear", "rbf", "matern-3/2")
    },
    "fast-slow-alone": fast_slow("linear", budget=0.5),
    "fast-slow-one": fast_slow("rbf", budget=1.0, alpha=1.0),
    **{
        f"fast-slow-switching-{name}": fast_slow(name, budget=2.0, **SWITCHING)
        for name in ("linear", "rbf")
    },
    **{
        f"multi-{name}": multi_layer(name, bonus_scale=0.01, sigma=0.02)
        for name in ("linear", "rbf-short", "matern-5/2")
    },
    **{f"multi-empty-{name}": multi_layer(name, **EMPTY) for name in ("linear", "rbf")},
    "multi-all-empty": multi_layer("linear", **ALL_EMPTY),
    "multi-alpha": multi_layer("linear", alpha=1.0, bonus_scale=0.1, ridge=1.0),
}


def phased(**options):
    return same(ours.RobustPhasedElimination, fixed.PhasedElimination, **options)


#: Policies with phases; number of arms and dimension without the intercept.
PHASES = {
    "paper-unknown": (phased(), 9, 3),
    "paper-known": (phased(budget=0.001, sigma=0.01), 9, 3),
    "paper-least-weight": (phased(budget=0.001, first_phase=4), 9, 3),
    "tight-unknown": (phased(threshold="tight", first_phase=53), 9, 3),
    "tight-known": (phased(budget=2.0, threshold="tight", first_phase=31, delta=0.2), 9, 3),
    "tight-small-corruptions": (
        phased(budget=40.0, threshold="tight", first_phase=31, max_corruption=0.01),
        9,
        3,
    ),
    "basis": (same(ours.SupportBasisExploration, fixed.SupportBasis, scale=1.0), 6, 2),
    "basis-exploiting": (same(ours.SupportBasisExploration, fixed.SupportBasis, scale=0.2), 3, 1),
}
