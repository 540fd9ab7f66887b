"""The exported policies, one line each: `robustbandits._lazy` reads them.

Tables and specs list policies in this order. Add a new one at the end of its group.
"""

__all__: list[str]

from .linear.linucb import LinUCB as LinUCB
from .linear.lints import LinTS as LinTS
from .linear.greedy import Greedy as Greedy
from .linear.oracle_linucb import OracleLinUCB as OracleLinUCB
from .linear.robust_linucb import RobustLinUCB as RobustLinUCB
from .linear.robust_bandit import RobustBandit as RobustBandit
from .linear.bob_no_restart import BOBNoRestart as BOBNoRestart
from .linear.cautious_linucb import CautiousLinUCB as CautiousLinUCB
from .linear.cw_oful import CWOFUL as CWOFUL
from .linear.weighted_oful import WeightedOFUL as WeightedOFUL
from .linear.multi_level_weighted_oful import MultiLevelWeightedOFUL as MultiLevelWeightedOFUL
from .linear.cobe import COBE as COBE
from .linear.shared_grid import SharedGrid as SharedGrid
from .linear.huber_oful import HuberOFUL as HuberOFUL
from .linear.robust_regression_ucb import RobustRegressionUCB as RobustRegressionUCB
from .linear.sliding_window_linucb import SlidingWindowLinUCB as SlidingWindowLinUCB
from .linear.bob import BOB as BOB
from .linear.imperfect_context import MaxMinUCB as MaxMinUCB
from .linear.imperfect_context import MinWD as MinWD

from .catalogue.robust_phased_elimination import RobustPhasedElimination as RobustPhasedElimination
from .catalogue.support_basis_exploration import SupportBasisExploration as SupportBasisExploration
from .catalogue.enlarged_gp_ucb import EnlargedGPUCB as EnlargedGPUCB
from .catalogue.fast_slow_gp_ucb import FastSlowGPUCB as FastSlowGPUCB
from .catalogue.multi_layer_gp_ucb import MultiLayerGPUCB as MultiLayerGPUCB

from .arms.fast_slow_elimination import FastSlowElimination as FastSlowElimination
from .arms.successive_elimination import SuccessiveElimination as SuccessiveElimination
from .arms.mlaer import MLAER as MLAER
from .arms.barbar import BARBAR as BARBAR
from .arms.barbat import BARBAT as BARBAT
from .arms.exp3 import EXP3 as EXP3
from .arms.tsallis_inf import TsallisINF as TsallisINF
from .arms.robust_ucb import RobustUCB as RobustUCB
