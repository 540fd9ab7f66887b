"""Contextual bandits that withstand corrupted rewards and contexts.

``robustbandits`` has corruption-robust policies, attacks with a budget, and a lab that measures
them in experiments of many games. Public names are imported when first used, so that ``import
robustbandits`` stays quick and does not import Numba.
"""

from robustbandits._lazy import exports
from robustbandits._version import __version__ as __version__

__getattr__, __dir__, __all__ = exports(__name__, __file__)
