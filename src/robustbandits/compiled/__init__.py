"""How kernels are compiled, and where machine code is kept. Nothing else uses Numba's internals.

The few internals of Numba that are used are checked once each. If one is missing or different, a
warning is given, and slower code with the same results is used instead.
"""
