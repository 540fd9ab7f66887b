"""Where things stand in a TOML file: Python's parser does not say.

Only for text that ``tomllib`` has read without complaint; so this scanner can be small.
"""

from __future__ import annotations

import re
import tomllib

Path = tuple[str, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*""")
#: Strings and comments are skipped whole, as they may hold brackets and line ends.
_PIECE = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'|#[^\n]*|.''', re.DOTALL
)


def toml_lines(text: str) -> dict[Path, int]:
    """Return the line (from 1) on which each table and each key begins."""
    lines: dict[Path, int] = {}
    table: Path = ()
    position = _after_blanks(text, 0)
    while position < len(text):
        line = text.count("\n", 0, position) + 1
        if text[position] == "[":
            many = text.startswith("[[", position)
            table, position = _keys(text, position + 1 + many)
            _note(lines, table, (), line)
            position += 1 + many
        else:
            keys, position = _keys(text, position)
            _note(lines, keys, table, line)
            position = _after_value(text, position + 1)
        position = _after_blanks(text, position)
    return lines


def _note(lines: dict[Path, int], keys: Path, table: Path, line: int) -> None:
    """Note where a dotted name, and each beginning of it, was met first."""
    for end in range(1, len(keys) + 1):
        lines.setdefault(table + keys[:end], line)


def line_of(lines: dict[Path, int], *path: str) -> int:
    """Return the line of a key or, inside an inline table, of the nearest thing around it."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


def _after_blanks(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return position if match is None else match.end()


def _keys(text: str, position: int) -> tuple[Path, int]:
    """Read a dotted key."""
    keys: list[str] = []
    while True:
        match = _KEY.match(text, position)
        if match is None:  # cannot happen in text that tomllib has accepted
            raise ValueError(f"no key at character {position}")
        raw = match[1]
        quoted = raw[0] in "\"'"
        keys.append(tomllib.loads(f"key = {raw}")["key"] if quoted else raw)
        position = match.end()
        if not text.startswith(".", position):
            return tuple(keys), position
        position += 1


def _after_value(text: str, position: int) -> int:
    """Skip a value: up to the end of the line on which all its brackets are closed."""
    depth = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        assert match is not None
        position = match.end()
        if match[0] in ("[", "{"):
            depth += 1
        elif match[0] in ("]", "}"):
            depth -= 1
        elif match[0] == "\n" and depth == 0:
            break
    return position
