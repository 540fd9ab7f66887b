"""Compile policies and attacks ahead of time, on all cores."""

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
from robustbandits.experiments.registry import (
    find_kind,
    parameters,
    sample_environment,
    sample_policy,
)
from robustbandits.game.facts import policy_facts
from robustbandits.game.problem import Problem
from robustbandits.game.simulate import simulate


def compile_ahead(
    policies: Sequence[str],
    attacks: Sequence[str] = (),
    *,
    live: bool = True,
    on_done: Callable[[str], None] | None = None,
) -> None:
    """Compile policies for games, and for agents if ``live``, and the loops of attacks.

    This uses processes because Numba compiles one function at a time. They leave the machine code
    in the cache on disk. ``on_done`` is called with each name.
    """
    # Policies with the same type of state share machine code.
    chosen = {_state_type(name): name for name in reversed(policies)}
    context = multiprocessing.get_context("spawn")
    count = min(available_cores(), len(chosen) + len(attacks))
    pool = ProcessPoolExecutor(count, context, initializer=start_worker)
    try:
        futures = {pool.submit(compile_policy, name, live): name for name in chosen.values()}
        futures |= {pool.submit(compile_attack, name): name for name in attacks}
        for future in as_completed(futures):
            future.result()
            if on_done is not None:
                on_done(futures[future])
    finally:
        pool.shutdown(cancel_futures=True)


def compile_attack(name: str) -> None:
    """Compile the loop for an attack."""
    kind: Any = find_kind("attacks", name)
    values = {"budget": 1.0, "attack": Garcelon(1.0)}  # an attack around another one has no budget
    attack = kind(**{key: values[key] for key in values.keys() & parameters(kind).keys()})
    policy = sample_policy("Greedy")
    environment = sample_environment(policy, contexts="fixed")  # which every attack can attack
    simulate(environment=environment, policy=policy, attack=attack, rounds=10)


def compile_policy(name: str, live: bool) -> None:
    """Compile what a game of a policy needs, and an agent if ``live``."""
    policy = sample_policy(name)
    environment = sample_environment(policy)
    simulate(environment=environment, policy=policy, attack=Garcelon(1.0), rounds=10)
    if live:
        with warnings.catch_warnings():  # an agent warns about policies that are only references
            warnings.simplefilter("ignore", UserWarning)
            Agent(policy, arms=2, dim=2, rounds=10).choose(np.eye(2))


def _state_type(name: str) -> Any:
    policy = sample_policy(name)
    fixed = policy_facts(policy).setting != "contextual"
    problem = Problem(arms=2, dim=2, rounds=10, noise=0.1, fixed_arms=fixed)
    return numba.typeof(policy.start(problem))
