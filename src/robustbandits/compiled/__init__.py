"""Compiling kernels and caching machine code. Only this folder uses Numba's internals."""
