"""The contract of attacks."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

import numpy as np

from robustbandits.checks._states import (
    ROUNDS,
    BrokenContract,
    check_loops_agree,
    check_recipe,
    check_signature,
    check_states,
    ensure,
)
from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import Simulation
from robustbandits.game import require
from robustbandits.game.match import NATURE, Game, play_match, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import Environment, Rounds
from robustbandits.game.verbs import Attack, AttackState, Policy, reads_policy
from robustbandits.policies import LinUCB

KERNELS = ("propose_contexts", "propose_reward")


def check_attack(
    attack: Attack, environment: Environment | None = None, policy: Policy | None = None
) -> None:
    """Check that an attack keeps its contract, see :class:`robustbandits.extend.AttackState`.

    The purse keeps every attack within its budget. What is left to check: its proposals are finite,
    it changes nothing but ``wanted``, it does nothing with a budget of 0, and it declares whether
    it reads the policy. A broken contract raises :class:`BrokenContract`.

    Parameters
    ----------
    attack
        The recipe.
    environment, policy
        Where and against what to play; by default a small simulation, and LinUCB.
    """
    require.recipe("attack", attack, "attack")
    played, victim = environment or Simulation(arms=6, dim=3), policy or LinUCB()
    nature = played.start(ROUNDS, stream(0, NATURE))
    check_recipe(attack)
    state = attack.start(nature.problem)
    check_states(state, attack.start(nature.problem), attack.name)
    kernels = [kernel for kernel in KERNELS if hasattr(state, kernel)]
    for kernel in kernels:
        check_signature(state, kernel, getattr(AttackState, kernel), attack.name)
    block = nature.draw(ROUNDS)
    _check_game(attack, victim, nature.problem, block)
    if attack.purse != "reference":
        _check_without_budget(attack, victim, played)
    check_loops_agree(victim, attack, played)


def _check_game(attack: Attack, policy: Policy, problem: Problem, block: Rounds) -> None:
    name = attack.name
    before = tuple(array.tobytes() for array in block)
    game = Game(policy, attack, problem, 0, ROUNDS)
    if not jit_is_on and not reads_policy(attack, game.attack):
        game.play_in_python(_OnlyChoose(game.policy, name))
    try:
        game.advance(block)
    except TypeError as error:
        raise BrokenContract(str(error)) from error
    ensure(tuple(array.tobytes() for array in block) == before, f"{name} changed nature's rounds")
    ledger = game.close("check", 0)
    ensure(ledger.bad_proposals == 0, f"{name} proposed values that are not finite")
    if attack.purse != "reference":
        ensure(ledger.spent <= attack.budget, f"{name} spent more than its budget")


def _check_without_budget(attack: Attack, policy: Policy, environment: Environment) -> None:
    """Check that a game with a budget of 0 is the unattacked one, bit for bit."""
    if not any(field.name == "budget" for field in dataclasses.fields(attack)):  # type: ignore[arg-type]
        return
    without_budget = dataclasses.replace(attack, budget=0.0)  # type: ignore[type-var]
    pairs = [(without_budget, policy), (NoAttack(), policy)]
    ours, clean = play_match(environment, pairs, ROUNDS, 0)
    same = np.array_equal(ours.regret, clean.regret) and np.array_equal(ours.pulls, clean.pulls)
    ensure(same, f"{attack.name} changes the game although its budget is 0")


class _OnlyChoose:
    """A policy's state that an attack may only ask to choose, when nothing is compiled."""

    def __init__(self, state: Any, attack: str):
        self.choose = state.choose
        self.learn = state.learn
        self._attack = attack

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    def _refuse(self, *arguments: Any) -> NoReturn:
        raise BrokenContract(
            f"{self._attack} does more with `policy` than to call choose(policy, ...): declare it "
            f"with reads_policy = True"
        )

    __getitem__ = __iter__ = __len__ = _refuse
