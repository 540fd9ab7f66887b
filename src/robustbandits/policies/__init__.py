"""Policies: one paper, one file. Each is imported when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustbandits.policies.bob import BOB
    from robustbandits.policies.bob_no_restart import BOBNoRestart
    from robustbandits.policies.cautious_linucb import CautiousLinUCB
    from robustbandits.policies.cw_oful import CWOFUL
    from robustbandits.policies.greedy import Greedy
    from robustbandits.policies.lints import LinTS
    from robustbandits.policies.linucb import LinUCB
    from robustbandits.policies.maxmin_ucb import MaxMinUCB
    from robustbandits.policies.min_wd import MinWD
    from robustbandits.policies.oracle_linucb import OracleLinUCB
    from robustbandits.policies.robust_bandit import RobustBandit
    from robustbandits.policies.robust_linucb import RobustLinUCB
    from robustbandits.policies.sliding_window_linucb import SlidingWindowLinUCB

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
