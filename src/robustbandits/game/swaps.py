"""Attacks that change which arm is played: how the loop calls their kernel."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numba.extending import overload

from robustbandits.compiled.calls import calls_kernel
from robustbandits.game.purse import SWAP_LOSS, Purse, settle_arm
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats


class SwappingAttackState(Protocol):
    """A kernel that an attack may have besides those of AttackState; it is optional."""

    def propose_arm(self, policy: Any, scene: Scene, arm: int, rng: np.random.Generator) -> int:
        """Return the arm to play instead of ``arm``, the policy's choice.

        The policy is not told: it learns the reward of the arm that was played as that of its own
        choice. A swap costs 1. Return ``arm`` to change nothing.
        """
        ...


@calls_kernel("propose_arm")
def propose_arm(self: Any, policy: Any, scene: Scene, arm: int, rng: np.random.Generator) -> int:
    """Call an attack's `propose_arm`."""
    wanted: int = self.propose_arm(policy, scene, arm, rng)
    return wanted


def _swap(
    self: Any, policy: Any, scene: Scene, arm: int, means: Floats, purse: Purse, rng: Any
) -> int:
    played = settle_arm(purse, arm, propose_arm(self, policy, scene, arm, rng), means.shape[0])
    purse.account[SWAP_LOSS] += means[arm] - means[played]
    return played


def _do_not_swap(
    self: Any, policy: Any, scene: Scene, arm: int, means: Floats, purse: Purse, rng: Any
) -> int:
    return arm


def attack_arm(
    self: Any, policy: Any, scene: Scene, arm: int, means: Floats, purse: Purse, rng: Any
) -> int:
    """Return the arm that is played: the policy's choice, or another one that an attack pays for.

    For attacks without `propose_arm` none of this is compiled. ``means`` are the clean mean
    rewards, for the account of what swaps cost; the attack does not get them.
    """
    act = _swap if hasattr(self, "propose_arm") else _do_not_swap
    return act(self, policy, scene, arm, means, purse, rng)


@overload(attack_arm, strict=False)
def _attack_arm_compiled(self: Any, *arguments: Any) -> Any:
    return _swap if hasattr(self.instance_class, "propose_arm") else _do_not_swap
