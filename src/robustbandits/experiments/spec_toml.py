"""Read a spec from TOML. Errors name the line and are raised before anything is played."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Container, Iterator
from typing import Any

from robustbandits.experiments.labels import add_label
from robustbandits.experiments.recipe_json import canonical, recipe_to_plain
from robustbandits.experiments.registry import SECTIONS, nearest
from robustbandits.experiments.sweep import Sweep, read_table

#: More recipes than this in one spec are almost certainly a mistake in its lists.
MAX_RECIPES = 1_000_000
SETTINGS = ("name", "about", "rounds", "seeds", "points", "unsupported")


class SpecError(ValueError):
    """A spec that cannot be played; the message has the source and, if known, the line."""

    def __init__(self, source: str, line: int | None, message: str):
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {message}")
        self.source = source
        self.line = line


class TomlSpec:
    """The text of a spec; errors refer to it as ``source``."""

    def __init__(self, text: str, source: str, allow_import: bool = False):
        self.text = text
        self.source = source
        self.allow_import = allow_import

    def arguments(self) -> dict[str, Any]:
        """Return arguments for Spec. Recipes are made and checked; settings are not checked."""
        values = self._parse()
        self._check_names(values)
        settings = {key: values[key] for key in SETTINGS if key in values}
        if isinstance(settings.get("about"), str):
            settings["about"] = " ".join(settings["about"].split())
        sweeps = {section: self._sweeps(section, values) for section in SECTIONS}
        self._check_count(sweeps)
        recipes = {key: self._recipes(key, listed) for key, listed in sweeps.items() if listed}
        return {**settings, **recipes}

    @contextlib.contextmanager
    def lines_in_errors(self, keys: Container[str], *path: str) -> Iterator[None]:
        """Add a line number to errors: of the key that begins the message, or else of the path."""
        try:
            yield
        except (ValueError, TypeError, OSError) as error:
            words = str(error).split(maxsplit=1)
            key = words[0].rstrip(":") if words else ""
            raise self._error(str(error), *path, *([key] if key in keys else [])) from error

    def _error(self, message: str, *path: str) -> SpecError:
        line = line_of(self.text, *path) if path else None
        return SpecError(self.source, line, message)

    def _parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            position = re.search(r" \(at line (\d+), column (\d+)\)$", message)
            if position is None:  # "at end of document"
                line = self.text.count("\n") + 1
                raise SpecError(self.source, line, f"not TOML: {message}") from None
            message = f"column {position[2]}: not TOML: {message[: position.start()]}"
            raise SpecError(self.source, int(position[1]), message) from None
        except (ValueError, RecursionError) as error:  # a number or nesting beyond Python's limits
            raise self._error(f"cannot be read as TOML: {error}") from None

    def _check_names(self, values: dict[str, Any]) -> None:
        known = (*SETTINGS, *SECTIONS)
        for key, value in values.items():
            if key not in known:
                raise self._error(f"a spec has no {key!r}; {nearest(key, known)}", key)
            if key in SECTIONS and not isinstance(value, dict):
                raise self._error(f"{key} must be tables such as [{key}.NAME], got {value!r}", key)
        for section in ("environments", "policies"):
            if not values.get(section):
                raise self._error(f"no {section}; give at least one [{section}.NAME]")

    def _sweeps(self, section: str, values: dict[str, Any]) -> list[Sweep]:
        found = []
        for label, table in values.get(section, {}).items():
            keys = table if isinstance(table, dict) else ()
            with self.lines_in_errors(keys, section, label):
                found.append(read_table(section, label, table, self.allow_import))
        return found

    def _check_count(self, sweeps: dict[str, list[Sweep]]) -> None:
        total = 0
        for section, listed in sweeps.items():
            for sweep in listed:
                total += sweep.count
                if total > MAX_RECIPES:
                    message = f"{total:,} recipes up to here; at most {MAX_RECIPES:,} are allowed"
                    raise self._error(f"{message}: shorten the lists", section, sweep.label)

    def _recipes(self, section: str, sweeps: list[Sweep]) -> dict[str, Any]:
        """Make all recipes of a section. A recipe under two labels would be played twice."""
        found: dict[str, Any] = {}
        labels: dict[str, str] = {}
        for sweep in sweeps:
            with self.lines_in_errors({*sweep.fixed, *sweep.lists}, section, sweep.label):
                for label, recipe in sweep.recipes():
                    add_label(found, section, label, recipe)
                    other = labels.setdefault(canonical(recipe_to_plain(recipe)), label)
                    if other != label:
                        same = f"{other!r} and {label!r} are the same recipe"
                        raise ValueError(f"{section}: {same}; remove one of them")
        return found


def line_of(text: str, *path: str) -> int:
    """Return the line, counted from 1, on which a key or a table of valid TOML begins.

    ``tomllib`` does not report where a key is, but parsing the first lines of the text shows
    whether they define it. The key begins on the last line that names it while the lines above do
    not define it yet.
    """
    lines = text.split("\n")
    found = 0
    for depth, name in enumerate(path, start=1):
        named = re.compile(rf"""(?<![\w-]){re.escape(name)}["']?[ \t]*[.=\]]|\\""")
        for number in range(found, len(lines)):
            if named.search(lines[number]) is None:
                continue
            try:
                before = tomllib.loads("\n".join(lines[:number]) + "\n")
            except tomllib.TOMLDecodeError:  # the line is inside a value
                continue
            if _defines(before, path[:depth]):
                break
            found = number
    return found + 1


def _defines(values: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(values, dict) or name not in values:
            return False
        values = values[name]
    return True
