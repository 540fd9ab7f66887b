"""What a reader should cite: the paper, the data that were played on, this software."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from robustbandits._version import __version__

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec


class Citation(NamedTuple):
    """What to cite, and for what."""

    what: str
    text: str


PAPER = Citation(
    "The paper",
    "Qin Ding, Cho-Jui Hsieh, James Sharpnack. Robust Stochastic Linear Contextual Bandits Under "
    "Adversarial Attacks. Proceedings of the 25th International Conference on Artificial "
    "Intelligence and Statistics (AISTATS), PMLR 151, 2022.",
)
SOFTWARE = Citation(
    "This software",
    f"The robustbandits authors. robustbandits {__version__}: corruption-robust contextual "
    "bandits, budgeted attacks, and a lab to measure them.",
)
MOVIELENS = Citation(
    "The data: MovieLens",
    "F. Maxwell Harper, Joseph A. Konstan. The MovieLens Datasets: History and Context. ACM "
    "Transactions on Interactive Intelligent Systems 5(4), article 19, 2015. "
    "doi:10.1145/2827872. For research; not to be redistributed without permission.",
)
NETFLIX = Citation(
    "The data: Netflix Prize",
    "James Bennett, Stan Lanning. The Netflix Prize. Proceedings of KDD Cup and Workshop, 2007. "
    "For research; not to be redistributed.",
)


def citations(specs: Iterable[Spec]) -> list[Citation]:
    """Return what these experiments rest on; data are cited only where they were played on."""
    used = [recipe for spec in specs for recipe in spec.environments.values()]
    # A recipe may name its data in a field as well as by its class: look at both.
    real = [one for one in used if not getattr(one, "stand_in", False)]
    words = " ".join(f"{type(one).__name__} {_text(one)}" for one in real).lower()
    data = [one for key, one in (("movielens", MOVIELENS), ("netflix", NETFLIX)) if key in words]
    return [PAPER, *data, SOFTWARE]


def _text(recipe: object) -> str:
    to_dict = getattr(recipe, "to_dict", dict)
    return json.dumps(to_dict(), default=str)
