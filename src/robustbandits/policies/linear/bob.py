"""BOB: a bandit over bandits that learns how many observations to keep.

EXP3 chooses the window of a sliding-window LinUCB for each block of rounds. For a parameter that
drifts (Cheung, Simchi-Levi, Zhu 2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Count, Flag, Share
from robustbandits.game.problem import Problem
from robustbandits.policies._exp3 import exp3_alpha, start_exp3
from robustbandits.policies._infinite_arms import refuse_infinite_arms
from robustbandits.policies.linear._blocks import CANDIDATE
from robustbandits.policies.linear.sliding_window_linucb import (
    DIARY_SIZE,
    WindowRecipe,
    WindowState,
    start_ring,
)


class Plan(NamedTuple):
    """The constants of a game."""

    block: int
    windows: tuple[int, ...]
    blocks: int
    alpha: float
    scale: float


@dataclass(frozen=True, kw_only=True)
class BOB(WindowRecipe):
    """Draw a window for each block of rounds, and start SW-LinUCB again with it (BOB).

    The game is divided into blocks of H = ⌊d^⅔ √T⌋ rounds. For each, EXP3 draws one of the windows
    ⌊H^(j/Δ)⌋, j = 0..Δ with Δ = ⌈ln H⌉. At the end of the block it is paid ``1/2 + R / (2H + 4σ√(H
    ln(T/√H)))``, where R is the block's total reward. With mean rewards in [-1, 1] this is in [0,
    1] except with a small probability. Only EXP3's weights are carried from one block to the next.
    Needs the horizon. It keeps ``H · (dim + 1)`` numbers.

    With a single window that has the length of the block, this is LinUCB with restarts.

    Blocks, windows, EXP3 and its payment are the paper's. Three defaults are ours. The paper does
    not clip the payment, its radius counts the full window instead of the observations held, and
    its δ is 1/T; :meth:`as_written` has these.

    Parameters
    ----------
    block
        H, the length of a block in rounds; None for the paper's ⌊d^⅔ √T⌋, or T if T is less.
    windows
        Windows to draw from; None for the theory's. None of them may exceed the block.
    alpha
        EXP3's share of uniform exploration; computed from the number of blocks if None.
    clip
        Whether EXP3's payment is clipped to [0, 1].
    growing, delta
        As for :class:`~robustbandits.policies.SlidingWindowLinUCB`.
    ridge, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`;
        ``sigma`` is also the σ of EXP3's payment.

    References
    ----------
    Cheung, Simchi-Levi, Zhu (AISTATS 2019), "Learning to optimize under non-stationarity".
    Specification: the paper. Its bound rests on that of SW-LinUCB, see there.
    """

    version: ClassVar[int] = 2

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="none; drifting parameter",
        regret="d^⅔ (B+1)^¼ T^¾ (claimed)",
        cost="Kd²",
        provenance=PAPER,
        reference="Cheung, Simchi-Levi, Zhu (2019)",
    )

    block: Count | None = None
    windows: tuple[int, ...] | None = None
    alpha: Share | None = None
    clip: Flag = True
    growing: Flag = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.windows is not None:
            self._set(windows=_check_windows(self.windows))

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Follow the paper's text: the radius of a full window, δ = 1/T, payments not clipped."""
        return cls(**{"growing": False, "delta": None, "clip": False, **changes})

    def plan(self, problem: Problem) -> Plan:
        """Compute the constants of a game."""
        rounds = problem.horizon(self.name)
        block = self.block
        if block is None:
            block = block_for(problem.dim, rounds)
        windows = windows_up_to(block) if self.windows is None else self.windows
        if max(windows) > block:
            raise ValueError(
                f"windows must not exceed the block of {block} rounds, got {max(windows)}: "
                f"give smaller windows or a longer block"
            )
        blocks = math.ceil(rounds / block)
        alpha = exp3_alpha(len(windows), blocks) if self.alpha is None else self.alpha
        # The logarithm is negative only for a block far longer than the game.
        spread = block * max(0.0, math.log(rounds / math.sqrt(block)))
        scale = 2.0 * block + 4.0 * self.sigma * math.sqrt(spread)
        return Plan(block, windows, blocks, alpha, scale)

    def start(self, problem: Problem) -> WindowState:
        refuse_infinite_arms(problem, self.name)
        plan = self.plan(problem)
        diary = np.zeros(DIARY_SIZE)
        diary[CANDIDATE] = -1.0
        return WindowState(
            optimist=self.start_window_optimist(problem),
            ring=start_ring(max(plan.windows), problem.dim),
            exp3=start_exp3(len(plan.windows), plan.alpha),
            windows=np.array(plan.windows, dtype=np.float64),
            diary=diary,
            length=float(plan.block),
            scale=plan.scale,
            growing=self.growing,
            clip=self.clip,
        )


def block_for(dim: int, rounds: int) -> int:
    """Return ``⌊d^⅔ √T⌋``, the paper's eq. (22), or T if T is less."""
    block = round(dim ** (2.0 / 3.0) * math.sqrt(rounds))
    if block**6 > dim**4 * rounds**3:
        block -= 1
    return min(rounds, block)


def windows_up_to(block: int) -> tuple[int, ...]:
    """Return ``⌊H^(j/Δ)⌋``, j = 0..Δ, with Δ = ⌈ln H⌉; for H = 3 two of them are equal."""
    steps = math.ceil(math.log(block))
    windows = [1]
    for j in range(1, steps + 1):
        window = math.floor(block ** (j / steps))
        # If the root is a whole number, rounding may have put it just below.
        windows.append(window + 1 if (window + 1) ** steps <= block**j else window)
    return tuple(windows)


def _check_windows(value: Any) -> tuple[int, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise ValueError(
            f"windows must be a list of at least one whole number, or None for the paper's, got "
            f"{value!r}"
        )
    windows = tuple(require.count("windows", window) for window in value)
    if len(set(windows)) != len(windows):
        raise ValueError(f"windows must differ from each other, got {value!r}")
    return windows
