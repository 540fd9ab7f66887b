"""The public names of the package; `robustbandits._lazy` reads them."""

__all__: list[str]
__version__: str

from .game.simulate import simulate as simulate
from .game.ledger import Ledger as Ledger
from .results import compare as compare
from .results import Results as Results
from .red_team.redteam import redteam as redteam
from .red_team.search import AdaptiveSearch as AdaptiveSearch
from .red_team.log_attack import redteam_log as redteam_log
from .red_team.log_file import Log as Log
from .red_team.log_file import read_log as read_log
from .reports.write import write_report as write_report
from .agent.agent import Agent as Agent
from .agent.attacker import Attacker as Attacker
from .agent.decision import Decision as Decision
from .compiled.jit import kernel as kernel
from . import policies as policies
from . import attacks as attacks
from . import environments as environments
from . import metrics as metrics
from . import adapters as adapters
from . import limits as limits
from . import experiments as experiments
from . import features as features
from . import checks as checks
from . import extend as extend
