"""A recipe typed on one line: ``LinUCB``, ``Garcelon(100)``, ``RobustBandit.as_written``.

A third-party class is written ``module:Class``, with parameters or a preset in the same way. The
text is parsed with Python's grammar but never run. Values are numbers, words, true, false, none,
inf, lists of these, and, around another attack, that attack: ``Burst(Garcelon(100), start_at=0)``.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from typing import Any

from robustbandits.experiments.registry import find_kind, import_object
from robustbandits.experiments.sweep import read_table
from robustbandits.game.recipe import Recipe

WORDS = {"true": True, "false": False, "none": None, "inf": math.inf}
_EXAMPLE = "write it as NAME(key=value, ...), for example Garcelon(budget=100)"


def parse_recipe(section: str, text: str, *, allow_import: bool = False, **extra: Any) -> Recipe:
    """Return the recipe that the text describes, with ``extra`` parameters added to it.

    Third-party classes are imported only if ``allow_import`` is true.

    Examples
    --------
    >>> parse_recipe("policies", "LinUCB(sigma=0.2, radius=det)").label
    "LinUCB(sigma=0.2, radius='det')"
    """
    name, table = _parse(section, text, allow_import)
    for key, value in extra.items():
        if key in table:
            raise ValueError(f"{key} is given twice: in {text!r} and separately")
        table[key] = value
    sweep = read_table(section, name, table, allow_import)
    if sweep.lists:
        raise ValueError(f"{text!r} is a sweep; give one value for each parameter, or use `run`")
    try:
        return next(recipe for _, recipe in sweep.recipes())
    except TypeError as error:  # a value of the wrong type
        raise ValueError(str(error)) from None


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of ``NAME(key=value, ...)``; the name may be any text.

    Examples
    --------
    >>> parse_call("mabwiser:LinUCB(alpha=1.5)")
    ('mabwiser:LinUCB', {'alpha': 1.5})
    """
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name, {}
    try:
        call = ast.parse(f"name({rest}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call) or call.args or None in [k.arg for k in call.keywords]:
        raise ValueError(f"{text!r} is not a recipe; {_EXAMPLE}")
    return name, {str(k.arg): _value(text, k.value) for k in call.keywords}


def _parse(section: str, text: str, allow_import: bool) -> tuple[str, dict[str, Any]]:
    """Return the name of the class, and its table of parameters as in a spec."""
    module, rest = _split_module(text.strip())
    if not module:  # a display name, such as BOB-No-Restart, stands for its class
        head, call_sign, tail = rest.partition("(")
        rest = head.replace("-", "") + call_sign + tail
    try:
        node = ast.parse(rest, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is not a recipe; {_EXAMPLE}") from None
    call = node if isinstance(node, ast.Call) else None
    named = call.func if call else node
    first = named.value if isinstance(named, ast.Attribute) else named
    while module and isinstance(first, ast.Attribute):  # a class inside classes
        first = first.value
    if not isinstance(first, ast.Name):
        raise ValueError(f"{text!r} is not a recipe; {_EXAMPLE}")
    name = module + ast.unparse(named)
    table: dict[str, Any] = {}
    is_class = module and isinstance(import_object(name, allow_import), type)
    if isinstance(named, ast.Attribute) and not is_class:
        name, _, table["preset"] = name.rpartition(".")
    kind = find_kind(section, name, allow_import)
    if call is None:
        return name, table
    positional = _positional(kind)
    if len(call.args) > len(positional):
        raise ValueError(f"{text!r}: give parameters by name; {_EXAMPLE}")
    given: list[tuple[str | None, ast.expr]] = list(zip(positional, call.args, strict=False))
    given += [(keyword.arg, keyword.value) for keyword in call.keywords]
    for key, value in given:
        if key is None or key in table or key in ("kind", "preset"):
            raise ValueError(f"{text!r} is not a recipe: unexpected {key or '**'}; {_EXAMPLE}")
        table[key] = _value(text, value)
    return name, table


def _split_module(text: str) -> tuple[str, str]:
    """Split ``module:Class(...)`` after the colon; the first part is empty without a module."""
    module, colon, rest = text.partition(":")
    if colon and re.fullmatch(r"[\w.]+", module):
        return module + colon, rest.strip()
    return "", text


def _positional(kind: type[Recipe]) -> list[str]:
    given = inspect.signature(kind).parameters.values()
    return [item.name for item in given if item.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]


def _value(text: str, node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return WORDS.get(node.id.lower(), node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return parse_recipe("attacks", ast.unparse(node))
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(text, item) for item in node.elts]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(text, node.operand)
        if isinstance(number, int | float):
            return -number
    raise ValueError(f"{text!r}: {ast.unparse(node)} is not a number, a word or a list")
