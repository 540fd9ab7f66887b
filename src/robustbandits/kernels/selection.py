"""The n-th smallest of many numbers."""

from __future__ import annotations

from robustbandits.compiled.jit import program
from robustbandits.kernels.linalg import Floats


@program
def nth_smallest(values: Floats, size: int, n: int) -> float:
    """Return the n-th smallest (from 0) of the first ``size`` values, and reorder them.

    Hoare's quickselect: all values left of ``low`` are at most the result, and all values right of
    ``high`` are at least the result.
    """
    low = 0
    high = size - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i = low
        j = high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if n <= j:
            high = j
        elif n >= i:
            low = i
        else:
            return values[n]
    return values[low]
