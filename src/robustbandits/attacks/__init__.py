"""Attacks with a budget, one per file; those around another attack are in `wrappers`.

Attacks propose changes; the purse in `game` limits them.
"""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
