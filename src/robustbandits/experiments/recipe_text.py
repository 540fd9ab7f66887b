"""A recipe as it is typed on one line: ``LinUCB``, ``Garcelon(100)``, ``RobustBandit.as_written``.

Read with Python's own grammar, never run: values are numbers, words, true, false, none, inf, and
lists of these.
"""

from __future__ import annotations

import ast
import inspect
import math
from typing import Any

from robustbandits.experiments.registry import kinds, nearest
from robustbandits.experiments.sweep import look_at
from robustbandits.game.recipe import Recipe

WORDS = {"true": True, "false": False, "none": None, "inf": math.inf}


def parse_recipe(section: str, text: str, **extra: Any) -> Recipe:
    """Return the recipe that a line describes; ``extra`` parameters must not be in it already.

    Examples
    --------
    >>> parse_recipe("policies", "LinUCB(sigma=0.2, radius=det)").label
    "LinUCB(sigma=0.2, radius='det')"
    """
    name, table = _split(section, text)
    for key, value in extra.items():
        if key in table:
            raise ValueError(f"{key} is given twice: in {text!r} and by itself")
        table[key] = value
    sweep = look_at(section, name, table)
    if sweep.count != 1 or sweep.lists:
        raise ValueError(f"{text!r} is a sweep: one value each, please; sweeps are for `run`")
    return next(recipe for _, recipe in sweep.recipes())


def _split(section: str, text: str) -> tuple[str, dict[str, Any]]:
    example = "write it as NAME(key=value, ...), for example Garcelon(budget=100)"
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is not a recipe; {example}") from None
    call = node if isinstance(node, ast.Call) else None
    named = call.func if call else node
    table: dict[str, Any] = {}
    if isinstance(named, ast.Attribute):
        table["preset"] = named.attr
        named = named.value
    if not isinstance(named, ast.Name):
        raise ValueError(f"{text!r} is not a recipe; {example}")
    if named.id not in kinds(section):
        known = kinds(section)
        raise ValueError(f"{section} has no {named.id!r}; {nearest(named.id, known)}")
    if call is None:
        return named.id, table
    first = _positional(kinds(section)[named.id])
    if len(call.args) > len(first):
        raise ValueError(f"{text!r}: give parameters by name, {example}")
    given = [*zip(first, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    for key, value in given:
        if key is None or key in table or key in ("kind", "preset"):
            raise ValueError(f"{text!r} is not a recipe: {key or '**'} is out of place; {example}")
        table[key] = _value(text, value)
    return named.id, table


def _positional(kind: type[Recipe]) -> list[str]:
    given = inspect.signature(kind).parameters.values()
    return [one.name for one in given if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]


def _value(text: str, node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return WORDS.get(node.id.lower(), node.id)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(text, one) for one in node.elts]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(text, node.operand)
        if isinstance(number, int | float):
            return -number
    shown = ast.unparse(node)
    raise ValueError(f"{text!r}: {shown} is not a number, a word or a list (words may be quoted)")
