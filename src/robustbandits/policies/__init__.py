"""Policies: one paper, one file."""

from robustbandits.policies.bob import BOBNoRestart
from robustbandits.policies.greedy import Greedy
from robustbandits.policies.lints import LinTS
from robustbandits.policies.linucb import LinUCB
from robustbandits.policies.robust_bandit import RobustBandit
from robustbandits.policies.robust_linucb import RobustLinUCB

__all__ = ["LinUCB", "LinTS", "Greedy", "RobustLinUCB", "RobustBandit", "BOBNoRestart"]
