"""Facts: what to know before choosing a policy, an attack or an environment.

A recipe class may have a class attribute ``facts``. All fields have defaults, and
:func:`policy_facts` returns the defaults for a policy without facts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from robustbandits.game import require
from robustbandits.game.problem import Problem, UnsupportedProblem

#: Where the specification of a policy comes from: the paper; its authors' code; ourselves; or
#: summaries, other papers and memory, as the docstring then says. Users see the last as
#: "experimental".
PAPER, CODE, OURS = "paper", "authors' code", "ours"
RECONSTRUCTION = "experimental: constants from summaries or from memory"
NOT_STATED = "not stated"
#: Bounds and parameters above this, and bounds below its inverse, are refused.
LARGEST = 1e50


class PolicyFacts(NamedTuple):
    """What a policy assumes, and what is known about it; every field is optional.

    Code reads ``setting`` and ``infinite_arms``; the other fields are only shown, by
    ``robustbandits list``. Checks and benchmarks play a policy on fixed arms unless its setting is
    ``"contextual"``.
    """

    setting: str = "contextual"  # arms and contexts may change; "fixed arms"; "MAB": no contexts
    needs: tuple[str, ...] = ()  # what it must know in advance: "budget", "horizon", ...
    adversary: str = NOT_STATED  # what its guarantee covers
    regret: str = NOT_STATED  # its bound, up to logarithms
    cost: str = NOT_STATED  # of a round, in arms K and dimension d
    provenance: str = NOT_STATED  # PAPER, CODE, OURS or RECONSTRUCTION
    reference: str = NOT_STATED  # authors and year
    infinite_arms: bool = False  # whether it can play all vectors of a ball


class AttackFacts(NamedTuple):
    """What an attack does, and what it must know to do it; every field is optional."""

    changes: str = NOT_STATED  # the attacked surface: "rewards", "contexts" or "nothing"
    knows: str = NOT_STATED  # "nothing", "the mean rewards", ...
    timing: str = NOT_STATED  # "before the choice" or "after the choice" of an arm
    knowledge: str = NOT_STATED  # a level of `knowledge.LEVELS`, or that of the wrapped attack
    goal: str = NOT_STATED  # "demote the best arms", "promote a target", ...
    cost: str = NOT_STATED  # of computing a round, in arms K and dimension d


class EnvironmentFacts(NamedTuple):
    """Where rounds come from; every field is optional."""

    contexts: str = NOT_STATED  # what they represent, and whether they change
    data: str = NOT_STATED  # what must be on disk, or "none"


def policy_facts(policy: Any) -> PolicyFacts:
    """Return the facts of a policy, given by its recipe or its class.

    Without facts of its own, a policy that has ``fixed_arms`` or ``fixed_contexts`` is for fixed
    arms, and any other is contextual.
    """
    facts: PolicyFacts | None = getattr(policy, "facts", None)
    if facts is not None:
        return facts
    fixed = any(getattr(policy, name, False) for name in ("fixed_arms", "fixed_contexts"))
    return PolicyFacts(setting="fixed arms" if fixed else "contextual")


def start_policy(policy: Any, problem: Problem) -> Any:
    """Return a fresh state of a policy; raise UnsupportedProblem if it cannot play.

    A policy that does not know of infinitely many arms would play the origin in every round. With
    numbers far from 1, squares and products overflow, so that scores would not be finite.
    """
    try:
        state = policy.start(problem)
    except ArithmeticError as error:
        raise ValueError(
            f"{policy.name} cannot compute its constants ({error}): use parameters and bounds "
            f"nearer to 1; got {policy!r} and {problem}"
        ) from error
    _refuse_extreme_numbers(policy, problem)
    if problem.infinite and not policy_facts(policy).infinite_arms:
        raise UnsupportedProblem(
            f"{policy.name} does not state that it can play infinitely many arms "
            f"(facts.infinite_arms): use another policy, such as LinUCB"
        )
    return state


def _refuse_extreme_numbers(policy: Any, problem: Problem) -> None:
    for name in ("context_bound", "theta_bound"):
        require.between(name, getattr(problem, name), 1.0 / LARGEST, LARGEST)
    for name, value in getattr(policy, "__dict__", {}).items():
        if isinstance(value, float) and LARGEST < abs(value) < math.inf:
            raise ValueError(f"{name} of {policy.name} must be at most {LARGEST:g}, got {value!r}")
