"""Attacks around another attack: they limit when, and by how much, it changes something.

The recipe of such an attack starts a *gate*, which has two kernels. ``allowance`` returns the most
that may be paid in this round; ``arm`` is -1 before the choice. ``note`` is told the arm that was
chosen. The wrapped attack still watches every round, so that it can learn, but its proposals are
reduced to the allowance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from robustbandits.attacks.garcelon import Garcelon
from robustbandits.compiled.calls import calls_kernel
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.committed import CommittedAttackState, watch
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.parameters import CheckedRecipe
from robustbandits.game.problem import Problem
from robustbandits.game.records import NO_RECORD, propose_record
from robustbandits.game.swaps import propose_arm
from robustbandits.game.verbs import Scene, propose_contexts, propose_reward
from robustbandits.kernels.linalg import Floats

#: What an attack may change, and the kernel that proposes it. Shifts are changes of rewards that
#: are decided before the choice.
SURFACES = {
    "rewards": "propose_reward",
    "shifts": "propose_shifts",
    "contexts": "propose_contexts",
    "arms": "propose_arm",
    "records": "propose_record",
}

#: What `allowance` is told instead of an arm before the choice.
NOT_CHOSEN = -1


def _check_attack(name: str, value: Any) -> Any:
    """Return an attack; make it from the values of its ``to_dict``, or of a spec's table."""
    if isinstance(value, dict):
        from robustbandits import attacks

        values = dict(value)
        word = values.pop("kind", None) or values.get("name")
        kind = getattr(attacks, str(word), None)
        if kind is None or not hasattr(kind, "from_dict"):
            raise ValueError(
                f"kind of {name} must be the name of an attack of robustbandits, for example "
                f"'Garcelon'; got {word!r}"
            )
        return kind.from_dict(values | {"name": word})
    require.recipe(name, value, "attack")
    return value


AnyAttack = Annotated[Any, _check_attack]


@calls_kernel("allowance")
def allowance(self: Any, scene: Scene, arm: int) -> float:
    """Call a gate's `allowance`."""
    return self.allowance(scene, arm)


@calls_kernel("note")
def note(self: Any, scene: Scene, arm: int) -> None:
    """Call a gate's `note`."""
    self.note(scene, arm)


@kernel
def _limited(reward: float, wanted: float, most: float) -> float:
    """Return the wanted reward, or the one nearest to it that costs no more than ``most``."""
    if most <= 0.0:
        return reward
    change = min(1.0, max(0.0, wanted)) - reward
    if abs(change) <= most:
        return wanted
    near = reward + math.copysign(most, change)
    # A clean reward may be outside [0, 1]. The purse then moves it into the range or not at all.
    return near if 0.0 <= near <= 1.0 else reward


@kernel
def _limit_contexts(clean: Floats, wanted: Floats, most: float) -> None:
    """Reduce the changes of all contexts by one factor, so that they cost ``most`` at most."""
    dim, arms = clean.shape
    price = 0.0
    for a in range(arms):
        square = 0.0
        for i in range(dim):
            change = wanted[i, a] - clean[i, a]
            square += change * change
        price += math.sqrt(square)
    if price <= most:
        return
    share = max(0.0, most) / price
    for a in range(arms):
        for i in range(dim):
            change = wanted[i, a] - clean[i, a]
            if share == 0.0:
                wanted[i, a] = clean[i, a]
            elif change != 0.0:
                wanted[i, a] = clean[i, a] + share * change


@knows(OBLIVIOUS)
class ScheduledRewards(NamedTuple):
    """An attack on rewards behind a gate."""

    inner: Any
    gate: Any

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        wanted = propose_reward(self.inner, policy, scene, arm, reward, rng)
        most = allowance(self.gate, scene, arm)
        note(self.gate, scene, arm)
        return _limited(reward, wanted, most)

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        watch(self.inner, scene, arm, reward)


@knows(OBLIVIOUS)
class ScheduledShifts(NamedTuple):
    """An attack that commits to its changes before the choice, behind a gate."""

    inner: Any
    gate: Any

    @kernel
    def propose_shifts(self, scene: Scene, shifts: Floats, rng: np.random.Generator) -> None:
        inner_shifts(self.inner, scene, shifts, rng)
        most = allowance(self.gate, scene, NOT_CHOSEN)
        for a in range(shifts.shape[0]):
            shifts[a] = max(-most, min(most, shifts[a]))

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        note(self.gate, scene, arm)
        watch(self.inner, scene, arm, reward)


