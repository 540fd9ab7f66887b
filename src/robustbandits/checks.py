"""The contracts of policies, attacks and environments, for third parties too.

Each check raises :class:`BrokenContract` with one sentence that says which promise is broken. Our
own tests run them over everything the package exports; run them over yours::

    from robustbandits.checks import check_policy

    def test_my_policy():
        check_policy(MyPolicy())
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from robustbandits.compiled.jit import python_of
from robustbandits.environments import Simulation
from robustbandits.game import require
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import ATTACK, NATURE, POLICY, Game, play_match, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Environment, Rounds
from robustbandits.game.verbs import MEMO, Attack, Policy, PolicyState
from robustbandits.kernels.linalg import Floats
from robustbandits.policies import LinUCB

ROUNDS = 200


class BrokenContract(AssertionError):
    """A policy, an attack or an environment does not keep its promise."""


def _promise(kept: bool, sentence: str) -> None:
    if not kept:
        raise BrokenContract(sentence)


# -------------------------------------------------------------------------------------- recipes


def check_recipe(recipe: Any) -> None:
    """Check that a recipe is frozen, and can be hashed, compared and written as JSON."""
    name = type(recipe).__name__
    _promise(dataclasses.is_dataclass(recipe), f"{name} is not a dataclass")
    _promise(recipe == copy.copy(recipe), f"{name} does not equal its own copy")
    try:
        hash(recipe)
    except TypeError:
        raise BrokenContract(f"{name} cannot be hashed: it must be frozen") from None
    again = type(recipe).from_dict(json.loads(json.dumps(recipe.to_dict())))
    _promise(again == recipe, f"{name} does not survive to_dict, JSON and from_dict")


def _arrays(state: Any) -> Iterator[np.ndarray[Any, Any]]:
    for value in state:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, tuple):
            yield from _arrays(value)


def _bits(state: Any) -> bytes:
    return b"".join(array.tobytes() for array in _arrays(state))


def _check_state(state: Any, other: Any, name: str) -> None:
    _promise(
        isinstance(state, tuple) and hasattr(state, "_fields"),
        f"{name}.start must return a NamedTuple, got {type(state).__name__}",
    )
    for array in _arrays(state):
        _promise(
            array.flags.c_contiguous and array.flags.writeable,
            f"{name}'s state holds an array that is not C-contiguous and writable",
        )
    for mine in _arrays(state):
        for theirs in _arrays(other):
            _promise(not np.shares_memory(mine, theirs), f"two states of {name} share memory")
    _promise(_bits(state) == _bits(other), f"two fresh states of {name} differ")


def _check_signature(state: Any, method: str, model: Any, name: str) -> None:
    wanted = list(inspect.signature(model).parameters)
    found = list(inspect.signature(python_of(getattr(type(state), method))).parameters)
    _promise(found == wanted, f"{name}.{method} must take {wanted}, it takes {found}")


# ------------------------------------------------------------------------------------- policies


def check_policy(policy: Policy, environment: Environment | None = None) -> None:
    """Check that a policy plays by the rules.

    Parameters
    ----------
    policy
        The recipe.
    environment
        Where to play; a small simulation by default.
    """
    require.recipe("policy", policy, "policy")
    place = environment or Simulation(arms=5, dim=3)
    nature = place.start(ROUNDS, stream(0, NATURE))
    problem, block = nature.problem, nature.draw(ROUNDS)
    check_recipe(policy)
    state = policy.start(problem)
    _check_state(state, policy.start(problem), policy.name)
    for method in ("choose", "learn", "score"):
        _promise(hasattr(state, method), f"{policy.name}'s state has no kernel {method!r}")
        _check_signature(state, method, getattr(PolicyState, method), policy.name)
    _check_choices(policy, problem, block)
    _check_loops_agree(policy, NoAttack(), place)


def _check_choices(policy: Policy, problem: Problem, block: Rounds) -> None:
    """Check that choices are legal, pure and repeatable, and that every number stays finite."""
    name, state = policy.name, policy.start(problem)
    rng = np.random.Generator(np.random.PCG64(stream(0, POLICY)))
    for t in range(len(block.noise)):
        contexts, (memo, again) = block.contexts[t].copy(), np.zeros((2, MEMO))
        _check_memo(state, contexts, copy.deepcopy(rng), name)
        before, twin = _bits(state), copy.deepcopy(rng)
        arm = state.choose(contexts, rng, memo)
        _promise(0 <= arm < problem.arms, f"{name} chose arm {arm} of {problem.arms}")
        _promise(_bits(state) == before, f"{name}.choose changed the state")
        _promise(state.choose(contexts, twin, again) == arm, f"{name} is not repeatable")
        _promise(np.array_equal(memo, again), f"{name}'s memo is not repeatable")
        means, bonuses = np.full((2, problem.arms), np.nan)
        state.score(contexts, memo, means, bonuses)
        _promise(bool(np.isfinite([means, bonuses]).all()), f"{name}.score is not finite")
        if hasattr(state, "probability"):
            chances = np.full(problem.arms, np.nan)
            state.probability(contexts, memo, chances)
            _promise(
                abs(chances.sum() - 1) < 1e-9, f"{name}'s probabilities sum to {chances.sum()}"
            )
            _promise(chances[arm] > 0, f"{name} chose an arm of probability 0")
        _promise(_bits(state) == before, f"{name}.score or .probability changed the state")
        reward = float(block.means[t, arm] + block.noise[t])
        state.learn(arm, contexts[:, arm].copy(), reward, memo, rng)
        finite = all(np.isfinite(array).all() for array in _arrays(state))
        _promise(finite, f"{name}'s state is not finite after {t + 1} rewards")


def _check_memo(state: Any, contexts: Floats, rng: np.random.Generator, name: str) -> None:
    """Check that a decision writes nothing after the end of its memo.

    Plain Python raises IndexError; machine code would overwrite whatever is there.
    """
    memo = np.zeros(16 * MEMO)
    try:
        state.choose(contexts, rng, memo[:MEMO])
    except IndexError:
        memo[MEMO] = 1.0
    _promise(
        not memo[MEMO:].any(),
        f"{name}.choose writes beyond the end of its memo, which has {MEMO} numbers",
    )


def _check_loops_agree(policy: Policy, attack: Attack, environment: Environment) -> None:
    """Check that the compiled loop and the plain one give the same bits."""
    games = []
    for compiled in (True, False):
        nature = environment.start(ROUNDS, stream(1, NATURE))
        game = Game(policy, attack, nature.problem, 1, ROUNDS)
        if not compiled:
            game.play_plainly()
        game.advance(nature.draw(ROUNDS))
        games.append(game)
    fast, slow = games
    same = all(
        _bits(one) == _bits(other)
        for one, other in ((fast.policy, slow.policy), (fast.attack, slow.attack))
    )
    same = same and _bits(fast.book) == _bits(slow.book) and _bits(fast.purse) == _bits(slow.purse)
    _promise(same, f"{policy.name} and {attack.name} play differently compiled and in Python")


# -------------------------------------------------------------------------------------- attacks


def check_attack(attack: Attack, environment: Environment | None = None) -> None:
    """Check that an attack plays by the rules, against LinUCB.

    The purse keeps every attack within its budget; what is left to check is that its proposals
    are finite, that it leaves everybody else's things alone, and that without money it does
    nothing.
    """
    require.recipe("attack", attack, "attack")
    place = environment or Simulation(arms=6, dim=3)
    nature = place.start(ROUNDS, stream(0, NATURE))
    check_recipe(attack)
    _check_state(attack.start(nature.problem), attack.start(nature.problem), attack.name)
    block = nature.draw(ROUNDS)
    before = tuple(array.tobytes() for array in block)
    game = Game(LinUCB(), attack, nature.problem, 0, ROUNDS)
    game.advance(block)
    _promise(tuple(a.tobytes() for a in block) == before, f"{attack.name} changed nature's rounds")
    ledger = game.close(place.name, 0)
    _promise(ledger.bad_proposals == 0, f"{attack.name} proposed values that are not finite")
    if attack.purse != "reference":
        _promise(ledger.spent <= attack.budget, f"{attack.name} spent more than its budget")
        _check_poverty(attack, place)
    _check_loops_agree(LinUCB(), attack, place)


def _check_poverty(attack: Attack, environment: Environment) -> None:
    """Check that with an empty purse the game is the unattacked one, bit for bit."""
    if not any(field.name == "budget" for field in dataclasses.fields(attack)):  # type: ignore[arg-type]
        return
    poor = dataclasses.replace(attack, budget=0.0)  # type: ignore[type-var]
    pairs = [(poor, LinUCB()), (NoAttack(), LinUCB())]
    with_it, without = play_match(environment, pairs, ROUNDS, 0)
    same = np.array_equal(with_it.regret, without.regret) and _same_pulls(with_it, without)
    _promise(same, f"{attack.name} changes the game although its budget is 0")


def _same_pulls(one: Ledger, other: Ledger) -> bool:
    return np.array_equal(one.pulls, other.pulls)


# --------------------------------------------------------------------------------- environments


def check_environment(environment: Environment) -> None:
    """Check that an environment deals proper rounds, the same ones for the same seed."""
    require.recipe("environment", environment, "environment")
    name = environment.name
    check_recipe(environment)
    nature = environment.start(ROUNDS, stream(0, NATURE))
    problem, block = nature.problem, nature.draw(ROUNDS)
    shapes = {
        "contexts": (ROUNDS, problem.dim, problem.arms),
        "means": (ROUNDS, problem.arms),
        "best": (ROUNDS,),
        "noise": (ROUNDS,),
    }
    for field, shape in shapes.items():
        array = getattr(block, field)
        _promise(array.shape == shape, f"{name}'s {field} have shape {array.shape}, not {shape}")
        proper = array.dtype == np.float64 and array.flags.c_contiguous and array.flags.writeable
        _promise(proper, f"{name}'s {field} are not writable C-contiguous float64")
        _promise(bool(np.isfinite(array).all()), f"{name}'s {field} are not finite")
    _promise(problem.rounds == ROUNDS, f"{name}'s problem does not know its number of rounds")
    _promise(np.array_equal(block.best, block.means.max(axis=1)), f"{name}'s best is not the best")
    lengths = np.sqrt(np.square(block.contexts).sum(axis=1))
    _promise(lengths.max() <= problem.context_bound * (1 + 1e-9), f"{name} exceeds its own bound")
    if problem.intercept:
        constant = np.ptp(block.contexts[:, -1]) == 0
        _promise(bool(constant), f"{name}'s last coordinate is not constant")
    again = environment.start(ROUNDS, stream(0, NATURE))
    halves = [again.draw(ROUNDS // 3), again.draw(ROUNDS - ROUNDS // 3)]
    for field in shapes:
        joined = np.concatenate([getattr(half, field) for half in halves])
        same = np.array_equal(joined, getattr(block, field))
        _promise(same, f"{name}'s {field} depend on how rounds are cut into blocks")
    other = environment.start(ROUNDS, stream(1, ATTACK)).draw(ROUNDS)
    _promise(not np.array_equal(other.noise, block.noise), f"{name} ignores its seed")
