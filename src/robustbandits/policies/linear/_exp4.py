"""EXP4.P: draw an arm from a mixture of experts' advice, with a least probability for every arm.

The experts here are ordered, and neighbors often advise the same arm. A decision is therefore
described by where the advice changes from one expert to the next, and four numbers suffice to pay
all experts when the reward arrives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.policies._exp3 import exponentials

#: A memo holds one bit for each border between experts; a float64 holds 53 bits.
MAX_EXPERTS = 50

# Fields of the memo: borders between experts that advised different arms, as bits; which of the
# runs between borders advised the arm that was played (-1: none); its probability; number of arms.
MEMO_BORDERS, MEMO_RUN, MEMO_CHANCE, MEMO_ARMS = range(4)


class Exp4(NamedTuple):
    """Weights of experts that advise one arm each, and perhaps of one that advises all arms."""

    log_weights: Floats  # (experts,) the uniform expert comes last
    experts: int  # not counting the uniform expert
    uniform: bool  # whether there is a uniform expert
    floor: float  # p_min, least probability of an arm
    trust: float  # a_m, weight of the payment for advising arms that are seldom played


def start_exp4(experts: int, uniform: bool, plays: float, floor: float, delta: float) -> Exp4:
    """Return equal weights; ``plays`` is the number of rounds times that of arms."""
    size = experts + uniform
    trust = math.sqrt(math.log(3.0 * size / delta) / plays)
    return Exp4(np.zeros(size), experts, uniform, floor, trust)


def exp4_floor(size: int, arms: int, rounds: int) -> float:
    """Return ``min{1/(2K), √(ln M / (KT))}`` for M experts in total, K arms and T rounds."""
    return min(0.5 / arms, math.sqrt(math.log(size) / (arms * rounds)))


def check_advice(exp4: Exp4, memos: Floats) -> None:
    """Raise ValueError for memos (one per row) that no decision can have written."""
    borders, run, chance, arms = memos.T
    whole = (memos[:, [MEMO_BORDERS, MEMO_RUN, MEMO_ARMS]] % 1.0 == 0.0).all(axis=1)
    possible = (borders >= 0.0) & (borders < 2.0 ** (exp4.experts - 1))
    possible &= (run >= -1.0) & (run < exp4.experts)
    floor = np.minimum(exp4.floor, 1.0 / np.maximum(1.0, arms)) * (1.0 - 1e-9)
    possible &= (arms >= 1.0) & (chance > 0.0) & (chance >= floor) & (chance <= 1.0 + 1e-9)
    if not np.all(whole & possible):
        raise ValueError(
            "a decision's memo must hold borders, run, probability and number of arms of a draw "
            f"among {exp4.experts} experts, got {memos[~(whole & possible)][0].tolist()}"
        )


@kernel
def floor_of(exp4: Exp4, arms: int) -> float:
    """Least probability of an arm if there are ``arms`` of them."""
    return min(exp4.floor, 1.0 / arms)


@kernel
def rest_of(exp4: Exp4, arms: int, shares: Floats) -> float:
    """Probability of an arm that only the uniform expert advises."""
    floor = floor_of(exp4, arms)
    if not exp4.uniform:
        return floor
    return floor + (1.0 - arms * floor) * shares[shares.shape[0] - 1] / arms


@kernel
def expert_shares(exp4: Exp4, out: Floats) -> None:
    """Write each expert's share of the total weight."""
    total = exponentials(exp4.log_weights, out)
    for j in range(out.shape[0]):
        out[j] /= total


@kernel
def run_of(advice: np.ndarray, arm: int) -> int:
    """Index of the first run of advice for this arm; -1 if no expert advised it."""
    run = 0
    for j in range(advice.shape[0]):
        if j > 0 and advice[j] != advice[j - 1]:
            run += 1
        if advice[j] == arm:
            return run
    return -1


@program
def pay_experts(exp4: Exp4, reward: float, memo: Floats) -> None:
    """Pay each expert the importance-weighted reward of its advice, and more for rarely drawn arms.

    The probabilities of the arms that were not played are computed from the borders and from the
    present weights; these are the weights of the decision unless its reward arrived late.
    """
    arms = int(memo[MEMO_ARMS])
    rate = 0.5 * floor_of(exp4, arms)
    borders = int(memo[MEMO_BORDERS])
    shares = np.empty(exp4.log_weights.shape[0])
    expert_shares(exp4, shares)
    rest = rest_of(exp4, arms, shares)
    advice_share = 1.0 - arms * floor_of(exp4, arms)
    estimate = reward / memo[MEMO_CHANCE]
    count = exp4.experts
    start = 0
    run = 0
    inverses = 0.0
    while start < count and rate > 0.0:
        mass = shares[start]
        stop = start + 1
        while stop < count and (borders >> (stop - 1)) & 1 == 0:
            mass += shares[stop]
            stop += 1
        inverse = 1.0 / (rest + advice_share * mass)
        gain = exp4.trust * inverse
        if run == int(memo[MEMO_RUN]):
            gain += estimate
        for j in range(start, stop):
            exp4.log_weights[j] += rate * gain
        inverses += inverse
        run += 1
        start = stop
    if exp4.uniform and rate > 0.0:
        inverses += (arms - run) / rest
        exp4.log_weights[count] += rate * (estimate + exp4.trust * inverses) / arms
