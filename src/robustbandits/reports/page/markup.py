"""Pieces of HTML. Whatever a user named is escaped here, and only here."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

#: Longer tables scroll within themselves.
LONG = 30


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def safe(value: object) -> Html:
    """Return a value as HTML that shows it literally."""
    return value if isinstance(value, Html) else Html(html.escape(str(value), quote=True))


def element(tag: str, *content: object, **attributes: object) -> Html:
    """Return an element; ``class_`` and ``aria_label`` become ``class`` and ``aria-label``."""
    names = {key: key.rstrip("_").replace("_", "-") for key in attributes}
    given = [f' {names[key]}="{safe(value)}"' for key, value in attributes.items()]
    return Html(f"<{tag}{''.join(given)}>{''.join(map(safe, content))}</{tag}>")


def join(parts: Sequence[object]) -> Html:
    """Return the parts one after another, a line each."""
    return Html("\n".join(map(safe, parts)))


def table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    words: int = 1,
    headed: bool = False,
) -> Html:
    """Return a table which scrolls within itself.

    Parameters
    ----------
    caption, heads, rows
        What it shows.
    words
        How many columns name the row; rows that share all but the last name stand together.
    headed
        Whether a heading above says what the caption says: then it is only heard.
    """
    prefixes = list(dict.fromkeys(tuple(row[: words - 1]) for row in rows))
    if words > 1 and len(prefixes) < len(rows):
        body = [_group(prefix, rows, words, len(heads)) for prefix in prefixes]
        heads, words = heads[words - 1 :], 1
    else:
        body = [element("tbody", *[_row(row, words) for row in rows])]
    top = [_cell("th", head, i >= words, scope="col") for i, head in enumerate(heads)]
    inner = element(
        "table",
        element("caption", element("span", caption, class_="hear") if headed else caption),
        element("thead", element("tr", *top)),
        *body,
    )
    look = "scroll tall" if len(rows) > LONG else "scroll"
    return element("div", inner, class_=look, role="region", tabindex=0, aria_label=caption)


def _row(row: Sequence[object], words: int) -> Html:
    names = [_cell("th", cell, False, scope="row") for cell in row[:words]]
    return element("tr", *names, *[_cell("td", cell, True) for cell in row[words:]])


def _group(
    prefix: tuple[object, ...], rows: Sequence[Sequence[object]], words: int, width: int
) -> Html:
    """Return the rows that share their first names under one heading: half as wide on a phone."""
    title = element("span", ": ".join(str(part) for part in prefix))
    head = element("th", title, colspan=width - words + 1, scope="rowgroup")
    members = [row[words - 1 :] for row in rows if tuple(row[: words - 1]) == prefix]
    return element("tbody", element("tr", head, class_="group"), *[_row(m, 1) for m in members])


def _cell(tag: str, content: object, number: bool, **attributes: str) -> Html:
    if number:
        return element(tag, content, class_="number", **attributes)
    return element(tag, content, **attributes)


def facts(pairs: Sequence[tuple[str, object]]) -> Html:
    """Return a list of names and values."""
    lines = [element("dt", name) + element("dd", value) for name, value in pairs]
    return element("dl", *map(Html, lines), class_="facts")


def script_data(value: Any) -> Html:
    """Return JSON that may stand in a script element: no text in it can end the script."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Html(text)
