"""Measures of a red-team report: pure functions on ledgers, with intervals over seeds.

Games are paired by seed: two games of one match met the same rounds, so their difference is free
of nature's luck. Each function's docstring gives its formula. Notation: seeds i, rounds t to T,
regret per round r_t on clean mean rewards, R_t its sum, 0 for the game without attack.
"""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
