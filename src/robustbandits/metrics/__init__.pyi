"""The exported metrics; `robustbandits._lazy` reads them."""

__all__: list[str]

from .estimate import Estimate as Estimate
from .bootstrap import estimate_mean as estimate_mean
from .bootstrap import estimate_means as estimate_means
from .excess import excess_regret as excess_regret
from .price import price_of_robustness as price_of_robustness
from .amplify import amplification as amplification
from .budgets import BudgetCurve as BudgetCurve
from .budgets import budget_curve as budget_curve
from .budgets import area_under_budgets as area_under_budgets
from .area import area_under_regret as area_under_regret
from .late import late_rate as late_rate
from .recover import Recovery as Recovery
from .recover import recovery as recovery
from .residual import residual_damage as residual_damage
from .worst import WorstCase as WorstCase
from .worst import worst_case as worst_case
from .tail import tail_regret as tail_regret
from .timing import attack_ended as attack_ended
from .gap import random_gap as random_gap