@calls_kernel("propose_shifts")
def inner_shifts(
    self: CommittedAttackState, scene: Scene, shifts: Floats, rng: np.random.Generator
) -> None:
    """Call the `propose_shifts` of a wrapped attack."""
    self.propose_shifts(scene, shifts, rng)


@knows(OBLIVIOUS)
class ScheduledContexts(NamedTuple):
    """An attack on contexts behind a gate."""

    inner: Any
    gate: Any

    @kernel
    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        clean = wanted.copy()
        propose_contexts(self.inner, policy, scene, wanted, rng)
        _limit_contexts(clean, wanted, allowance(self.gate, scene, NOT_CHOSEN))

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        note(self.gate, scene, arm)
        watch(self.inner, scene, arm, reward)


@knows(OBLIVIOUS)
class ScheduledArms(NamedTuple):
    """An attack on the arm that is played, behind a gate: a swap costs 1."""

    inner: Any
    gate: Any

    @kernel
    def propose_arm(self, policy: Any, scene: Scene, arm: int, rng: np.random.Generator) -> int:
        wanted = propose_arm(self.inner, policy, scene, arm, rng)
        return wanted if allowance(self.gate, scene, arm) >= 1.0 else arm

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        note(self.gate, scene, arm)
        watch(self.inner, scene, arm, reward)


@knows(OBLIVIOUS)
class ScheduledRecords(NamedTuple):
    """An attack with fake records, behind a gate: a record costs 1."""

    inner: Any
    gate: Any

    @kernel
    def propose_record(
        self, scene: Scene, number: int, rng: np.random.Generator
    ) -> tuple[int, float]:
        if allowance(self.gate, scene, NOT_CHOSEN) < 1.0:
            return NO_RECORD, 0.0
        return propose_record(self.inner, scene, number, rng)

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        note(self.gate, scene, arm)
        watch(self.inner, scene, arm, reward)


@dataclass(frozen=True)
class AttackAround(CheckedRecipe):
    """Base class of attacks around another attack, with its budget and its purse rule.

    Parameters
    ----------
    attack
        Recipe of the attack to run.
    """

    attack: AnyAttack = Garcelon(100.0)  # noqa: RUF009 (recipes are frozen)

    @property
    def budget(self) -> float:
        """Budget of the wrapped attack."""
        return float(self.attack.budget)

    @property
    def purse(self) -> str:
        """Purse rule of the wrapped attack."""
        return str(self.attack.purse)

    @property
    def reads_policy(self) -> bool:
        """Whether the wrapped attack reads the policy's state."""
        return bool(getattr(self.attack, "reads_policy", False))

    def surface_of(self, inner: Any) -> str:
        """Return what the wrapped attack changes, a key of `SURFACES`.

        Raise TypeError if that is more than one thing.
        """
        found = [name for name, kernel_name in SURFACES.items() if hasattr(inner, kernel_name)]
        if len(found) > 1:
            raise TypeError(
                f"{self.name} can run an attack that changes one thing, such as rewards or "
                f"contexts; {self.attack.name} changes {' and '.join(found)}"
            )
        return found[0] if found else "rewards"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with those of the wrapped attack."""
        return {**super().to_dict(), "attack": self.attack.to_dict()}


_SCHEDULED = {
    "rewards": ScheduledRewards,
    "shifts": ScheduledShifts,
    "contexts": ScheduledContexts,
    "arms": ScheduledArms,
    "records": ScheduledRecords,
}


@dataclass(frozen=True)
class Schedule(AttackAround):
    """Base class of attacks that limit when, and by how much, another attack changes something."""

    def start_gate(self, problem: Problem) -> Any:
        """Return a new gate."""
        raise NotImplementedError

    def start(self, problem: Problem) -> Any:
        gate, inner = self.start_gate(problem), self.attack.start(problem)
        return _SCHEDULED[self.surface_of(inner)](inner, gate)

    def prepare(self, state: Any, contexts: Floats, means: Floats) -> None:
        """Prepare the wrapped attack with the first round, if it has a method `prepare`."""
        if hasattr(self.attack, "prepare"):
            self.attack.prepare(state.inner, contexts, means)


def rounds_of(name: str, value: float, problem: Problem, attack: str) -> float:
    """Return a number of rounds: a value below 1 is a share of the horizon."""
    return value * problem.horizon(f"{attack}({name}={value:g})") if 0.0 < value < 1.0 else value


#: A fact of an attack around another one: it is that of the wrapped attack.
OF_THE_ATTACK = "as the wrapped attack"
