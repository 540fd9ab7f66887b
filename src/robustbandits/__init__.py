"""Contextual bandits that must not be fooled.

``robustbandits`` defends (corruption-robust policies), attacks (a budgeted red team) and measures
(a lab that plays millions of rounds a second). Public names are imported when first used, so that
``import robustbandits`` stays quick and needs no Numba.
"""

from robustbandits._lazy import exports
from robustbandits._version import __version__ as __version__

__getattr__, __dir__, __all__ = exports(__name__, __file__)
