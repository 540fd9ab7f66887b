"""Attacks with a budget, one per file; in `wrappers`, those around another attack.

They propose changes; the purse in `game` limits them.
"""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
