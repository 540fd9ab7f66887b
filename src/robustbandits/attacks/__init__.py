"""Attacks: a budgeted red team. One attack a file."""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
