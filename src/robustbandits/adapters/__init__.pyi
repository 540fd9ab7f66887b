"""Adapters to and from other libraries; `robustbandits._lazy` reads these names."""

__all__: list[str]

from .mabwiser import MABWiser as MABWiser
from .contextualbandits import ContextualBandits as ContextualBandits
from .vowpal_wabbit import VowpalWabbit as VowpalWabbit
from .river import River as River
from .coba import Coba as Coba
from .bayesianbandits import BayesianBandits as BayesianBandits
from .obp import OpenBanditPipeline as OpenBanditPipeline
from .by_name import named as named
from .estimator import Estimator as Estimator
from .coba_learner import CobaLearner as CobaLearner
from .river_policy import RiverPolicy as RiverPolicy
from .obp_policy import OBPPolicy as OBPPolicy
from .attacked_game import AttackedGame as AttackedGame
