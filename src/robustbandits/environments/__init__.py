"""Environments: they draw blocks of rounds with NumPy. Files are read in `ratings`, not here."""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
