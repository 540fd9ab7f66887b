"""Numbers of a file that would lead kernels out of their arrays, or to infinity, are refused."""

import functools
import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import policy
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO
from robustbandits.policies.arms import barbar
from robustbandits.policies.catalogue import _phases
from robustbandits.policies.linear import _blocks, sliding_window_linucb

PROBLEM = Problem(arms=3, dim=2, rounds=1000)

#: Policies that are not started with their default parameters here.
RECIPES = {
    "MultiLevelWeightedOFUL": rb.policies.MultiLevelWeightedOFUL(levels=3),
    "SharedGrid": rb.policies.SharedGrid(candidates=[0, 1]),
    "SlidingWindowLinUCB": rb.policies.SlidingWindowLinUCB(window=5),
    "BOB": rb.policies.BOB(block=20, windows=[2, 5, 20]),
    "BOBNoRestart": rb.policies.BOBNoRestart(candidates=[0, 1]),
    "RobustBandit": rb.policies.RobustBandit(candidates=[0, 1]),
    "MultiLayerGPUCB": rb.policies.MultiLayerGPUCB(layers=3),
    "MultiLayerGPUCB rbf": rb.policies.MultiLayerGPUCB(layers=3, kernel="rbf"),
}
#: A possible memo and impossible ones; a possible memo is 0 throughout unless it is listed.
MEMOS = {
    "WeightedOFUL": ([0], [1], [-1]),
    "MultiLevelWeightedOFUL": ([3], [0], [4], [1.5]),
    "COBE": ([0, 1], [0, -1], [0, 99], [99, 0]),
    "SharedGrid": (
        [1, -1, 0.1, 3],
        [2, 0, 0.5, 3],
        [0, 2, 0.5, 3],
        [0, 0, 0, 3],
        [0, 0, 1e-300, 3],
        [0, 0, 0.5, 0],
        [0.5, 0, 0.5, 3],
    ),
    "SlidingWindowLinUCB": ([0, 1], [1, 1], [0, 0], [-1, 1], [0, 1.5]),
    "BOB": ([2, 0.5], [3, 0.5], [0, -0.5]),
    "BOBNoRestart": ([1, 0.5], [2, 0.5], [0.5, 0.5], [1, 0]),
    "RobustBandit": ([1, 0.5], [2, 0.5], [-1, 0.5], [1, math.nan]),
    "MLAER": ([-1], [-2], [0.5], [40]),
    "FastSlowElimination": ([1], [-2], [0.5], [2]),
    "SuccessiveElimination": ([0], [-2], [0.5], [1]),
    "EXP3": ([0.5], [0], [-1], [1.5], [1e-200]),
    "TsallisINF": ([0.5], [0], [-1], [1.5], [1e-200]),
    "BARBAR": ([1],),
    "BARBAT": ([1],),
    "FastSlowGPUCB": ([2, 1], [3, 0], [-1, 0], [0.5, 0], [0, 2], [0, -1]),
    **dict.fromkeys(
        ("MultiLayerGPUCB", "MultiLayerGPUCB rbf"),
        ([-1, 2], [-2, 0], [3, 0], [0.5, 0], [math.nan, 0], [0, -1], [0, 3]),
    ),
}
#: Policy, field of its state, index, and a number that cannot be there.
STATES = [
    ("COBE", "stage", 0, 1e6),
    ("RobustRegressionUCB", "memory.clock", 0, -1.0),
    ("RobustRegressionUCB", "memory.clock", 0, 0.5),
    ("RobustRegressionUCB", "memory.clock", 0, 2.0**60),
    ("RobustBandit", "diary", _blocks.CANDIDATE, 2.0),
    ("BOB", "diary", _blocks.CANDIDATE, 3.0),
    ("SlidingWindowLinUCB", "diary", _blocks.CANDIDATE, 1.0),
    ("SlidingWindowLinUCB", "diary", _blocks.CANDIDATE, -2.0),
    ("SlidingWindowLinUCB", "diary", _blocks.CANDIDATE, 0.5),
    ("SlidingWindowLinUCB", "diary", _blocks.CHANCE, 0.0),
    *(
        ("SlidingWindowLinUCB", "diary", sliding_window_linucb.NEXT, row)
        for row in (-1.0, 5.0, 1.5, 1e18)
    ),
    *(("SlidingWindowLinUCB", "windows", 0, size) for size in (0.0, 6.0, 2.5, -3.0, 1e300)),
    ("MLAER", "turns", (-1, ...), 1e300),
    ("MLAER", "turns", (2, 1), 1e300),
    ("MLAER", "turns", (0, 1), 3.0),
    ("MLAER", "counts", (0, 1), -1.0),
    ("MLAER", "counts", (0, 1), 1e300),
    ("MLAER", "tally", (0, 3), 9.0),
    ("MLAER", "tally", (2, 2), 1.0),
    ("MLAER", "chances", 1, 0.0),
    ("MLAER", "noise", 1, -1.0),
    ("SuccessiveElimination", "harm", 0, -1.0),
    ("BARBAR", "gaps", 1, 0.0),
    ("BARBAR", "planned", 1, -1.0),
    ("BARBAR", "diary", barbar.NUMBER, 0.5),
    ("BARBAT", "cumulative", 2, 0.1),
    ("EXP3", "chances", 0, 0.9),
    ("EXP3", "weights", 0, -1.0),
    ("TsallisINF", "clock", 0, -1.0),
    ("RobustUCB", "counts", 0, -1.0),
    ("RobustUCB", "counts", 0, 0.5),
    ("RobustUCB", "tree", (0, 5, 0), -2.0),
    ("RobustUCB", "tally", 0, 0.5),
    ("FastSlowGPUCB", "valid", 0, 0.5),
    ("MultiLayerGPUCB", "listed", (0, 1), 2.0),
    ("MultiLayerGPUCB", "listed", (1, 1), 0.0),  # a faster layer has the arm
    ("MultiLayerGPUCB", "listed", ..., 0.0),
    *(("SupportBasisExploration", "diary", _phases.LEADER, a) for a in (-1.0, 3.0, 0.5, math.nan)),
]


def fresh(name):
    return (RECIPES.get(name) or policy(name)).start(PROBLEM)


def rows_of(memos):
    return np.array([[*memo, *[0.0] * (MEMO - len(memo))] for memo in memos])


@pytest.mark.parametrize("name", [n for n in rb.policies.__all__ if hasattr(fresh(n), "check")])
def test_fresh_state_and_possible_memos_pass(name):
    fresh(name).check(rows_of(MEMOS.get(name, ([0],))[:1]))
    fresh(name).check(np.empty((0, MEMO)))


@pytest.mark.parametrize(("name", "memo"), [(n, bad) for n in MEMOS for bad in MEMOS[n][1:]])
def test_impossible_memo_is_refused(name, memo):
    with pytest.raises(ValueError, match=r" must .*, got "):
        fresh(name).check(rows_of([memo]))


@pytest.mark.parametrize(("name", "field", "index", "value"), STATES)
def test_impossible_state_is_refused(name, field, index, value):
    state = fresh(name)
    functools.reduce(getattr, field.split("."), state)[index] = value
    with pytest.raises(ValueError, match=" must "):
        state.check(np.empty((0, MEMO)))
