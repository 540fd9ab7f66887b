"""Optional kernels of attacks: to commit to changes before the choice, and to watch rounds."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numba.extending import overload

from robustbandits.compiled.calls import calls_kernel
from robustbandits.game.purse import COMMITTED, Purse
from robustbandits.game.verbs import Scene, propose_reward
from robustbandits.kernels.linalg import Floats


class CommittedAttackState(Protocol):
    """Kernels that an attack may have besides those of AttackState; both are optional.

    They are not given the policy, and not called once the budget is spent.
    """

    def propose_shifts(self, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
        """Write by how much the reward of each arm should change; called before the choice.

        ``shifts`` (arms,) is 0 at first. The change of the arm that is then chosen is proposed to
        the purse. An attack with this kernel has no ``propose_reward``.
        """
        ...

    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        """Take note of the arm that was played and its clean reward, before the policy learns."""
        ...


@calls_kernel("propose_shifts")
def _propose_shifts(self: Any, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
    self.propose_shifts(scene, shifts, rng)


def _commit(self: Any, scene: Scene, shifts: Floats, purse: Purse, rng: Any) -> None:
    for a in range(shifts.shape[0]):
        shifts[a] = 0.0
    _propose_shifts(self, scene, shifts, rng)
    largest = 0.0
    for a in range(shifts.shape[0]):
        largest = max(largest, abs(shifts[a]))
    purse.account[COMMITTED] += min(1.0, largest)  # no legal change is larger


def _do_not_commit(self: Any, scene: Scene, shifts: Floats, purse: Purse, rng: Any) -> None:
    pass


def commit_shifts(self: Any, scene: Scene, shifts: Floats, purse: Purse, rng: Any) -> None:
    """Let an attack decide how it will change the reward before the policy chooses an arm.

    The purse notes the largest change, over all arms; it pays later, for the chosen arm.
    """
    if hasattr(self, "propose_shifts"):
        _commit(self, scene, shifts, purse, rng)


@overload(commit_shifts, strict=False)
def _commit_compiled(self: Any, *arguments: Any) -> Any:
    return _commit if hasattr(self.instance_class, "propose_shifts") else _do_not_commit


def _as_committed(
    self: Any, policy: Any, scene: Scene, shifts: Floats, arm: int, reward: float, rng: Any
) -> float:
    return reward + shifts[arm]


def _as_proposed(
    self: Any, policy: Any, scene: Scene, shifts: Floats, arm: int, reward: float, rng: Any
) -> float:
    return propose_reward(self, policy, scene, arm, reward, rng)


def wanted_reward(
    self: Any, policy: Any, scene: Scene, shifts: Floats, arm: int, reward: float, rng: Any
) -> float:
    """Return the reward that an attack wants: by its shifts, if it has any, or its proposal."""
    want = _as_committed if hasattr(self, "propose_shifts") else _as_proposed
    return want(self, policy, scene, shifts, arm, reward, rng)


@overload(wanted_reward, strict=False)
def _wanted_compiled(self: Any, *arguments: Any) -> Any:
    return _as_committed if hasattr(self.instance_class, "propose_shifts") else _as_proposed


def _do_not_watch(self: Any, scene: Scene, arm: int, reward: float) -> None:
    pass


@calls_kernel("watch", missing=_do_not_watch)
def watch(self: Any, scene: Scene, arm: int, reward: float) -> None:
    """Call an attack's `watch`, if it has one."""
    getattr(type(self), "watch", _do_not_watch)(self, scene, arm, reward)
