"""The contract of policies."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np

from robustbandits.checks._states import (
    ROUNDS,
    BrokenContract,
    arrays_of,
    bits_of,
    check_loops_agree,
    check_recipe,
    check_signature,
    check_states,
    ensure,
)
from robustbandits.compiled.fallback import first_line
from robustbandits.environments import Simulation
from robustbandits.game import require, verbs
from robustbandits.game.facts import policy_facts
from robustbandits.game.match import NATURE, POLICY, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Environment, Rounds, draw_reward
from robustbandits.game.verbs import MEMO, OptionalPolicyKernels, Policy, PolicyState
from robustbandits.kernels.linalg import Floats

REQUIRED = ("choose", "learn", "score")
OPTIONAL = ("probability", "choose_by_scores", "overhear", "check")


def check_policy(policy: Policy, environment: Environment | None = None) -> None:
    """Check that a policy keeps its contract, see :class:`robustbandits.extend.PolicyState`.

    A broken contract raises :class:`BrokenContract`, which says what is wrong.

    Parameters
    ----------
    policy
        The recipe.
    environment
        Where to play; by default a small simulation.
    """
    require.recipe("policy", policy, "policy")
    fixed = policy_facts(policy).setting != "contextual"
    environment = environment or Simulation(arms=5, dim=3, contexts="fixed" if fixed else "fresh")
    nature = environment.start(ROUNDS, stream(0, NATURE))
    problem, block = nature.problem, nature.draw(ROUNDS)
    check_recipe(policy)
    state = policy.start(problem)
    check_states(state, policy.start(problem), policy.name)
    for kernel in REQUIRED:
        ensure(hasattr(state, kernel), f"{policy.name}'s state has no kernel {kernel!r}: define it")
        check_signature(state, kernel, getattr(PolicyState, kernel), policy.name)
    for kernel in OPTIONAL:
        if hasattr(state, kernel):
            check_signature(state, kernel, getattr(OptionalPolicyKernels, kernel), policy.name)
    with _report_compile_errors(policy.name):
        _check_choices(policy, problem, block)
        check_loops_agree(policy, NoAttack(), environment)


@contextmanager
def _report_compile_errors(name: str) -> Iterator[None]:
    try:
        yield
    except numba.errors.NumbaError as error:
        raise BrokenContract(f"{name} cannot be compiled: {first_line(error)}") from error


def _check_choices(policy: Policy, problem: Problem, block: Rounds) -> None:
    """Check that choices are valid, pure and repeatable, and that all numbers stay finite."""
    name, state = policy.name, policy.start(problem)
    rng = np.random.Generator(np.random.PCG64(stream(0, POLICY)))
    for t in range(len(block.noise)):
        contexts, (memo, second_memo) = block.contexts[t].copy(), np.zeros((2, MEMO))
        _check_memo(state, contexts, copy.deepcopy(rng), name)
        before, same_rng, third_rng = bits_of(state), copy.deepcopy(rng), copy.deepcopy(rng)
        arm = state.choose(contexts, rng, memo)
        _check_arm(arm, problem.arms, name)
        ensure(bits_of(state) == before, f"{name}.choose changed the state")
        repeated = state.choose(contexts, same_rng, second_memo)
        ensure(repeated == arm, f"{name}.choose is not repeatable: use no randomness but rng")
        ensure(np.array_equal(memo, second_memo), f"{name}'s memo is not repeatable")
        if problem.infinite:
            _check_vector(contexts[:, 0], problem.context_bound, name)
        _check_scores(state, contexts, memo, arm, name)
        if hasattr(state, "choose_by_scores") and not problem.infinite:
            _check_choice_by_scores(state, contexts, third_rng, arm, name)
            same = third_rng.bit_generator.state == rng.bit_generator.state
            ensure(same, f"{name}.choose_by_scores must draw the random numbers that choose draws")
        ensure(bits_of(state) == before, f"{name}.score or .probability changed the state")
        reward = draw_reward(block.means[t, arm], block.noise[t], problem.clicks)
        result = state.learn(arm, contexts[:, arm].copy(), reward, memo, rng)
        ensure(result is None, f"{name}.learn must return nothing, got {result!r}")
        finite = all(np.isfinite(array).all() for array in arrays_of(state))
        ensure(finite, f"{name}'s state is not finite after {t + 1} rewards")


def _check_arm(arm: Any, arms: int, name: str) -> None:
    is_index = isinstance(arm, int | np.integer) and not isinstance(arm, bool)
    got = f"got {arm!r} of type {type(arm).__name__}"
    ensure(is_index, f"{name}.choose must return the index of an arm, an int; {got}")
    ensure(0 <= arm < arms, f"{name}.choose must return an arm from 0 to {arms - 1}; got {arm}")


def _check_vector(vector: Floats, bound: float, name: str) -> None:
    length = float(np.linalg.norm(vector))
    ensure(
        length <= bound * (1 + 1e-9),
        f"{name}.choose must write a vector of length {bound:g} or less into the contexts, because "
        f"the arms are a ball; its length is {length:g}",
    )


def _check_scores(state: Any, contexts: Floats, memo: Floats, arm: int, name: str) -> None:
    arms = contexts.shape[1]
    means, bonuses = np.full((2, arms), np.nan)
    state.score(contexts, memo, means, bonuses)
    finite = bool(np.isfinite([means, bonuses]).all())
    ensure(finite, f"{name}.score must write a finite mean and bonus for every arm")
    if hasattr(state, "probability"):
        probabilities = np.full(arms, np.nan)
        state.probability(contexts, memo, probabilities)
        total = probabilities.sum()
        ensure(abs(total - 1) < 1e-9, f"{name}'s probabilities must sum to 1; their sum is {total}")
        ensure(probabilities[arm] > 0, f"{name} chose arm {arm}, to which it gives probability 0")


def _check_choice_by_scores(
    state: Any, contexts: Floats, rng: np.random.Generator, arm: int, name: str
) -> None:
    arms, memo = contexts.shape[1], np.zeros(MEMO)
    means, bonuses, alone, expected, out = np.full((5, arms), np.nan)
    state.score(contexts, memo, means, bonuses)
    for a in range(arms):
        column = contexts[:, a : a + 1].copy()
        state.score(column, memo, alone[a : a + 1], expected[a : a + 1])
    ensure(
        np.array_equal(alone, means) and np.array_equal(expected, bonuses),
        f"{name}.score of an arm must not depend on other arms, because there is choose_by_scores",
    )
    found = state.choose_by_scores(means, bonuses, rng, out)
    ensure(found == arm, f"{name}.choose_by_scores must return {arm}, as choose; got {found}")
    verbs.probability(state, contexts, memo, expected)
    ensure(
        np.array_equal(out, expected, equal_nan=True),
        f"{name}.choose_by_scores must write {expected}, as probability; got {out}",
    )


def _check_memo(state: Any, contexts: Floats, rng: np.random.Generator, name: str) -> None:
    """Check that a decision writes nothing after the end of its memo.

    Plain Python raises IndexError; machine code would overwrite whatever is there.
    """
    memo = np.zeros(16 * MEMO)
    try:
        state.choose(contexts, rng, memo[:MEMO])
    except IndexError:
        memo[MEMO] = 1.0
    ensure(
        not memo[MEMO:].any(),
        f"{name}.choose writes beyond the end of its memo, which has {MEMO} numbers",
    )
