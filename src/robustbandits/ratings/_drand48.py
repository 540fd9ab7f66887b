"""The C library's ``drand48``: where LIBPMF takes its first factors from."""

from __future__ import annotations

import numpy as np

from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

MULTIPLIER, INCREMENT, MODULUS = 0x5DEECE66D, 0xB, 1 << 48


def drand48(seed: int, count: int) -> Floats:
    """Return the first numbers in [0, 1) of ``srand48(seed)``, bit for bit those of POSIX.

    The next number of the stream is ``a·x + c`` modulo 2⁴⁸, and so is the number ``n`` steps on,
    with another ``a`` and ``c``: the array is doubled until it is full.
    """
    count = require.count("count", count, 0)
    numbers = np.empty(max(count, 1), dtype=np.uint64)
    start = ((seed % (1 << 32)) << 16) + 0x330E
    a, c = MULTIPLIER, INCREMENT
    numbers[0] = (a * start + c) % MODULUS
    known = 1
    while known < count:
        more = min(known, count - known)
        # Wraps around at 2⁶⁴, which leaves the lower 48 bits right.
        leap = numbers[:more] * np.uint64(a) + np.uint64(c)
        numbers[known : known + more] = leap & np.uint64(MODULUS - 1)
        a, c = a * a % MODULUS, (a * c + c) % MODULUS
        known += more
    return numbers[:count] / float(MODULUS)
