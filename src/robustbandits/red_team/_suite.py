"""Which attacks the red team plays; a new attack of the package joins ``full`` automatically."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from robustbandits.experiments import registry
from robustbandits.experiments.recipe_text import parse_recipe
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, LEVELS
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.red_team._labels import NO_ATTACK

#: The attacks of ``quick``, typed as on the command line; the last one is the control.
QUICK = (
    "Garcelon",
    "Garcelon(top='all-but-worst')",
    "Oracle",
    "FlipTheta",
    "ContextDilation",
    "RandomControl",
)
#: Levels of attackers who know no more than the arms, contexts and rewards of the game.
BLACKBOX = LEVELS[: LEVELS.index(BLACK_BOX) + 1]
SUITES = ("quick", "full", "blackbox", "context")
#: Budgets to play, unless others are given, in units of reward.
BUDGETS = (10.0, 30.0, 100.0, 300.0)
#: A budget for recipes whose budget is set later.
_ANY_BUDGET = 1.0


def choose_attacks(attacks: str | Sequence[Any], allow_import: bool = False) -> dict[str, Any]:
    """Return attacks by label; their budgets have no meaning yet, and are set later.

    Parameters
    ----------
    attacks
        ``quick``, ``full`` (all but those around another attack), ``blackbox``, ``context``, names
        separated by commas, or a list of names and recipes. The budgets of recipes are replaced.
    allow_import
        Whether names may be ``module:Class``.
    """
    if isinstance(attacks, str) and attacks in SUITES:
        chosen = _suite(attacks)
        if not chosen:
            raise ValueError(f"no attack of this package belongs to {attacks!r}")
    else:
        listed = split_names(attacks) if isinstance(attacks, str) else list(attacks)
        chosen = [_recipe(attack, allow_import) for attack in listed]
    if not chosen:
        raise ValueError(f"attacks must be {', '.join(SUITES)} or names of attacks; got none")
    labels = {_label(attack): attack for attack in chosen}
    if NO_ATTACK in labels:
        raise ValueError(
            f"attacks must not include {NO_ATTACK}: leave it out, because games without attack are "
            f"always played"
        )
    return labels


def split_names(text: str) -> list[str]:
    """Split ``A, B(x=1, y=2)`` at the commas that are not inside brackets."""
    names, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            names.append("")
        else:
            names[-1] += letter
    return [name.strip() for name in names if name.strip()]


def with_budget(attack: Any, budget: float) -> Any:
    """Return the attack with another budget; a wrapper gives it to the attack that it wraps."""
    if "budget" in {field.name for field in dataclasses.fields(attack)}:
        return dataclasses.replace(attack, budget=budget)
    inner = getattr(attack, "attack", None)
    if not dataclasses.is_dataclass(inner):
        raise TypeError(f"{attack!r} has no parameter budget, so it cannot be part of a red team")
    return dataclasses.replace(attack, attack=with_budget(inner, budget))


def playable(attacks: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """Leave out attacks that cannot attack this problem; raise ValueError if none can."""
    found, reasons = {}, []
    for label, attack in attacks.items():
        try:
            attack.start(problem)
            found[label] = attack
        except UnsupportedProblem as error:
            reasons.append(str(error))
    if not found:
        raise ValueError(f"none of the attacks can be played here: {'; '.join(reasons)}")
    return found


def _suite(name: str) -> list[Any]:
    known = registry.kinds("attacks")
    quick = [_parse_attack(text) for text in QUICK]
    if name == "quick":
        return quick
    every = [
        kind(**dict.fromkeys(_required(kind), _ANY_BUDGET))
        for kind in known.values()
        if _required(kind) == ["budget"]
    ]
    every = list({_label(attack): attack for attack in [*quick, *every]}.values())
    return [attack for attack in every if name == "full" or _belongs(attack, name)]


def _required(kind: Any) -> list[str]:
    given = registry.parameters(kind).values()
    return [parameter.name for parameter in given if parameter.default is registry.MISSING]


def _belongs(attack: Any, suite: str) -> bool:
    facts = getattr(attack, "facts", AttackFacts())
    return "contexts" in facts.changes if suite == "context" else facts.knowledge in BLACKBOX


def _recipe(attack: Any, allow_import: bool) -> Any:
    if isinstance(attack, str):
        return _parse_attack(attack, allow_import)
    return with_budget(require.recipe("attacks", attack, "attack"), _ANY_BUDGET)


def _parse_attack(text: str, allow_import: bool = False) -> Any:
    """Return the attack that a text names; a budget is added if its class needs one."""
    name = text.partition("(")[0]
    if ":" not in name and "budget" in _required(registry.find_kind("attacks", name)):
        return parse_recipe("attacks", text, budget=_ANY_BUDGET)
    return parse_recipe("attacks", text, allow_import=allow_import)


def _label(attack: Any) -> str:
    """Return the name and the changed parameters of an attack, without its budget."""
    changes = {key: value for key, value in attack.changes().items() if key != "budget"}
    shown = ", ".join(f"{key}={value!r}" for key, value in changes.items())
    return f"{attack.name}({shown})" if shown else str(attack.name)
