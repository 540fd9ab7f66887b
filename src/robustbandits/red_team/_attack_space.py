"""The attacks that a search can choose from: attacks × their parameters × schedules."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from robustbandits.experiments import registry
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.red_team._suite import choose_attacks, with_budget

#: Attacks and schedules of a search, unless others are given. Each pair is compiled once.
ATTACKS = ("Garcelon", "Oracle", "OracleTarget", "ConsistentLie", "FlipTheta", "ContextDilation")
SCHEDULES = ("LeverageAware", "Burst")
#: The values that are tried for a parameter of this name, in any attack or schedule that has it and
#: accepts them.
VALUES: dict[str, tuple[Any, ...]] = {
    "top": ("best", 0.1, 0.25, 0.5, "all-but-worst"),
    "replace": ("noise", "floor"),
    "margin": (0.01, 0.03, 0.1, 0.3, 1.0),
    "factor": (1.5, 2.0, 4.0),
    "which": ("chosen", "every"),
    "form": ("reflect", "mean", "redraw", "shift"),
    "size": (0.1, 0.3, 1.0),
    "lowering": (0.2, 0.5, 0.8),
    "payload": ("zero", "flip", "reverse"),
    "probability": (0.01, 0.1, 1.0),
    "reach": (0.5, 2.0),
    # of schedules
    "start_at": (0.0, 0.001, 0.01, 0.1, 0.3),
    "length": (0.001, 0.01, 0.1, math.inf),
    "width": (0.02, 0.05, 0.1, 0.2, 0.5),
    "attack_where": ("below", "above"),
    "cap": (0.03, 0.1, 0.3, 1.0),
    "share": (0.5, 0.9),
}


class AttackSpace:
    """All combinations of attacks, values of their parameters, and schedules.

    Parameters
    ----------
    attacks
        As for :func:`~robustbandits.red_team.redteam.redteam`. Parameters that are given explicitly
        are not varied.
    schedules
        Names of attacks around another attack; every attack is also tried without one.
    budget
        What each attack may spend.
    problem
        What is attacked; attacks that it does not allow are left out.
    """

    def __init__(
        self,
        attacks: str | Sequence[Any],
        schedules: Sequence[str],
        budget: float,
        problem: Problem,
    ):
        bases = [with_budget(attack, budget) for attack in choose_attacks(attacks, True).values()]
        kinds = [registry.find_kind("attacks", name) for name in schedules]
        self.groups: list[list[Any]] = []  # variants of each attack with each schedule
        for base in bases:
            plain = _variants(base)
            self._add(plain, problem)
            for kind in kinds:
                scheduled = ([*_variants(kind(attack=attack))] for attack in plain)  # type: ignore[call-arg]
                self._add(list(itertools.chain.from_iterable(scheduled)), problem)
        if not self.groups:
            found = ", ".join(base.name for base in bases)
            raise ValueError(
                f"attacks must include one that can be played in this environment, such as "
                f"Garcelon; got {found}"
            )

    def _add(self, attacks: Sequence[Any], problem: Problem) -> None:
        try:
            attacks[0].start(problem)
        except (UnsupportedProblem, TypeError):  # a schedule may refuse the attack inside it
            return
        self.groups.append(list(attacks))

    def draw(self, count: int, rng: np.random.Generator) -> list[Any]:
        """Draw different attacks, about as many from each pair of attack and schedule."""
        shuffled = [[group[k] for k in rng.permutation(len(group))] for group in self.groups]
        order = [shuffled[k] for k in rng.permutation(len(shuffled))]
        ranked = itertools.chain.from_iterable(itertools.zip_longest(*order))
        return [attack for attack in ranked if attack is not None][:count]

    def neighbours(self, attack: Any) -> list[Any]:
        """Return the attacks that differ from this one in one parameter or in the schedule."""
        near = []
        for group in self.groups:
            for other in group:
                if type(other) is type(attack):
                    changes = _values(other).items() ^ _values(attack).items()
                    if len({key for key, _ in changes}) == 1:
                        near.append(other)
                elif _inner(other) == _inner(attack):
                    near.append(other)
        return near

    @property
    def size(self) -> int:
        """Number of variants."""
        return sum(map(len, self.groups))


def short_label(attack: Any) -> str:
    """Return the name and the changed parameters of an attack, without its budget."""
    changes = {
        key: value for key, value in attack.changes().items() if key not in ("attack", "budget")
    }
    shown = [f"{key}={value!r}" for key, value in changes.items()]
    if _inner(attack) is not attack:
        shown.insert(0, short_label(attack.attack))
    return f"{attack.name}({', '.join(shown)})" if shown else str(attack.name)


def _inner(attack: Any) -> Any:
    """Return the attack that a schedule runs, or the attack itself."""
    inner = getattr(attack, "attack", None)
    return inner if dataclasses.is_dataclass(inner) else attack


def _variants(attack: Any) -> list[Any]:
    """Return an attack with all values of the parameters that were not given."""
    given = attack.changes()
    names = [
        field.name
        for field in dataclasses.fields(attack)
        if field.name in VALUES and field.name not in given
    ]
    accepted = [
        [value for value in VALUES[name] if _accepts(attack, name, value)] for name in names
    ]
    variants = [
        dataclasses.replace(attack, **dict(zip(names, values, strict=True)))
        for values in itertools.product(*accepted)
    ]
    return list(dict.fromkeys([attack, *variants]))


def _accepts(attack: Any, name: str, value: Any) -> bool:
    try:
        dataclasses.replace(attack, **{name: value})
    except (TypeError, ValueError):
        return False
    return True


def _values(attack: Any) -> dict[str, Any]:
    """Return the name and the parameters of an attack, and those of the attack inside it."""
    values = {field.name: getattr(attack, field.name) for field in dataclasses.fields(attack)}
    if _inner(attack) is not attack:
        del values["attack"]
        values |= {f"attack.{key}": value for key, value in _values(attack.attack).items()}
    return {"name": attack.name, **values}
