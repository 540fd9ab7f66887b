"""Policies: one paper, one file. Each is imported when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustbandits.policies.bob import BOB
    from robustbandits.policies.bob_no_restart import BOBNoRestart
    from robustbandits.policies.cautious_linucb import CautiousLinUCB
    from robustbandits.policies.cobe import COBE
    from robustbandits.policies.cw_oful import CWOFUL
    from robustbandits.policies.fixed_arms.enlarged_gp_ucb import EnlargedGPUCB
    from robustbandits.policies.fixed_arms.fast_slow_gp_ucb import FastSlowGPUCB
    from robustbandits.policies.fixed_arms.multi_layer_gp_ucb import MultiLayerGPUCB
    from robustbandits.policies.fixed_arms.phased_elimination import RobustPhasedElimination
    from robustbandits.policies.fixed_arms.support_basis import SupportBasisExploration
    from robustbandits.policies.greedy import Greedy
    from robustbandits.policies.huber_oful import HuberOFUL
    from robustbandits.policies.lints import LinTS
    from robustbandits.policies.linucb import LinUCB
    from robustbandits.policies.mab.barbar import BARBAR
    from robustbandits.policies.mab.barbat import BARBAT
    from robustbandits.policies.mab.exp3 import EXP3
    from robustbandits.policies.mab.fast_slow import FastSlowElimination
    from robustbandits.policies.mab.mlaer import MLAER
    from robustbandits.policies.mab.robust_ucb import RobustUCB
    from robustbandits.policies.mab.successive_elimination import SuccessiveElimination
    from robustbandits.policies.mab.tsallis_inf import TsallisINF
    from robustbandits.policies.maxmin_ucb import MaxMinUCB
    from robustbandits.policies.min_wd import MinWD
    from robustbandits.policies.multi_level import MultiLevelWeightedOFUL
    from robustbandits.policies.oracle_linucb import OracleLinUCB
    from robustbandits.policies.robust_bandit import RobustBandit
    from robustbandits.policies.robust_linucb import RobustLinUCB
    from robustbandits.policies.robust_regression import RobustRegressionUCB
    from robustbandits.policies.shared_grid import SharedGrid
    from robustbandits.policies.sliding_window_linucb import SlidingWindowLinUCB
    from robustbandits.policies.weighted_oful import WeightedOFUL

_HOMES = {
    "LinUCB": "linucb",
    "LinTS": "lints",
    "Greedy": "greedy",
    "RobustLinUCB": "robust_linucb",
    "RobustBandit": "robust_bandit",
    "BOBNoRestart": "bob_no_restart",
    "CautiousLinUCB": "cautious_linucb",
    "CWOFUL": "cw_oful",
    "OracleLinUCB": "oracle_linucb",
    "FastSlowElimination": "mab.fast_slow",
    "MLAER": "mab.mlaer",
    "BARBAR": "mab.barbar",
    "EXP3": "mab.exp3",
    "TsallisINF": "mab.tsallis_inf",
    "BARBAT": "mab.barbat",
    "SuccessiveElimination": "mab.successive_elimination",
    "RobustUCB": "mab.robust_ucb",
    "WeightedOFUL": "weighted_oful",
    "MultiLevelWeightedOFUL": "multi_level",
    "COBE": "cobe",
    "SharedGrid": "shared_grid",
    "HuberOFUL": "huber_oful",
    "RobustRegressionUCB": "robust_regression",
    "RobustPhasedElimination": "fixed_arms.phased_elimination",
    "SupportBasisExploration": "fixed_arms.support_basis",
    "EnlargedGPUCB": "fixed_arms.enlarged_gp_ucb",
    "FastSlowGPUCB": "fixed_arms.fast_slow_gp_ucb",
    "MultiLayerGPUCB": "fixed_arms.multi_layer_gp_ucb",
    "SlidingWindowLinUCB": "sliding_window_linucb",
    "BOB": "bob",
    "MaxMinUCB": "maxmin_ucb",
    "MinWD": "min_wd",
}

__all__ = [  # spelled out for type checkers; a test keeps it equal to _HOMES
    "LinUCB",
    "LinTS",
    "Greedy",
    "RobustLinUCB",
    "RobustBandit",
    "BOBNoRestart",
    "CautiousLinUCB",
    "CWOFUL",
    "OracleLinUCB",
    "FastSlowElimination",
    "MLAER",
    "BARBAR",
    "EXP3",
    "TsallisINF",
    "BARBAT",
    "SuccessiveElimination",
    "RobustUCB",
    "WeightedOFUL",
    "MultiLevelWeightedOFUL",
    "COBE",
    "SharedGrid",
    "HuberOFUL",
    "RobustRegressionUCB",
    "RobustPhasedElimination",
    "SupportBasisExploration",
    "EnlargedGPUCB",
    "FastSlowGPUCB",
    "MultiLayerGPUCB",
    "SlidingWindowLinUCB",
    "BOB",
    "MaxMinUCB",
    "MinWD",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
