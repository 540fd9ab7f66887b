"""Large decisions: each core scores a part of the arms."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from robustbandits._cores import available_cores
from robustbandits.kernels.linalg import Floats

#: From this many multiplications (arms times dim squared) on, all cores are used. They take about
#: half a millisecond, and starting threads takes about a tenth of a millisecond.
LARGE = 10_000_000


def score_on_all_cores(
    score_rows: Callable[..., int], policy: Any, contexts: Floats, bound: float, table: Floats
) -> int:
    """Check and score all contexts; return 0, or a negative number for the first bad context.

    The scores have the same bits on any number of cores. The threads live only as long as the call,
    because a fork would lose them.
    """
    arms, cores = len(contexts), available_cores()
    edges = [arms * k // cores for k in range(cores + 1)]

    def score_part(start: int, stop: int) -> int:
        return score_rows(policy, contexts, start, stop, bound, table)

    with ThreadPoolExecutor(cores) as pool:
        codes = list(pool.map(score_part, edges[:-1], edges[1:]))
    return next((code for code in codes if code < 0), 0)
