"""How kernels are compiled, and where machine code is kept. Nothing else uses Numba's internals.

The few private parts of Numba that are used are checked once each. Where one is missing or
different, a slower way with the same results is taken, after a warning.
"""
