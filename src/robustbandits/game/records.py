"""Attacks that teach a policy fake records: how the loop calls their kernel."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numba.extending import overload

from robustbandits.compiled.calls import calls_kernel
from robustbandits.game.purse import SPENT, Purse, has_money, settle_record
from robustbandits.game.verbs import MEMO, Scene, choose, learn
from robustbandits.kernels.linalg import Floats, copy_column

#: Returned by `propose_record` instead of an arm: no more records in this round.
NO_RECORD = -1


class InjectingAttackState(Protocol):
    """A kernel that an attack may have besides those of AttackState; it is optional."""

    def propose_record(
        self, scene: Scene, number: int, rng: np.random.Generator
    ) -> tuple[int, float]:
        """Return the arm and the reward of the next fake record, or (`NO_RECORD`, 0.0).

        It is called before the choice, with ``number`` = 0, 1, ... for the records of this round.
        The record has the clean context that the arm has in this round. It costs 1.
        """
        ...


@calls_kernel("propose_record")
def propose_record(
    self: Any, scene: Scene, number: int, rng: np.random.Generator
) -> tuple[int, float]:
    """Call an attack's `propose_record`."""
    record: tuple[int, float] = self.propose_record(scene, number, rng)
    return record


def _inject(
    self: Any,
    policy: Any,
    scene: Scene,
    contexts: Floats,
    offset: float,
    purse: Purse,
    policy_rng: np.random.Generator,
    rng: np.random.Generator,
) -> bool:
    dim, arms = contexts.shape
    context = np.empty(dim)
    number = 0
    while has_money(purse):
        now = Scene(scene.round, scene.contexts, scene.means, purse.account[SPENT], scene.budget)
        arm, wanted = propose_record(self, now, number, rng)
        if arm == NO_RECORD:
            break
        reward = settle_record(purse, arm, wanted, arms)
        if not reward >= 0.0:
            break
        # A policy's notes about a decision are needed to learn, so it decides for the fake visitor.
        memo = np.zeros(MEMO)
        choose(policy, contexts.copy(), policy_rng, memo)
        copy_column(contexts, arm, context)
        learn(policy, arm, context, reward - offset, memo, policy_rng)
        number += 1
    return number > 0


def _do_not_inject(
    self: Any,
    policy: Any,
    scene: Scene,
    contexts: Floats,
    offset: float,
    purse: Purse,
    policy_rng: np.random.Generator,
    rng: np.random.Generator,
) -> bool:
    return False


def inject_records(self: Any, *arguments: Any) -> bool:
    """Teach the policy the fake records that an attack pays for; True if there were any.

    For attacks without `propose_record` none of this is compiled.
    """
    act = _inject if hasattr(self, "propose_record") else _do_not_inject
    return act(self, *arguments)


@overload(inject_records, strict=False)
def _inject_compiled(self: Any, *arguments: Any) -> Any:
    return _inject if hasattr(self.instance_class, "propose_record") else _do_not_inject
