"""The exported attacks, one line each; `robustbandits._lazy` reads them."""

__all__: list[str]

from robustbandits.game.no_attack import NoAttack as NoAttack
from .garcelon import Garcelon as Garcelon
from .oracle import Oracle as Oracle
from .flip_theta import FlipTheta as FlipTheta
from .context_dilation import ContextDilation as ContextDilation
from .context_mirror import ContextMirror as ContextMirror
from .context_nudge import ContextNudge as ContextNudge
from .context_stuffing import ContextStuffing as ContextStuffing
from .oracle_target import OracleTarget as OracleTarget
from .consistent_lie import ConsistentLie as ConsistentLie
from .promote import Promote as Promote
from .lin_ace import LinACE as LinACE
from .observation_free import ObservationFree as ObservationFree
from .contamination import Contamination as Contamination
from .action_swap import ActionSwap as ActionSwap
from .fake_injection import FakeInjection as FakeInjection
from .weak_vector import WeakVector as WeakVector
from .random_control import RandomControl as RandomControl
from .wrappers.burst import Burst as Burst
from .wrappers.drip import Drip as Drip
from .wrappers.after_convergence import AfterConvergence as AfterConvergence
from .wrappers.periodic import Periodic as Periodic
from .wrappers.restart_aware import RestartAware as RestartAware
from .wrappers.leverage_aware import LeverageAware as LeverageAware
from .wrappers.shadow import Shadow as Shadow
from . import threats as threats
