"""Policies: one paper, one file. Each is imported when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustbandits.policies.arms.barbar import BARBAR
    from robustbandits.policies.arms.barbat import BARBAT
    from robustbandits.policies.arms.exp3 import EXP3
    from robustbandits.policies.arms.fast_slow_elimination import FastSlowElimination
    from robustbandits.policies.arms.mlaer import MLAER
    from robustbandits.policies.arms.robust_ucb import RobustUCB
    from robustbandits.policies.arms.successive_elimination import SuccessiveElimination
    from robustbandits.policies.arms.tsallis_inf import TsallisINF
    from robustbandits.policies.catalogue.enlarged_gp_ucb import EnlargedGPUCB
    from robustbandits.policies.catalogue.fast_slow_gp_ucb import FastSlowGPUCB
    from robustbandits.policies.catalogue.multi_layer_gp_ucb import MultiLayerGPUCB
    from robustbandits.policies.catalogue.robust_phased_elimination import RobustPhasedElimination
    from robustbandits.policies.catalogue.support_basis_exploration import SupportBasisExploration
    from robustbandits.policies.linear.bob import BOB
    from robustbandits.policies.linear.bob_no_restart import BOBNoRestart
    from robustbandits.policies.linear.cautious_linucb import CautiousLinUCB
    from robustbandits.policies.linear.cobe import COBE
    from robustbandits.policies.linear.cw_oful import CWOFUL
    from robustbandits.policies.linear.greedy import Greedy
    from robustbandits.policies.linear.huber_oful import HuberOFUL
    from robustbandits.policies.linear.imperfect_context import MaxMinUCB, MinWD
    from robustbandits.policies.linear.lints import LinTS
    from robustbandits.policies.linear.linucb import LinUCB
    from robustbandits.policies.linear.multi_level_weighted_oful import MultiLevelWeightedOFUL
    from robustbandits.policies.linear.oracle_linucb import OracleLinUCB
    from robustbandits.policies.linear.robust_bandit import RobustBandit
    from robustbandits.policies.linear.robust_linucb import RobustLinUCB
    from robustbandits.policies.linear.robust_regression_ucb import RobustRegressionUCB
    from robustbandits.policies.linear.shared_grid import SharedGrid
    from robustbandits.policies.linear.sliding_window_linucb import SlidingWindowLinUCB
    from robustbandits.policies.linear.weighted_oful import WeightedOFUL

_HOMES = {
    "LinUCB": "linear.linucb",
    "LinTS": "linear.lints",
    "Greedy": "linear.greedy",
    "RobustLinUCB": "linear.robust_linucb",
    "RobustBandit": "linear.robust_bandit",
    "BOBNoRestart": "linear.bob_no_restart",
    "CautiousLinUCB": "linear.cautious_linucb",
    "CWOFUL": "linear.cw_oful",
    "OracleLinUCB": "linear.oracle_linucb",
    "FastSlowElimination": "arms.fast_slow_elimination",
    "MLAER": "arms.mlaer",
    "BARBAR": "arms.barbar",
    "EXP3": "arms.exp3",
    "TsallisINF": "arms.tsallis_inf",
    "BARBAT": "arms.barbat",
    "SuccessiveElimination": "arms.successive_elimination",
    "RobustUCB": "arms.robust_ucb",
    "WeightedOFUL": "linear.weighted_oful",
    "MultiLevelWeightedOFUL": "linear.multi_level_weighted_oful",
    "COBE": "linear.cobe",
    "SharedGrid": "linear.shared_grid",
    "HuberOFUL": "linear.huber_oful",
    "RobustRegressionUCB": "linear.robust_regression_ucb",
    "RobustPhasedElimination": "catalogue.robust_phased_elimination",
    "SupportBasisExploration": "catalogue.support_basis_exploration",
    "EnlargedGPUCB": "catalogue.enlarged_gp_ucb",
    "FastSlowGPUCB": "catalogue.fast_slow_gp_ucb",
    "MultiLayerGPUCB": "catalogue.multi_layer_gp_ucb",
    "SlidingWindowLinUCB": "linear.sliding_window_linucb",
    "BOB": "linear.bob",
    "MaxMinUCB": "linear.imperfect_context",
    "MinWD": "linear.imperfect_context",
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
