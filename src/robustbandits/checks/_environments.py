"""The contract of environments."""

from __future__ import annotations

import numpy as np

from robustbandits.checks._states import ROUNDS, check_recipe, ensure
from robustbandits.game import require
from robustbandits.game.match import ATTACK, NATURE, stream
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Environment, Rounds, drop_repeated_rows


def check_environment(environment: Environment) -> None:
    """Check that an environment draws valid rounds, the same ones for the same seed.

    The rounds must not depend on how they are divided into blocks. A broken contract raises
    :class:`BrokenContract`, which says what is wrong.
    """
    require.recipe("environment", environment, "environment")
    name = environment.name
    check_recipe(environment)
    nature = environment.start(ROUNDS, stream(0, NATURE))
    ensure(nature.problem.rounds == ROUNDS, f"{name}'s problem must have rounds={ROUNDS}")
    block = nature.draw(ROUNDS)
    _check_arrays(block, nature.problem, name)
    _check_bounds(block, nature.problem, name)
    same_nature = environment.start(ROUNDS, stream(0, NATURE))
    parts = [same_nature.draw(ROUNDS // 3), same_nature.draw(ROUNDS - ROUNDS // 3)]
    for field in ("contexts", "means", "best", "noise"):
        joined = np.concatenate([getattr(part, field) for part in parts])
        same = np.array_equal(joined, getattr(block, field))
        ensure(
            same,
            f"{name}'s {field} depend on how rounds are divided into blocks: give each kind of "
            f"draw a random stream of its own, see robustbandits.extend.child_seeds",
        )
    other = environment.start(ROUNDS, stream(1, ATTACK)).draw(ROUNDS)
    ensure(not np.array_equal(other.noise, block.noise), f"{name} ignores its seed")


def _check_arrays(block: Rounds, problem: Problem, name: str) -> None:
    shapes = {
        "contexts": (ROUNDS, problem.dim, problem.arms),
        "means": (ROUNDS, 3 if problem.infinite else problem.arms),
        "best": (ROUNDS,),
        "noise": (ROUNDS,),
        "model": (problem.dim + 1 if problem.infinite else 0,),
    }
    for field, shape in shapes.items():
        shape_drawn = getattr(block, field).shape
        ensure(shape_drawn == shape, f"{name}'s {field}: expected shape {shape}, got {shape_drawn}")
        array = getattr(drop_repeated_rows(block), field)
        suitable = array.dtype == np.float64 and array.flags.c_contiguous and array.flags.writeable
        ensure(suitable, f"{name}'s {field} must be writable, C-contiguous and float64")
        ensure(bool(np.isfinite(array).all()), f"{name}'s {field} must be finite")


def _check_bounds(block: Rounds, problem: Problem, name: str) -> None:
    largest = block.means.max(axis=1)
    ensure(np.array_equal(block.best, largest), f"{name}'s best must be the largest of the means")
    longest = np.sqrt(np.square(block.contexts).sum(axis=1)).max()
    bound = problem.context_bound
    ensure(
        longest <= bound * (1 + 1e-9),
        f"{name}'s contexts must not be longer than context_bound={bound:g}; got {longest:g}",
    )
    if problem.clicks:
        for field, array in (("means", block.means), ("noise", block.noise)):
            inside = bool((array >= 0.0).all() and (array <= 1.0).all())
            ensure(inside, f"{name}'s {field} must be between 0 and 1, because rewards are clicks")
    if problem.intercept:
        constant = bool(np.ptp(block.contexts[:, -1]) == 0)
        ensure(constant, f"{name}'s last coordinate must be constant, because intercept is True")
