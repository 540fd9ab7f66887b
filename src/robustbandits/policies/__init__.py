"""Policies, one file each, grouped by setting. Nothing here imports an attack or an environment.

``linear``: one unknown parameter, contexts may change from round to round. ``catalogue``: the same
arms with the same contexts in every round. ``arms``: the same arms, contexts unused. To export a
policy, add one line to ``__init__.pyi``.
"""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
