"""Many games at once: spec, plan, engine, store. Names are imported when first used."""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
