"""The exported attacks, one line each; `robustbandits._lazy` reads them."""

__all__: list[str]

from robustbandits.game.no_attack import NoAttack as NoAttack
from .garcelon import Garcelon as Garcelon
from .oracle import Oracle as Oracle
from .flip_theta import FlipTheta as FlipTheta
from .context_dilation import ContextDilation as ContextDilation
