"""The palette: colors and dashes of policies. Figures and the page take them from here."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import Any, NamedTuple

from robustbandits import policies as library

#: Each color on white and on the dark page. Both have a contrast of at least 3 there.
PALETTE = (
    ("#d55e00", "#ff8a45"),  # orange
    ("#5b3fc0", "#a99bff"),  # violet
    ("#00875f", "#3ccb9d"),  # green
    ("#8c1d40", "#ff8fa3"),  # crimson
    ("#0072b2", "#58b2f2"),  # blue
    ("#b4548c", "#e79ac6"),  # pink
    ("#b07d00", "#ecb93c"),  # ochre
    ("#2f93cf", "#9ad8ff"),  # sky
    ("#1c2126", "#e6eaee"),  # ink
    ("#7a4a1e", "#c99a6b"),  # brown
    ("#7b838b", "#98a2ad"),  # grey
    ("#007f8b", "#4fd0dd"),  # teal
    ("#4d7c0f", "#a3d65c"),  # olive
    ("#b3261e", "#ff8a80"),  # red
    ("#a32cc4", "#dd8bf5"),  # purple
    ("#3f51b5", "#93a4f5"),  # indigo
)
#: Lengths of strokes and gaps in turn; nothing for a solid line.
DASHES: tuple[tuple[int, ...], ...] = ((), (7, 3), (2, 2), (10, 3, 2, 3), (1, 4))
#: The recommended policies and those of the paper have a color each, and solid lines.
FIRST = (
    "LinUCB",
    "CautiousLinUCB",
    "BOBNoRestart",
    "CWOFUL",
    "RobustBandit",
    "LinTS",
    "Greedy",
    "RobustLinUCB",
    "TsallisINF",
    "SuccessiveElimination",
    "MLAER",
)


class Style(NamedTuple):
    """How the line of a policy is drawn."""

    color: str
    dark: str  # its color on the dark page
    dash: tuple[int, ...] = ()

    @property
    def linestyle(self) -> Any:
        """The dashes for Matplotlib."""
        return (0, self.dash) if self.dash else "-"


def style(number: int) -> Style:
    """Return the style of a number; different numbers have different styles."""
    more, color = divmod(number, len(PALETTE))
    if more < len(DASHES):
        return Style(*PALETTE[color], DASHES[more])
    return Style(*PALETTE[color], (14, 3) + (2, 3) * (more - len(DASHES) + 2))


def _key(name: str) -> str:
    """Return a policy's name without parameters and signs: BOB-No-Restart is BOBNoRestart."""
    base = name.partition("(")[0] or name
    return re.sub(r"[^a-z0-9]", "", base.lower()) or base


FIXED = {_key(name): k for k, name in enumerate(dict.fromkeys([*FIRST, *library.__all__]))}


def style_numbers(policies: Iterable[str]) -> dict[str, int]:
    """Return a different number for each policy; :func:`style` turns it into a style.

    Policies of the package have fixed numbers. Others get theirs by a checksum of the name, or the
    next one that is free. The same policy with other parameters has the same color and other
    dashes, up to five of them.
    """
    names = sorted(set(policies), key=lambda name: (_key(name) not in FIXED, len(name), name))
    families: dict[str, int] = {}
    numbers: dict[str, int] = {}
    taken: set[int] = set()
    for name in names:
        key = _key(name)
        if key not in families:
            families[key] = FIXED[key] if key in FIXED else _free(key, taken)
        same_color = range(families[key], len(PALETTE) * len(DASHES), len(PALETTE))
        numbers[name] = next(k for k in chain(same_color, count()) if k not in taken)
        taken.add(numbers[name])
    return numbers


def styles_of(policies: Iterable[str]) -> dict[str, Style]:
    """Return the style of each policy of a figure; no two are the same."""
    return {name: style(number) for name, number in style_numbers(policies).items()}


def _free(key: str, taken: set[int]) -> int:
    """Return a number that is not taken: first try solid lines, beginning with a checksum."""
    first, size = zlib.crc32(key.encode()), len(PALETTE)
    tried: Iterator[int] = (
        line * size + (first + step) % size for line in count() for step in range(size)
    )
    return next(number for number in tried if number not in taken)
