"""Histograms of the arms' rewards, kept as Fenwick trees: fixed memory, fast order statistics.

A reward is rounded to the middle of one of B equal bins. Adding a reward, or summing the k smallest
rewards, takes log B steps. Bin numbers are whole, so sums are exact and do not depend on the order.
"""

from __future__ import annotations

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.size_limit import check_array_size

# Fields of a node: number of rewards; sum of the numbers of their bins.
COUNT, SUM = range(2)


def start_histograms(arms: int, bins: int) -> Floats:
    """Return empty trees, (arms, bins + 1, 2); node 0 is not used."""
    check_array_size(arms, bins + 1, 2)
    return np.zeros((arms, bins + 1, 2))


def largest_step(bins: int) -> int:
    """Return the largest power of two that is not above ``bins``."""
    return 1 << (bins.bit_length() - 1)


@kernel
def bin_of(position: float, bins: int) -> int:
    """Bin of a position measured in bins; positions outside go to the first or last bin."""
    if not position > 0.0:
        return 0
    if position >= bins:
        return bins - 1
    return int(position)


@kernel
def add_reward(tree: Floats, arm: int, number: int) -> None:
    """Add a reward that lies in bin ``number``."""
    node = number + 1
    while node < tree.shape[1]:
        tree[arm, node, COUNT] += 1.0
        tree[arm, node, SUM] += number
        node += node & -node


@kernel
def sum_between(tree: Floats, arm: int, first: float, last: float, step: int) -> float:
    """Sum of the bin numbers of an arm's ``last`` smallest rewards without its ``first`` smallest.

    The arm must have that many. ``step`` is :func:`largest_step` of the number of bins.
    """
    node = 0
    while step > 0:  # a single descent of the tree as long as both ends are on the same side
        if node + step < tree.shape[1]:
            count = tree[arm, node + step, COUNT]
            if count <= first:
                node += step
                first -= count
                last -= count
            elif count <= last:
                upper = _sum_of_smallest(tree, arm, node, last, step)
                return upper - _sum_of_smallest(tree, arm, node, first, step)
        step //= 2
    return (last - first) * node  # the bin after the last whole one has the number of its node


@kernel
def _sum_of_smallest(tree: Floats, arm: int, node: int, count: float, step: int) -> float:
    """Sum of the bin numbers of the ``count`` smallest rewards after the first ``node`` bins."""
    total = 0.0
    while step > 0:
        if node + step < tree.shape[1] and tree[arm, node + step, COUNT] <= count:
            node += step
            count -= tree[arm, node, COUNT]
            total += tree[arm, node, SUM]
        step //= 2
    return total + count * node
