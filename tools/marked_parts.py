"""Marked parts of a Markdown page: text between ``<!-- name -->`` and ``<!-- /name -->``.

People write the page, programs fill in the parts. A mark may name whose numbers it wants,
``<!-- measured: table1 -->``: other experiments leave it alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PART = re.compile(
    r"<!-- (?P<name>[a-z]+)(?:: (?P<source>[^\n]*?))? -->(?P<body>.*?)<!-- /(?P=name) -->",
    re.DOTALL,
)
_MARK = re.compile(r"<!-- /?(?P<name>[a-z]+)(?:: [^\n]*?)? -->")


class MarkError(ValueError):
    """A page whose marks cannot be filled; the message says which."""


def marks(page: str) -> dict[str, str | None]:
    """Return the names of a page's parts, and whose numbers each wants; None for anybody's."""
    return {part["name"]: part["source"] for part in _PART.finditer(page)}


def fill(page: str, parts: Mapping[str, str], source: str | None = None) -> str:
    """Return a page with these parts written anew; the rest of it stays as it is, to the letter.

    Parameters
    ----------
    page
        Markdown.
    parts
        The text of each part, by name. Parts that the page has no mark for are left out.
    source
        Whose numbers they are; marks that name somebody else are left alone.
    """
    _check(page)

    def written(part: re.Match[str]) -> str:
        name = part["name"]
        if name not in parts or part["source"] not in (None, source):
            return part[0]
        start = part[0][: part.start("body") - part.start()]
        return f"{start}\n\n{parts[name].strip()}\n\n<!-- /{name} -->"

    return _PART.sub(written, page)


def _check(page: str) -> None:
    """Refuse marks without an end, inside one another, or of one name."""
    names = [part["name"] for part in _PART.finditer(page)]
    if not names:
        raise MarkError("the page has no marked part, such as <!-- measured --> <!-- /measured -->")
    for name in names:
        if names.count(name) > 1:
            raise MarkError(f"the page has the part {name!r} twice")
    for mark in _MARK.finditer(page):
        if names.count(mark["name"]) != 1 or _inside(page, mark):
            raise MarkError(f"the mark {mark[0]} has no partner, or is inside another part")


def _inside(page: str, mark: re.Match[str]) -> bool:
    bodies = (part.span("body") for part in _PART.finditer(page))
    return any(start <= mark.start() < end for start, end in bodies)
