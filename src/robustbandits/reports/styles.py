"""How a policy's line looks: the same in every picture, in whatever order policies come."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Style(NamedTuple):
    """Colour and dashes of a line."""

    color: str
    dash: str


# Okabe and Ito's colours, told apart by colour-blind readers too; the dashes help in print.
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
                styles.append(Style(_color(hue / 12, light), dash))
    return tuple(styles)


def _color(hue: float, light: float) -> str:
    shade = colorsys.hls_to_rgb(hue, light, 0.75)
    return "#" + "".join(f"{round(255 * part):02X}" for part in shade)


OTHERS = _palette()


def ramp(names: Sequence[str]) -> dict[str, Style]:
    """Return styles from light to dark, for one policy with more and more of something."""
    styles = {}
    for k, name in enumerate(names):
        # From green to violet as well: shades of one hue are hard to tell apart.
        share = k / max(1, len(names) - 1)
        styles[name] = Style(_color(0.46 + 0.4 * share, 0.42 - 0.08 * share), "-")
    return styles


def styles_of(policies: Iterable[str]) -> dict[str, Style]:
    """Return the style of each policy of a picture.

    The paper's policies have fixed styles. Any other name picks its own by a checksum; of two that
    pick the same, the later one in the alphabet takes the next that is free.
    """
    taken: set[int] = set()
    styles = {}
    for name in sorted(set(policies)):
        if name in KNOWN:
            styles[name] = KNOWN[name]
            continue
        place = zlib.crc32(name.encode()) % len(OTHERS)
        while place in taken and len(taken) < len(OTHERS):
            place = (place + 1) % len(OTHERS)
        taken.add(place)
        styles[name] = OTHERS[place]
    return styles
