"""Colours and dashes of policies; they are the same in every figure."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable
from typing import NamedTuple


class Style(NamedTuple):
    """Colour and dashes of a line."""

    color: str
    dash: str


# Okabe and Ito's colours, which colour-blind readers can tell apart; the dashes help in print.
KNOWN = {
    "LinUCB": Style("#D55E00", "-"),
    "LinTS": Style("#CC79A7", "--"),
    "Greedy": Style("#E69F00", ":"),
    "RobustBandit": Style("#0072B2", "-"),
    "BOB-No-Restart": Style("#009E73", "-"),
    "BOBNoRestart": Style("#009E73", "-"),
    "RobustLinUCB": Style("#56B4E9", "--"),
}


def _palette() -> tuple[Style, ...]:
    """Return 96 styles: 12 hues, dark and light, with 4 kinds of dashes."""
    styles = []
    for dash in ("-", "--", "-.", ":"):
        for light in (0.35, 0.55):
            for hue in range(12):
                styles.append(Style(color_of(hue / 12, light), dash))
    return tuple(styles)


def color_of(hue: float, light: float) -> str:
    """Return a colour as matplotlib and browsers write it."""
    shade = colorsys.hls_to_rgb(hue, light, 0.75)
    return "#" + "".join(f"{round(255 * part):02X}" for part in shade)


OTHERS = _palette()


def styles_of(policies: Iterable[str]) -> dict[str, Style]:
    """Return the style of each policy of a figure.

    The paper's policies have fixed styles. The style of any other name is chosen by a checksum; if
    two names have the same one, the later in the alphabet gets the next free style.
    """
    taken: set[int] = set()
    styles = {}
    for name in sorted(set(policies)):
        if name in KNOWN:
            styles[name] = KNOWN[name]
            continue
        index = zlib.crc32(name.encode()) % len(OTHERS)
        while index in taken and len(taken) < len(OTHERS):
            index = (index + 1) % len(OTHERS)
        taken.add(index)
        styles[name] = OTHERS[index]
    return styles
