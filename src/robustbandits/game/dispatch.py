"""Policies by address: the loop is compiled once for each attack, not for each pair with a policy.

Compiling the loop for every pair of a policy and an attack would take too long. A
:class:`PolicyByAddress` has the kernels of a policy, and each calls the policy's own machine code
at its address. This costs two indirect calls per round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from robustbandits.compiled.calls import (
    Addresses,
    address_of,
    call_at,
    can_be_addresses,
    can_call_by_address,
)
from robustbandits.compiled.fallback import first_line, warn_once
from robustbandits.compiled.jit import kernel
from robustbandits.compiled.state_pointer import StatePointer, pointer_to
from robustbandits.compiled.third_party import third_party_code
from robustbandits.kernels.linalg import Floats

VECTOR, MATRIX = types.float64[::1], types.float64[:, ::1]
RNG = numba.typeof(np.random.default_rng(0))
#: What each kernel returns, and what it takes after the state.
SIGNATURES = {
    "choose": (types.int64, (MATRIX, RNG, VECTOR)),
    "learn": (types.none, (types.int64, VECTOR, types.float64, VECTOR, RNG)),
    "overhear": (types.none, (types.float64, types.boolean)),
    "score": (types.none, (MATRIX, VECTOR, VECTOR, VECTOR)),
    "probability": (types.none, (MATRIX, VECTOR, VECTOR)),
    "choose_by_scores": (types.int64, (VECTOR, VECTOR, RNG, VECTOR)),
}
#: Kernels that a game calls, and those that an agent calls.
GAME_KERNELS = ("choose", "learn", "overhear")
AGENT_KERNELS = ("choose", "learn", "score", "probability", "choose_by_scores")
#: Kernels that a policy need not have.
OPTIONAL = ("overhear", "probability", "choose_by_scores")

(
    _call_choose,
    _call_learn,
    _call_overhear,
    _call_score,
    _call_probability,
    _call_choose_by_scores,
) = (call_at(name, *signature) for name, signature in SIGNATURES.items())


@can_be_addresses
class PolicyByAddress(NamedTuple):
    """Addresses of a policy's state and of its compiled kernels; 0 for a kernel that is missing."""

    state_address: int
    choose_address: int
    learn_address: int
    overhear_address: int
    score_address: int
    probability_address: int
    choose_by_scores_address: int

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Call the policy's `choose`."""
        return _call_choose(self.choose_address, self.state_address, contexts, rng, memo)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Call the policy's `learn`."""
        _call_learn(self.learn_address, self.state_address, arm, context, reward, memo, rng)

    @kernel
    def overhear(self, spent: float, over: bool) -> None:
        """Call the policy's `overhear`, if it has one."""
        if self.overhear_address != 0:
            _call_overhear(self.overhear_address, self.state_address, spent, over)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Call the policy's `score`."""
        _call_score(self.score_address, self.state_address, contexts, memo, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Call the policy's `probability`; write NaN if it has none."""
        if self.probability_address != 0:
            _call_probability(self.probability_address, self.state_address, contexts, memo, out)
        else:
            out[:] = np.nan

    @kernel
    def choose_by_scores(
        self, means: Floats, bonuses: Floats, rng: np.random.Generator, out: Floats
    ) -> int:
        """Call the policy's `choose_by_scores`; return -1 if it has none."""
        if self.choose_by_scores_address == 0:
            return -1
        return _call_choose_by_scores(
            self.choose_by_scores_address, self.state_address, means, bonuses, rng, out
        )


def by_address(policy: Any, kernels: tuple[str, ...]) -> Any:
    """Return what stands for a policy's state in compiled code: a pointer to a PolicyByAddress.

    Where that is not possible, return the state itself; programs are then compiled for its type.
    """
    name = type(policy).__name__
    for kernel_name in kernels:
        if kernel_name not in OPTIONAL and not hasattr(policy, kernel_name):
            raise TypeError(
                f"{name} has no kernel {kernel_name!r}: define it, see "
                f"robustbandits.extend.PolicyState"
            )
    pointer = pointer_to(policy)
    if not isinstance(pointer, StatePointer) or not can_call_by_address():
        return policy
    try:
        addresses = _addresses(policy, pointer, kernels)
    except numba.errors.NumbaError as error:
        warn_once(
            type(policy),
            f"{name} is compiled again for every attack, which takes longer, because its kernels "
            f"cannot be compiled for a pointer ({first_line(error)}): let them read fields of the "
            f"state by name only, and return an int from choose and nothing from the others",
        )
        return policy
    return Addresses(PolicyByAddress(int(pointer), *addresses), keep_alive=pointer)


def _addresses(policy: Any, pointer: StatePointer, kernels: tuple[str, ...]) -> list[int]:
    code = third_party_code(policy)
    addresses = dict.fromkeys(SIGNATURES, 0)
    for name in kernels:
        if hasattr(policy, name):
            result, arguments = SIGNATURES[name]
            method = getattr(type(policy), name)
            addresses[name] = address_of(method, code, result, (pointer.type, *arguments))
    return list(addresses.values())
