"""Nature: environments draw blocks of rounds with NumPy, before anybody plays."""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
