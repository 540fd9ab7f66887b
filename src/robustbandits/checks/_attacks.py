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
from robustbandits.game.committed import CommittedAttackState
from robustbandits.game.match import NATURE, Game, play_match, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.problem import Problem
from robustbandits.game.records import InjectingAttackState
from robustbandits.game.rounds import Environment, Rounds
from robustbandits.game.swaps import SwappingAttackState
from robustbandits.game.verbs import Attack, AttackState, Policy, reads_policy
from robustbandits.policies import LinUCB

#: Kernels that an attack may have, and where they are described.
KERNELS = {
    "propose_contexts": AttackState,
    "propose_reward": AttackState,
    "propose_shifts": CommittedAttackState,
    "watch": CommittedAttackState,
    "propose_arm": SwappingAttackState,
    "propose_record": InjectingAttackState,
}


def check_attack(
    attack: Attack, environment: Environment | None = None, policy: Policy | None = None
) -> None:
    """Check that an attack keeps its contract, see :class:`robustbandits.extend.AttackState`.

    The purse keeps every attack within its budget. This checks the rest: the proposals are finite,
    the attack changes nothing but ``wanted``, it does nothing with a budget of 0, and it declares
    whether it reads the policy. A broken contract raises :class:`BrokenContract`.

    Parameters
    ----------
    attack
        The recipe.
    environment, policy
        Where and against what to play; by default a small simulation, and LinUCB.
    """
    require.recipe("attack", attack, "attack")
    environment, policy = environment or Simulation(arms=6, dim=3), policy or LinUCB()
    nature = environment.start(ROUNDS, stream(0, NATURE))
    check_recipe(attack)
    state = attack.start(nature.problem)
    check_states(state, attack.start(nature.problem), attack.name)
    for kernel, described in KERNELS.items():
        if hasattr(state, kernel):
            check_signature(state, kernel, getattr(described, kernel), attack.name)
    block = nature.draw(ROUNDS)
    _check_game(attack, policy, nature.problem, block)
    if attack.purse != "reference":
        _check_without_budget(attack, policy, environment)
    check_loops_agree(policy, attack, environment)


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
    unchanged = tuple(array.tobytes() for array in block) == before
    ensure(unchanged, f"{name} changed the rounds: it may write into `wanted` only")
    ledger = game.close("check", 0)
    ensure(
        ledger.bad_proposals == 0,
        f"{name} proposed values that are not finite, or arms that do not exist",
    )
    if attack.purse != "reference":
        ensure(ledger.spent <= attack.budget, f"{name} spent more than its budget")


def _check_without_budget(attack: Attack, policy: Policy, environment: Environment) -> None:
    """Check that a game with a budget of 0 is the unattacked one, bit for bit."""
    if not any(field.name == "budget" for field in dataclasses.fields(attack)):  # type: ignore[arg-type]
        return
    without_budget = dataclasses.replace(attack, budget=0.0)  # type: ignore[type-var]
    pairs = [(without_budget, policy), (NoAttack(), policy)]
    attacked, clean = play_match(environment, pairs, ROUNDS, 0)
    same = np.array_equal(attacked.regret, clean.regret)
    same = same and np.array_equal(attacked.pulls, clean.pulls)
    ensure(same, f"{attack.name} changes the game although its budget is 0")


class _OnlyChoose:
    """Stands for a policy's state if nothing is compiled: an attack may only call `choose`."""

    def __init__(self, state: Any, attack: str):
        self.choose = state.choose
        self.learn = state.learn
        self._attack = attack

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    def _refuse(self, *arguments: Any) -> NoReturn:
        raise BrokenContract(
            f"{self._attack} does more with `policy` than call choose(policy, ...): declare it "
            f"with reads_policy = True"
        )

    __getitem__ = __iter__ = __len__ = _refuse
