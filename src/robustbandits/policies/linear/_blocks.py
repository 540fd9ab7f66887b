"""EXP3 over candidates that are drawn once for each block of rounds.

RobustBandit calls its blocks epochs and draws an attack budget; BOB draws a window. At the end of a
block EXP3 is paid what the block earned, on a scale that the policy sets, and the next candidate is
drawn. A choice may not change the state, so before the first reward each choice draws its own
candidate, and the first reward that arrives decides which of them becomes the candidate of the
first block.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw
from robustbandits.policies._exp3 import Exp3, exp3_probabilities
from robustbandits.policies._state_checks import check_index, check_probabilities

# First fields of a state's `diary`: the block's candidate (-1: not drawn yet), the probability with
# which it was drawn; rewards learned in the block, those earned under its candidate, their sum;
# number of the block.
CANDIDATE, CHANCE, LEARNED, CREDITED, EARNED, NUMBER = range(6)
# Fields of the memo.
MEMO_CANDIDATE, MEMO_CHANCE, MEMO_BLOCK = range(3)


@kernel
def choose_candidate(exp3: Exp3, diary: Floats, rng: Generator, memo: Floats) -> int:
    """Return the block's candidate, drawing one before the first reward; write it to the memo."""
    memo[MEMO_CANDIDATE] = diary[CANDIDATE]
    memo[MEMO_CHANCE] = diary[CHANCE]
    memo[MEMO_BLOCK] = diary[NUMBER]
    if diary[CANDIDATE] < 0.0:
        probabilities = np.empty(exp3.log_weights.shape[0])
        exp3_probabilities(exp3, probabilities)
        candidate = draw(probabilities, rng)
        memo[MEMO_CANDIDATE] = candidate
        memo[MEMO_CHANCE] = probabilities[candidate]
    return int(memo[MEMO_CANDIDATE])


@kernel
def described_candidate(diary: Floats, memo: Floats) -> int:
    """Return the candidate of the decision that a memo belongs to, or else that of the block."""
    candidate = memo[MEMO_CANDIDATE] if memo[MEMO_CANDIDATE] >= 0.0 else diary[CANDIDATE]
    return int(max(0.0, candidate))


@kernel
def candidate_probabilities(exp3: Exp3, diary: Floats, out: Floats) -> None:
    """Write the probability with which the next choice uses each candidate."""
    if diary[CANDIDATE] < 0.0:
        exp3_probabilities(exp3, out)
    else:
        out[:] = 0.0
        out[int(diary[CANDIDATE])] = 1.0


@kernel
def credit(diary: Floats, reward: float, memo: Floats) -> None:
    """Count a reward, and credit it to the block's candidate if it was earned in this block."""
    if diary[CANDIDATE] < 0.0:
        diary[CANDIDATE] = memo[MEMO_CANDIDATE]
        diary[CHANCE] = memo[MEMO_CHANCE]
    if memo[MEMO_BLOCK] == diary[NUMBER] and memo[MEMO_CANDIDATE] == diary[CANDIDATE]:
        diary[CREDITED] += 1.0
        diary[EARNED] += reward
    diary[LEARNED] += 1.0


@kernel
def begin_block(exp3: Exp3, diary: Floats, rng: Generator) -> None:
    """Draw the next block's candidate and reset the block's counts."""
    probabilities = np.empty(exp3.log_weights.shape[0])
    exp3_probabilities(exp3, probabilities)
    candidate = draw(probabilities, rng)
    diary[CANDIDATE] = candidate
    diary[CHANCE] = probabilities[candidate]
    diary[LEARNED] = 0.0
    diary[CREDITED] = 0.0
    diary[EARNED] = 0.0
    diary[NUMBER] += 1.0


def check_candidates_of(diary: Floats, memos: Floats, size: int) -> None:
    """Raise ValueError if the diary or a memo (one per row) names a candidate that cannot exist."""
    check_index("candidate", memos[:, MEMO_CANDIDATE], 0, size)
    check_probabilities("probability of a candidate", memos[:, MEMO_CHANCE])
    if diary[CANDIDATE] != -1.0:
        check_index("candidate", diary[CANDIDATE], 0, size)
        check_probabilities("probability of a candidate", diary[CHANCE])
