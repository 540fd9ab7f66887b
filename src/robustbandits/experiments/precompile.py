"""Compile ahead of time, on all cores, so that nobody has to wait for it later."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import numba
import numpy as np

from robustbandits._cores import available_cores
from robustbandits.agent.agent import Agent
from robustbandits.attacks import Garcelon
from robustbandits.experiments.engines.processes import start_worker
from robustbandits.experiments.registry import kinds, parameters
from robustbandits.experiments.samples import sample_place, sample_policy
from robustbandits.game.facts import policy_facts
from robustbandits.game.problem import Problem
from robustbandits.game.simulate import simulate


def compile_ahead(
    names: Sequence[str],
    *,
    live: bool = True,
    workers: int | None = None,
    on_policy: Callable[[str], None] | None = None,
) -> None:
    """Compile policies for games, and for agents when ``live``: each kind of state only once.

    In processes, because Numba compiles one function at a time. What they compile is on disk when
    they are done, and ``on_policy`` is told the name of each as it is.
    """
    # Policies that share a kind of state share its machine code.
    chosen = {_kind_of_state(name): name for name in reversed(names)}
    context = multiprocessing.get_context("spawn")
    count = min(workers or available_cores(), len(chosen))
    pool = ProcessPoolExecutor(count, context, initializer=start_worker)
    try:
        futures = {pool.submit(compile_policy, name, live): name for name in chosen.values()}
        for future in as_completed(futures):
            future.result()
            if on_policy is not None:
                on_policy(futures[future])
    finally:
        pool.shutdown(cancel_futures=True)


def compile_attacks() -> None:
    """Compile the loop for every attack."""
    policy = sample_policy("Greedy")
    for kind in kinds("attacks").values():
        told = {"budget": 1.0} if "budget" in parameters(kind) else {}
        attack: Any = kind(**told)
        simulate(environment=sample_place(policy), policy=policy, attack=attack, rounds=10)


def compile_policy(name: str, live: bool) -> None:
    """Compile what a game of a policy needs, and an agent."""
    policy = sample_policy(name)
    place = sample_place(policy)
    simulate(environment=place, policy=policy, attack=Garcelon(1.0), rounds=10)
    if live:
        with warnings.catch_warnings():  # a reference says that it has no business here
            warnings.simplefilter("ignore", UserWarning)
            Agent(policy, arms=2, dim=2, rounds=10).choose(np.eye(2))


def _kind_of_state(name: str) -> Any:
    policy = sample_policy(name)
    fixed = policy_facts(policy).setting != "contextual"
    problem = Problem(arms=2, dim=2, rounds=10, noise=0.1, fixed_arms=fixed)
    return numba.typeof(policy.start(problem))
