"""Marked parts of a Markdown page: the text between ``<!-- name -->`` and ``<!-- /name -->``.

People write the page, programs fill in the marked parts. A mark may name the experiment whose
numbers it shows, as in ``<!-- measured: table1 -->``; other experiments do not change it.
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
    """The marks of a page are not valid; the message names the mark."""


def marks(page: str) -> dict[str, str | None]:
    """Return the names of a page's parts, and the experiment that each names, if any."""
    return {part["name"]: part["source"] for part in _PART.finditer(page)}


def fill(page: str, parts: Mapping[str, str], source: str | None = None) -> str:
    """Return a page with the given parts replaced; all other text stays exactly as it is.

    Parameters
    ----------
    page
        Markdown.
    parts
        The text of each part, by name. Parts without a mark in the page are ignored.
    source
        Name of the experiment that the parts come from. Marks that name another are not changed.
    """
    _check(page)

    def replacement(part: re.Match[str]) -> str:
        name = part["name"]
        if name not in parts or part["source"] not in (None, source):
            return part[0]
        start = part[0][: part.start("body") - part.start()]
        return f"{start}\n\n{parts[name].strip()}\n\n<!-- /{name} -->"

    return _PART.sub(replacement, page)


def _check(page: str) -> None:
    """Raise if a mark has no end, is inside another part, or has the name of another part."""
    names = [part["name"] for part in _PART.finditer(page)]
    if not names:
        raise MarkError(
            "the page has no marked part; add one, such as <!-- measured --> <!-- /measured -->"
        )
    for name in names:
        if names.count(name) > 1:
            raise MarkError(f"the page has the part {name!r} twice; remove one")
    for mark in _MARK.finditer(page):
        if names.count(mark["name"]) != 1 or _inside(page, mark):
            raise MarkError(f"the mark {mark[0]} has no matching mark, or is inside another part")


def _inside(page: str, mark: re.Match[str]) -> bool:
    bodies = (part.span("body") for part in _PART.finditer(page))
    return any(start <= mark.start() < end for start, end in bodies)
