"""A policy by address: so that what calls policies is compiled once, not once for each of them.

Were the loop compiled for every pair of a policy and an attack, thirty policies and sixteen attacks
would take an hour. A handle has the verbs of a policy, and each calls the policy's own machine code
wherever that is; the price is two indirect calls a round.
"""

from __future__ import annotations

import dis
from itertools import pairwise
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.errors import NumbaError, TypingError
from numba.extending import intrinsic

from robustbandits.compiled.jit import address_of, kernel, outside_of, python_of
from robustbandits.compiled.state_pointer import Lease, lease_state
from robustbandits.game.verbs import choose
from robustbandits.kernels.linalg import Floats

VECTOR, MATRIX = types.float64[::1], types.float64[:, ::1]
STREAM = numba.typeof(np.random.default_rng(0))
#: What each verb gives, and what it takes after the state.
SIGNATURES = {
    "choose": (types.int64, (MATRIX, STREAM, VECTOR)),
    "learn": (types.none, (types.int64, VECTOR, types.float64, VECTOR, STREAM)),
    "overhear": (types.none, (types.float64, types.boolean)),
    "score": (types.none, (MATRIX, VECTOR, VECTOR, VECTOR)),
    "probability": (types.none, (MATRIX, VECTOR, VECTOR)),
}
#: Verbs of a game, and of an agent.
IN_GAME = ("choose", "learn", "overhear")
LIVE = ("choose", "learn", "score", "probability")
#: Those that a policy may do without.
OPTIONAL = ("overhear", "probability")


class Handle(NamedTuple):
    """Where a policy's state lies, and where its verbs do: 0 for one that it does not have."""

    state: int
    at_choose: int
    at_learn: int
    at_overhear: int
    at_score: int
    at_probability: int

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Let the policy choose."""
        return _choose_at(self.at_choose, self.state, contexts, rng, memo)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Let the policy learn."""
        _learn_at(self.at_learn, self.state, arm, context, reward, memo, rng)

    @kernel
    def overhear(self, spent: float, over: bool) -> None:
        """Let the policy hear, if it can."""
        if self.at_overhear != 0:
            _overhear_at(self.at_overhear, self.state, spent, over)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Let the policy write its scores."""
        _score_at(self.at_score, self.state, contexts, memo, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Let the policy write its probabilities: NaN if it cannot tell them."""
        if self.at_probability != 0:
            _probability_at(self.at_probability, self.state, contexts, memo, out)
        else:
            out[:] = np.nan


def hold(policy: Any, verbs: tuple[str, ...]) -> tuple[Any, Any]:
    """Return a handle with these verbs of a policy's state, and a lease that must live as long.

    When JIT is off, or the state cannot be leased, it is the state itself, and the state.
    """
    for verb in verbs:
        if verb not in OPTIONAL and not hasattr(policy, verb):
            raise TypeError(f"{type(policy).__name__} has no kernel {verb!r}")
    lease = lease_state(policy)
    if not isinstance(lease, Lease):
        return policy, policy
    try:
        return Handle(lease.address, *_addresses(policy, lease, verbs)), lease
    except NumbaError:
        # It does with its state what a tuple can and a lease cannot: unpack it, say.
        return policy, policy


def _addresses(policy: Any, lease: Lease, verbs: tuple[str, ...]) -> list[int]:
    outside = outside_of(policy)
    at = dict.fromkeys(SIGNATURES, 0)
    for verb in verbs:
        if hasattr(policy, verb):
            result, taken = SIGNATURES[verb]
            method = getattr(type(policy), verb)
            at[verb] = address_of(method, outside, result, (lease.kind, *taken))
    return list(at.values())


def looks_inside(attack: Any) -> bool:
    """Whether an attack reads its argument ``policy`` to do more than to ask what it would choose.

    Then a handle will not do. When in doubt the answer is yes, which costs a loop of its own.
    """
    verbs = (getattr(type(attack), name, None) for name in ("propose_contexts", "propose_reward"))
    return any(_looks_inside(python_of(verb)) for verb in verbs if verb is not None)


def _looks_inside(verb: Any) -> bool:
    code = getattr(verb, "__code__", None)
    if code is None or code.co_argcount < 2:
        return True
    policy = code.co_varnames[1]
    if policy in code.co_cellvars:  # a function inside has it
        return True
    for before, step in pairwise(dis.get_instructions(verb)):
        # Some versions of Python load two names at once, or store one and load another.
        if "LOAD_FAST" in step.opname and policy in str(step.argval):
            asks = before.opname == "LOAD_GLOBAL" and verb.__globals__.get(before.argval) is choose
            if not asks or step.opname.startswith("STORE"):
                return True
    return False


def _call(verb: str, *given: Any) -> Any:
    """Return what an intrinsic must: the signature, and a builder of the call."""
    result, kinds = SIGNATURES[verb]
    for found, due in zip(given, kinds, strict=True):
        # Numba would not look: it takes the numbers of any array for those of a contiguous one.
        if isinstance(due, types.Array) and found != due:
            raise TypingError(f"{verb} by address takes {due}, not {found}")
    passed = (types.voidptr, *kinds)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        convention = context.call_conv
        function = convention.get_function_type(result, passed).as_pointer()
        state = builder.inttoptr(arguments[1], context.get_value_type(types.voidptr))
        status, value = convention.call_function(
            builder,
            builder.inttoptr(arguments[0], function),
            result,
            passed,
            [state, *arguments[2:]],
        )
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    return result(types.int64, types.int64, *kinds), build


@intrinsic
def _choose_at(typing: Any, at: Any, state: Any, contexts: Any, rng: Any, memo: Any) -> Any:
    return _call("choose", contexts, rng, memo)


@intrinsic
def _learn_at(
    typing: Any, at: Any, state: Any, arm: Any, context: Any, reward: Any, memo: Any, rng: Any
) -> Any:
    return _call("learn", arm, context, reward, memo, rng)


@intrinsic
def _overhear_at(typing: Any, at: Any, state: Any, spent: Any, over: Any) -> Any:
    return _call("overhear", spent, over)


@intrinsic
def _score_at(
    typing: Any, at: Any, state: Any, contexts: Any, memo: Any, means: Any, bonuses: Any
) -> Any:
    return _call("score", contexts, memo, means, bonuses)


@intrinsic
def _probability_at(typing: Any, at: Any, state: Any, contexts: Any, memo: Any, out: Any) -> Any:
    return _call("probability", contexts, memo, out)
