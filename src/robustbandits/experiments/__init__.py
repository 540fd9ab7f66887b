"""Experiments: a spec becomes a plan, an engine plays it, and a store keeps the ledgers."""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
