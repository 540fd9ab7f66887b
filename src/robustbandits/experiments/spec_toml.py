"""Read a spec from TOML. Whatever is wrong is said with its line, before anything runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

from robustbandits.experiments.labels import check_label, check_seeds, marked
from robustbandits.experiments.registry import SECTIONS, nearest
from robustbandits.experiments.sweep import BadEntry, Sweep, look_at
from robustbandits.experiments.toml_lines import line_of, toml_lines
from robustbandits.game import require

Lines = dict[tuple[str, ...], int]

#: Recipes that one spec may stand for; beyond it, its lists are a slip of the pen.
MAX_RECIPES = 1_000_000
SETTINGS = ("name", "about", "rounds", "seeds", "points", "unsupported")


class SpecError(ValueError):
    """A spec that cannot be played; the message has source, line and remedy."""

    def __init__(self, source: str, line: int | None, message: str):
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {message}")
        self.source = source
        self.line = line


def spec_values(text: str, source: str) -> dict[str, Any]:
    """Return what a spec is made of, checked; what the text does not say is left out."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(text, source, str(error)) from None
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond Python's limits
        raise SpecError(source, None, f"cannot be read as TOML: {error}") from None
    lines = toml_lines(text)
    _check_names(values, lines, source)
    checked = _settings(values, lines, source)
    sweeps = _sweeps(values, lines, source)
    _check_count(sweeps, lines, source)
    for section in SECTIONS:
        if sweeps[section]:
            checked[section] = _expand(section, sweeps[section], lines, source)
    return checked


def _syntax_error(text: str, source: str, message: str) -> SpecError:
    found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if found is None:  # "at end of document"
        return SpecError(source, text.count("\n") + 1, f"not TOML: {message}")
    what = f"column {found[2]}: not TOML: {message[: found.start()]}"
    return SpecError(source, int(found[1]), what)


def _check_names(values: dict[str, Any], lines: Lines, source: str) -> None:
    known = (*SETTINGS, *SECTIONS)
    for key, value in values.items():
        line = line_of(lines, key)
        if key not in known:
            raise SpecError(source, line, f"a spec has no {key!r}; {nearest(key, known)}")
        if key in SECTIONS and not isinstance(value, dict):
            raise SpecError(
                source, line, f"{key} must be tables such as [{key}.NAME], got {value!r}"
            )
    for section in ("environments", "policies"):
        if not values.get(section):
            raise SpecError(source, None, f"no {section}; give at least one [{section}.NAME]")


def _settings(values: dict[str, Any], lines: Lines, source: str) -> dict[str, Any]:
    checks: dict[str, Callable[[Any], Any]] = {
        "name": lambda value: check_label("name", value),
        "about": _text,
        "rounds": lambda value: require.count("rounds", value),
        "seeds": check_seeds,
        "points": lambda value: require.count("points", value),
        "unsupported": lambda value: require.one_of("unsupported", value, ("refuse", "skip")),
    }
    checked: dict[str, Any] = {}
    for key, check in checks.items():
        try:
            if key in values:
                checked[key] = check(values[key])
        except (ValueError, TypeError) as error:
            raise SpecError(source, line_of(lines, key), str(error)) from None
    return checked


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"about must be text, got {value!r}")
    return " ".join(value.split())


def _sweeps(values: dict[str, Any], lines: Lines, source: str) -> dict[str, list[Sweep]]:
    found: dict[str, list[Sweep]] = {}
    for section in SECTIONS:
        found[section] = []
        for label, table in values.get(section, {}).items():
            try:
                found[section].append(look_at(section, label, table))
            except BadEntry as error:
                raise _located(error, (section, label), lines, source) from error.__cause__
    return found


def _located(error: BadEntry, path: tuple[str, str], lines: Lines, source: str) -> SpecError:
    key = () if error.key is None else (error.key,)
    return SpecError(source, line_of(lines, *path, *key), str(error))


def _check_count(sweeps: dict[str, list[Sweep]], lines: Lines, source: str) -> None:
    for section, listed in sweeps.items():
        for sweep in listed:
            if sweep.count > MAX_RECIPES:
                message = (
                    f"the lists of {sweep.label} stand for {sweep.count:,} recipes; "
                    f"at most {MAX_RECIPES:,} are allowed: shorten them"
                )
                raise SpecError(source, line_of(lines, section, sweep.label), message)
    total = sum(sweep.count for listed in sweeps.values() for sweep in listed)
    if total > MAX_RECIPES:
        message = f"{total:,} recipes in all; at most {MAX_RECIPES:,} are allowed"
        raise SpecError(source, None, message)


def _expand(section: str, sweeps: list[Sweep], lines: Lines, source: str) -> dict[str, Any]:
    recipes: dict[str, Any] = {}
    for sweep in sweeps:
        try:
            for label, recipe in sweep.recipes():
                shown = marked(check_label(section, label), recipe)
                if shown in recipes:
                    raise BadEntry(f"{section} has the label {shown!r} twice; rename one")
                recipes[shown] = recipe
        except BadEntry as error:
            raise _located(error, (section, sweep.label), lines, source) from error.__cause__
        except ValueError as error:
            raise SpecError(source, line_of(lines, section, sweep.label), str(error)) from None
    return recipes
